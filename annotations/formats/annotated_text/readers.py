"""The readers of all formats of annotated text, such as PubTator, BioC and brat standoff."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from annotations.formats.annotated_text.left_out import list_left_out_warnings
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.bioc.documents import BiocCollector
from annotations.formats.bioc.json_reader import read_bioc_json_into_collector
from annotations.formats.bioc.xml_reader import read_bioc_xml_into_collector
from annotations.formats.brat.documents import BratCollector
from annotations.formats.brat.reader import read_brat_into_collector
from annotations.formats.ndjson.reader import read_ndjson_into_collector
from annotations.formats.parquet.text_reader import read_parquet_into_collector
from annotations.formats.pubannotation.reader import read_pubannotation_into_collector
from annotations.formats.pubtator.reader import PubTatorCollector, read_pubtator_into_collector
from annotations.formats.result_sniffing import ResultFormat
from annotations.formats.web_annotation.reader import (
    WebAnnotationCollector,
    read_web_annotation_into_collector,
    read_web_annotation_turtle_into_collector,
)
from annotations.formats.xmi.documents import XmiCollector
from annotations.formats.xmi.reader import read_xmi_into_collector


@dataclass(frozen=True, slots=True)
class AnnotatedTextFormat:
    """A format. name: for messages; has_classes: whether it can mark documents as relevant.

    make_collector: of the name of a file; collect: reads a stream into it.
    """

    name: str
    make_collector: Callable[[str], MentionCollector]
    collect: Callable[[BinaryIO, Any], AnnotatedTextFile]
    has_classes: bool = False

    def read(self, stream: BinaryIO, source: str, *, keeps_texts: bool = False) -> AnnotatedTextFile:
        """The content of a seekable stream; source is the file's name. What was left out is among its warnings (R660).

        keeps_texts: whether it has the texts of the documents, which take as much memory as the file. RefusedFileError
        with all faults.
        """
        collector = self.make_collector(source)
        collector.document_texts = {} if keeps_texts else None
        content = self.collect(stream, collector)
        warnings = list_left_out_warnings(content.left_out, source)
        return replace(content, warnings=[*content.warnings, *warnings]) if warnings else content


ANNOTATED_TEXT_FORMATS: Mapping[ResultFormat, AnnotatedTextFormat] = {
    ResultFormat.PUBTATOR: AnnotatedTextFormat("PubTator", PubTatorCollector, read_pubtator_into_collector),
    ResultFormat.BIOC_XML: AnnotatedTextFormat(
        "BioC XML", BiocCollector, read_bioc_xml_into_collector, has_classes=True
    ),
    ResultFormat.BIOC_JSON: AnnotatedTextFormat(
        "BioC JSON", BiocCollector, read_bioc_json_into_collector, has_classes=True
    ),
    ResultFormat.PUBANNOTATION: AnnotatedTextFormat("PubAnnotation", BiocCollector, read_pubannotation_into_collector),
    ResultFormat.BRAT: AnnotatedTextFormat("brat", BratCollector, read_brat_into_collector, has_classes=True),
    ResultFormat.XMI: AnnotatedTextFormat("UIMA XMI", XmiCollector, read_xmi_into_collector, has_classes=True),
    ResultFormat.WEB_ANNOTATION: AnnotatedTextFormat(
        "Web Annotation", WebAnnotationCollector, read_web_annotation_into_collector, has_classes=True
    ),
    ResultFormat.WEB_ANNOTATION_TURTLE: AnnotatedTextFormat(
        "Web Annotation in Turtle",
        WebAnnotationCollector,
        read_web_annotation_turtle_into_collector,
        has_classes=True,
    ),
    ResultFormat.NDJSON: AnnotatedTextFormat("NDJSON", MentionCollector, read_ndjson_into_collector, has_classes=True),
    ResultFormat.PARQUET: AnnotatedTextFormat(
        "Parquet", MentionCollector, read_parquet_into_collector, has_classes=True
    ),
}
