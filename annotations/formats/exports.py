"""The formats in which articles and what is said of them are given away, and what each of them carries.

One table for the REST list of formats, the manual, and the tests that read each format back.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotations.formats.collected import AnnotatedArticle
from annotations.formats.writing_bioc import write_bioc_json, write_bioc_xml
from annotations.formats.writing_brat import write_brat
from annotations.formats.writing_lines import write_ndjson, write_ndjson_annotations, write_tsv
from annotations.formats.writing_mitab import write_mitab
from annotations.formats.writing_pubannotation import write_pubannotation
from annotations.formats.writing_pubtator import write_pubtator
from annotations.formats.writing_web_annotation import write_web_annotation
from annotations.formats.writing_xmi import write_xmi

Write = Callable[[Iterable[AnnotatedArticle]], Iterator[bytes]]


class Part(StrEnum):
    """What a file can carry; a StrEnum, as its values are what people read."""

    TEXT = "every character of the text"
    PASSAGES = "title, abstract and sections"
    REFERENCE = "PMID, PMCID, DOI, journal and year"
    MENTIONS = "mentions"
    PAIRS = "interaction pairs"
    OTHER = "all other kinds"
    PRODUCER = "who says it"
    VERSION = "which version of a server's system says it"
    CONFIDENCE = "confidence and rank"
    NOTHING = "that nothing was found"


ALL = frozenset(Part)
ANNOTATIONS = frozenset({Part.MENTIONS, Part.PAIRS, Part.OTHER, Part.PRODUCER, Part.VERSION, Part.CONFIDENCE})


@dataclass(frozen=True, slots=True)
class Export:
    """slug: its name in addresses; suffix: of its files; carries: the parts that come back whole; loses: a sentence on
    the rest, empty when there is none; packed: whether it is compressed by itself."""

    slug: str
    name: str
    media_type: str
    suffix: str
    write: Write
    carries: frozenset[Part]
    loses: str = ""
    packed: bool = False

    def carried(self) -> list[Part]:
        return [part for part in Part if part in self.carries]

    def lost(self) -> list[Part]:
        """The parts that do not come back whole, in the order of Part."""
        return [part for part in Part if part not in self.carries]


def encoded(write: Callable[[Iterable[AnnotatedArticle]], Iterator[str]]) -> Write:
    """The same in UTF-8."""

    def written(articles: Iterable[AnnotatedArticle]) -> Iterator[bytes]:
        for piece in write(articles):
            yield piece.encode()

    return written


_ALL = (
    Export(
        "bioc-xml",
        "BioC XML",
        "application/xml",
        "xml",
        encoded(write_bioc_xml),
        ALL,
        "Control characters that XML cannot hold become U+FFFD, one for one.",
    ),
    Export("bioc-json", "BioC JSON", "application/json", "json", encoded(write_bioc_json), ALL),
    Export("pubannotation", "PubAnnotation", "application/json", "json", encoded(write_pubannotation), ALL),
    Export(
        "pubtator",
        "PubTator",
        "text/plain",
        "txt",
        encoded(write_pubtator),
        frozenset({Part.MENTIONS, Part.PAIRS}),
        "Line breaks in the text become blanks, so that positions stay; all that follows the title is its abstract; "
        "what several producers report stands there once; mentions have no identifiers, those of pairs no database.",
    ),
    Export(
        "brat",
        "brat standoff",
        "application/zip",
        "zip",
        write_brat,
        ALL - {Part.PASSAGES, Part.REFERENCE},
        "The text is one piece; types keep letters, digits, - and _ only, and notes tell them as they were; a mention "
        "that is nothing but line breaks is left out.",
        packed=True,
    ),
    Export(
        "tsv",
        "tab-separated values",
        "text/tab-separated-values",
        "tsv",
        encoded(write_tsv),
        ANNOTATIONS,
        "There are annotations only; a backslash, tab or line break in a field is \\\\, \\t, \\n or \\r, and a field "
        "that begins with =, +, - or @ has a backslash before it, so that no spreadsheet takes it for a formula.",
    ),
    Export(
        "mitab",
        "PSI-MITAB 2.7",
        "text/tab-separated-values",
        "mitab.tsv",
        encoded(write_mitab),
        frozenset({Part.PAIRS, Part.PRODUCER, Part.VERSION, Part.CONFIDENCE}),
        "There are interaction pairs only; producer, version and rank are comments.",
    ),
    Export(
        "web-annotation",
        "W3C Web Annotation",
        "application/ld+json",
        "jsonld",
        encoded(write_web_annotation),
        ANNOTATIONS,
        "There are annotations only; each mention is quoted with what stands around it.",
    ),
    Export(
        "uima-xmi",
        "UIMA CAS XMI",
        "application/zip",
        "zip",
        write_xmi,
        ALL - {Part.REFERENCE, Part.NOTHING},
        "Positions count UTF-16 code units, as UIMA does; control characters that XML cannot hold become U+FFFD.",
        packed=True,
    ),
    Export("ndjson", "NDJSON of articles", "application/x-ndjson", "ndjson", encoded(write_ndjson), ALL),
    Export(
        "ndjson-annotations",
        "NDJSON of annotations",
        "application/x-ndjson",
        "ndjson",
        encoded(write_ndjson_annotations),
        ANNOTATIONS,
        "There are annotations only, one a line.",
    ),
)
EXPORTS: Mapping[str, Export] = {export.slug: export for export in _ALL}
