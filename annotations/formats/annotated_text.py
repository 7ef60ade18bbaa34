"""The formats of annotated text, read alike: PubTator, BioC in XML and JSON, PubAnnotation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from annotations.formats.bioc_json import read_bioc_json
from annotations.formats.bioc_xml import read_bioc_xml
from annotations.formats.mentions import Mentions
from annotations.formats.pubannotation import read_pubannotation
from annotations.formats.pubtator import read_pubtator
from annotations.formats.sniffing import Format


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A format by the name that people know, how it is read, and whether it can say which documents are relevant."""

    name: str
    read: Callable[[BinaryIO, str], Mentions]
    classes: bool = False


TEXT_FORMATS: Mapping[Format, TextFormat] = {
    Format.PUBTATOR: TextFormat("PubTator", read_pubtator),
    Format.BIOC_XML: TextFormat("BioC XML", read_bioc_xml, classes=True),
    Format.BIOC_JSON: TextFormat("BioC JSON", read_bioc_json, classes=True),
    Format.PUBANNOTATION: TextFormat("PubAnnotation", read_pubannotation),
}
