"""The readers of all formats of annotated text, such as PubTator, BioC and brat standoff, and of interactions.

The code of a reader is loaded when a file needs it: a command that scores a table needs none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import BinaryIO, TypeVar

from annotations.formats.annotated_text.left_out import list_left_out_warnings
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.result_sniffing import ResultFormat

CollectorType = TypeVar("CollectorType", bound=MentionCollector)


@dataclass(frozen=True, slots=True)
class AnnotatedTextFormat:
    """A format. name: for messages; has_classes: whether it can mark documents as relevant.

    read_file: of a stream, the name of the file, and whether the texts of the documents are kept.
    """

    name: str
    read_file: Callable[[BinaryIO, str, bool], AnnotatedTextFile]
    has_classes: bool = False

    def read(self, stream: BinaryIO, source: str, *, keeps_texts: bool = False) -> AnnotatedTextFile:
        """The content of a seekable stream; source is the file's name. What was left out is among its warnings (R660).

        keeps_texts: whether it has the texts of the documents, which take as much memory as the file. RefusedFileError
        with all faults.
        """
        content = self.read_file(stream, source, keeps_texts)
        warnings = list_left_out_warnings(content.left_out, source)
        return replace(content, warnings=[*content.warnings, *warnings]) if warnings else content


def _prepare_collector(collector: CollectorType, keeps_texts: bool) -> CollectorType:
    collector.document_texts = {} if keeps_texts else None
    return collector


def _read_pubtator(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.pubtator.reader import PubTatorCollector, read_pubtator_into_collector

    return read_pubtator_into_collector(stream, _prepare_collector(PubTatorCollector(source), keeps_texts))


def _read_bioc_xml(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.bioc.documents import BiocCollector
    from annotations.formats.bioc.xml_reader import read_bioc_xml_into_collector

    return read_bioc_xml_into_collector(stream, _prepare_collector(BiocCollector(source), keeps_texts))


def _read_bioc_json(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.bioc.documents import BiocCollector
    from annotations.formats.bioc.json_reader import read_bioc_json_into_collector

    return read_bioc_json_into_collector(stream, _prepare_collector(BiocCollector(source), keeps_texts))


def _read_pubannotation(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.bioc.documents import BiocCollector
    from annotations.formats.pubannotation.reader import read_pubannotation_into_collector

    return read_pubannotation_into_collector(stream, _prepare_collector(BiocCollector(source), keeps_texts))


def _read_brat(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.brat.documents import BratCollector
    from annotations.formats.brat.reader import read_brat_into_collector

    return read_brat_into_collector(stream, _prepare_collector(BratCollector(source), keeps_texts))


def _read_xmi(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.xmi.documents import XmiCollector
    from annotations.formats.xmi.reader import read_xmi_into_collector

    return read_xmi_into_collector(stream, _prepare_collector(XmiCollector(source), keeps_texts))


def _read_web_annotation(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.web_annotation import reader

    collector = _prepare_collector(reader.WebAnnotationCollector(source), keeps_texts)
    return reader.read_web_annotation_into_collector(stream, collector)


def _read_web_annotation_turtle(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.web_annotation import reader

    collector = _prepare_collector(reader.WebAnnotationCollector(source), keeps_texts)
    return reader.read_web_annotation_turtle_into_collector(stream, collector)


def _read_psi_mi_xml(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.psi_mi_xml.pairs import read_psi_mi_xml_into_collector

    return read_psi_mi_xml_into_collector(stream, _prepare_collector(MentionCollector(source), keeps_texts))


def _read_mitab(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.mitab.reader import read_mitab_into_collector

    return read_mitab_into_collector(stream, _prepare_collector(MentionCollector(source), keeps_texts))


def _read_ndjson(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.ndjson.reader import read_ndjson_into_collector

    return read_ndjson_into_collector(stream, _prepare_collector(MentionCollector(source), keeps_texts))


def _read_parquet(stream: BinaryIO, source: str, keeps_texts: bool) -> AnnotatedTextFile:
    from annotations.formats.parquet.text_reader import read_parquet_into_collector

    return read_parquet_into_collector(stream, _prepare_collector(MentionCollector(source), keeps_texts))


ANNOTATED_TEXT_FORMATS: Mapping[ResultFormat, AnnotatedTextFormat] = {
    ResultFormat.PUBTATOR: AnnotatedTextFormat("PubTator", _read_pubtator),
    ResultFormat.BIOC_XML: AnnotatedTextFormat("BioC XML", _read_bioc_xml, has_classes=True),
    ResultFormat.BIOC_JSON: AnnotatedTextFormat("BioC JSON", _read_bioc_json, has_classes=True),
    ResultFormat.PUBANNOTATION: AnnotatedTextFormat("PubAnnotation", _read_pubannotation),
    ResultFormat.BRAT: AnnotatedTextFormat("brat", _read_brat, has_classes=True),
    ResultFormat.XMI: AnnotatedTextFormat("UIMA XMI", _read_xmi, has_classes=True),
    ResultFormat.WEB_ANNOTATION: AnnotatedTextFormat("Web Annotation", _read_web_annotation, has_classes=True),
    ResultFormat.WEB_ANNOTATION_TURTLE: AnnotatedTextFormat(
        "Web Annotation in Turtle", _read_web_annotation_turtle, has_classes=True
    ),
    ResultFormat.PSI_MI_XML: AnnotatedTextFormat("PSI-MI XML", _read_psi_mi_xml),
    ResultFormat.MITAB: AnnotatedTextFormat("PSI-MITAB", _read_mitab),
    ResultFormat.NDJSON: AnnotatedTextFormat("NDJSON", _read_ndjson, has_classes=True),
    ResultFormat.PARQUET: AnnotatedTextFormat("Parquet", _read_parquet, has_classes=True),
}
