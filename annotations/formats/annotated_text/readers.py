"""The readers of all formats of annotated text, such as PubTator, BioC and brat standoff."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import BinaryIO

from annotations.formats.annotated_text.left_out import list_left_out_warnings
from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.bioc.json_reader import read_bioc_json_mentions_and_pairs
from annotations.formats.bioc.xml_reader import read_bioc_xml_mentions_and_pairs
from annotations.formats.brat.reader import read_brat_mentions_and_pairs
from annotations.formats.ndjson.reader import read_ndjson_mentions_and_pairs
from annotations.formats.parquet.text_reader import read_parquet_mentions_and_pairs
from annotations.formats.pubannotation.reader import read_pubannotation_mentions_and_pairs
from annotations.formats.pubtator.reader import read_pubtator_mentions_and_pairs
from annotations.formats.result_sniffing import ResultFormat
from annotations.formats.web_annotation.reader import (
    read_web_annotation_mentions_and_pairs,
    read_web_annotation_turtle_mentions_and_pairs,
)
from annotations.formats.xmi.reader import read_xmi_mentions_and_pairs


@dataclass(frozen=True, slots=True)
class AnnotatedTextFormat:
    """A format. name: for messages; reader: as `read`; has_classes: whether it can mark documents as relevant."""

    name: str
    reader: Callable[[BinaryIO, str], AnnotatedTextFile]
    has_classes: bool = False

    def read(self, stream: BinaryIO, source: str) -> AnnotatedTextFile:
        """The content of a seekable stream; source is the file's name. What was left out is among its warnings (R660).

        RefusedFileError with all faults.
        """
        content = self.reader(stream, source)
        warnings = list_left_out_warnings(content.left_out, source)
        return replace(content, warnings=[*content.warnings, *warnings]) if warnings else content


ANNOTATED_TEXT_FORMATS: Mapping[ResultFormat, AnnotatedTextFormat] = {
    ResultFormat.PUBTATOR: AnnotatedTextFormat("PubTator", read_pubtator_mentions_and_pairs),
    ResultFormat.BIOC_XML: AnnotatedTextFormat("BioC XML", read_bioc_xml_mentions_and_pairs, has_classes=True),
    ResultFormat.BIOC_JSON: AnnotatedTextFormat("BioC JSON", read_bioc_json_mentions_and_pairs, has_classes=True),
    ResultFormat.PUBANNOTATION: AnnotatedTextFormat("PubAnnotation", read_pubannotation_mentions_and_pairs),
    ResultFormat.BRAT: AnnotatedTextFormat("brat", read_brat_mentions_and_pairs, has_classes=True),
    ResultFormat.XMI: AnnotatedTextFormat("UIMA XMI", read_xmi_mentions_and_pairs, has_classes=True),
    ResultFormat.WEB_ANNOTATION: AnnotatedTextFormat(
        "Web Annotation", read_web_annotation_mentions_and_pairs, has_classes=True
    ),
    ResultFormat.WEB_ANNOTATION_TURTLE: AnnotatedTextFormat(
        "Web Annotation in Turtle", read_web_annotation_turtle_mentions_and_pairs, has_classes=True
    ),
    ResultFormat.NDJSON: AnnotatedTextFormat("NDJSON", read_ndjson_mentions_and_pairs, has_classes=True),
    ResultFormat.PARQUET: AnnotatedTextFormat("Parquet", read_parquet_mentions_and_pairs, has_classes=True),
}
