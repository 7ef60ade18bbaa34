"""The formats in which articles and their annotations are exported, and what each of them preserves.

The REST list of formats, the manual, and the tests that read each format back use this table.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.bioc.writer import write_bioc_json, write_bioc_xml
from annotations.formats.brat.writer import write_brat_zip_archive
from annotations.formats.europe_pmc.writer import find_left_out_of_europe_pmc, write_europe_pmc
from annotations.formats.left_out_annotations import FindLeftOut, write_left_out_annotations
from annotations.formats.mitab.writer import find_left_out_of_pairs, write_pairs_as_mitab
from annotations.formats.ndjson.writer import write_annotations_as_ndjson, write_articles_as_ndjson
from annotations.formats.parquet.tables import ANNOTATION_TABLE, ARTICLE_TABLE
from annotations.formats.parquet.writer import write_annotations_as_parquet, write_articles_as_parquet
from annotations.formats.pubannotation.writer import write_pubannotation
from annotations.formats.pubtator.writer import find_left_out_of_pubtator, write_pubtator_mentions_and_pairs
from annotations.formats.tsv.writer import write_annotations_as_tsv
from annotations.formats.web_annotation.annotations import DEFAULT_PAGE_URL
from annotations.formats.web_annotation.turtle_writer import write_web_annotation_as_turtle
from annotations.formats.web_annotation.writer import write_web_annotation
from annotations.formats.xmi.writer import write_xmi_zip_archive


class ExportWriter(Protocol):
    def __call__(self, articles: Iterable[AnnotatedArticle], page_url: str = ...) -> Iterator[bytes]:
        """The file in pieces. page_url: where it can be downloaded, for formats whose parts have addresses."""


class ExportPart(StrEnum):
    """What an export can contain; the values are shown to users."""

    TEXT = "every character of the text"
    PASSAGES = "title, abstract and sections"
    REFERENCE = "PMID, PMCID, DOI, journal and year"
    MENTIONS = "mentions"
    PARTS = "parts of discontinuous mentions"
    LINKS = "identifiers of mentions"
    PAIRS = "interaction pairs"
    OTHER = "all other kinds for which servers register"
    OPEN_KINDS = "entities, relations and labels of any type"
    PRODUCER = "who says it"
    VERSION = "which version of a server's system says it"
    CONFIDENCE = "confidence and rank"
    NOTHING = "that nothing was found"


ALL_EXPORT_PARTS = frozenset(ExportPart)
OPEN_PARTS = frozenset({ExportPart.PARTS, ExportPart.LINKS, ExportPart.OPEN_KINDS})
WEB_ANNOTATION_NOTES = (
    "Each mention is quoted with the text around it; a discontinuous mention has one target for each part. Roles, "
    "directions, confidences and ranks have no term in the vocabulary: they are in the JSON of finding. The text is "
    "the body of the first annotation of each article, whose passages and reference are in the JSON of article."
)
ANNOTATION_PARTS = frozenset(
    {
        ExportPart.MENTIONS,
        ExportPart.PAIRS,
        ExportPart.OTHER,
        ExportPart.PRODUCER,
        ExportPart.VERSION,
        ExportPart.CONFIDENCE,
    }
)
ARTICLE_PARTS = frozenset({ExportPart.TEXT, ExportPart.PASSAGES, ExportPart.REFERENCE, ExportPart.NOTHING})
LEFT_OUT_ENDING = "-left-out"
PARQUET_MEDIA_TYPE = "application/vnd.apache.parquet"


@dataclass(frozen=True, slots=True)
class ExportFileFormat:
    """A format to export to.

    slug: its name in URLs; suffix: file name extension, without the dot; write: encodes articles; carries: the parts
    that can be read back completely; loses: what happens to the rest, empty if there is none; packed: whether the
    format is compressed itself; find_left_out: which annotations it leaves out, None if it can write all of them.
    """

    slug: str
    name: str
    media_type: str
    suffix: str
    write: ExportWriter
    carries: frozenset[ExportPart]
    loses: str = ""
    packed: bool = False
    find_left_out: FindLeftOut | None = None

    @property
    def left_out_slug(self) -> str:
        """The name, in URLs, of the file with the annotations that this format leaves out; "" without any."""
        return f"{self.slug}{LEFT_OUT_ENDING}" if self.find_left_out else ""

    def carried(self) -> list[ExportPart]:
        """The parts that can be read back completely, in the order of ExportPart."""
        return [part for part in ExportPart if part in self.carries]

    def lost(self) -> list[ExportPart]:
        """The parts that cannot be read back completely, in the order of ExportPart."""
        return [part for part in ExportPart if part not in self.carries]


def _encode_text_writer(write: Callable[[Iterable[AnnotatedArticle]], Iterator[str]]) -> ExportWriter:
    """A writer of UTF-8 bytes made from a writer of text that needs no address."""
    return _ignore_page_url(lambda articles: (text.encode() for text in write(articles)))


def _ignore_page_url(write: Callable[[Iterable[AnnotatedArticle]], Iterator[bytes]]) -> ExportWriter:
    return lambda articles, page_url=DEFAULT_PAGE_URL: write(articles)


def _encode_linked_text_writer(write: Callable[[Iterable[AnnotatedArticle], str], Iterator[str]]) -> ExportWriter:
    """A writer of UTF-8 bytes made from a writer of text with addresses."""
    return lambda articles, page_url=DEFAULT_PAGE_URL: (text.encode() for text in write(articles, page_url))


_EXPORT_FORMATS = (
    ExportFileFormat(
        "bioc-xml",
        "BioC XML",
        "application/xml",
        "xml",
        _encode_text_writer(write_bioc_xml),
        ALL_EXPORT_PARTS,
        "Control characters that XML does not allow become U+FFFD, one for one.",
    ),
    ExportFileFormat(
        "bioc-json", "BioC JSON", "application/json", "json", _encode_text_writer(write_bioc_json), ALL_EXPORT_PARTS
    ),
    ExportFileFormat(
        "pubannotation",
        "PubAnnotation",
        "application/json",
        "json",
        _encode_text_writer(write_pubannotation),
        ALL_EXPORT_PARTS,
        "Nothing is left out, but other programs may not know all of it: several producers are tracks. Annotations of "
        "the article, and entities in relations, are denotations of the whole text with the attribute scope. Roles, "
        "qualifiers, evidence and confidence of a relation are further members of it. A relation of more than two "
        "arguments is such a denotation with a relation for each argument.",
    ),
    ExportFileFormat(
        "pubtator",
        "PubTator",
        "text/plain",
        "txt",
        _encode_text_writer(write_pubtator_mentions_and_pairs),
        frozenset({ExportPart.MENTIONS, ExportPart.PAIRS, ExportPart.LINKS}),
        "Line breaks in the text become spaces, so positions do not change. All text after the title becomes the "
        "abstract. Annotations from several producers are written once. The identifiers of pairs have no database. "
        "Relations have two arguments with identifiers and their novelty, but no roles or evidence; negated and other "
        "relations, discontinuous mentions and labels are left out. Genes, organisms and entities are only those that "
        "a written mention is linked to.",
        find_left_out=find_left_out_of_pubtator,
    ),
    ExportFileFormat(
        "brat",
        "brat standoff",
        "application/zip",
        "zip",
        _ignore_page_url(write_brat_zip_archive),
        ALL_EXPORT_PARTS,
        "Types keep only letters, digits, - and _, and a mention across a line break is written in fragments; notes "
        "have the originals. Relations whose arguments are all mentions are R lines, or events (E) if they have more "
        "than two. Passages, entities, labels and all other relations are notes of the article as JSON, which brat "
        "shows as text. Two producers can mark the same span, which some readers of brat refuse: export one server.",
        packed=True,
    ),
    ExportFileFormat(
        "tsv",
        "tab-separated values",
        "text/tab-separated-values",
        "tsv",
        _encode_text_writer(write_annotations_as_tsv),
        ANNOTATION_PARTS | OPEN_PARTS,
        "Only annotations are exported. A backslash, tab or line break in a field is written as \\\\, \\t, \\n or \\r. "
        "A field that begins with =, +, - or @ is preceded by a backslash, so that spreadsheets do not read it as a "
        "formula. Parts, identifiers of mentions and the content of relations are JSON in the last column.",
    ),
    ExportFileFormat(
        "mitab",
        "PSI-MITAB 2.7",
        "text/tab-separated-values",
        "mitab.tsv",
        _encode_text_writer(write_pairs_as_mitab),
        frozenset({ExportPart.PAIRS, ExportPart.PRODUCER, ExportPart.VERSION, ExportPart.CONFIDENCE}),
        "Only interaction pairs are exported. Producer, version and rank are comments.",
        find_left_out=find_left_out_of_pairs,
    ),
    ExportFileFormat(
        "web-annotation",
        "W3C Web Annotation",
        "application/ld+json",
        "jsonld",
        _encode_linked_text_writer(write_web_annotation),
        ALL_EXPORT_PARTS,
        WEB_ANNOTATION_NOTES,
    ),
    ExportFileFormat(
        "web-annotation-turtle",
        "W3C Web Annotation in Turtle",
        "text/turtle",
        "ttl",
        _encode_linked_text_writer(write_web_annotation_as_turtle),
        ALL_EXPORT_PARTS,
        WEB_ANNOTATION_NOTES,
    ),
    ExportFileFormat(
        "europe-pmc",
        "Europe PMC annotations",
        "application/json",
        "europe-pmc.json",
        _encode_linked_text_writer(write_europe_pmc),
        frozenset(),
        "The JSON of Europe PMC's Annotations API. Mentions are quoted with 20 characters on each side, without "
        "positions. Interaction passages, and the evidence of relations, are sentences with a tag for each entity, "
        "without roles. Discontinuous mentions, pairs, relations without evidence, all other annotations of the "
        "article, and identifiers without a web page are left out. Producers have their name only, and genes, "
        "diseases, chemicals and organisms Europe PMC's names of types. Articles without a PMID or PMCID have the "
        "source BCMS.",
        find_left_out=find_left_out_of_europe_pmc,
    ),
    ExportFileFormat(
        "uima-xmi",
        "UIMA CAS XMI",
        "application/zip",
        "zip",
        _ignore_page_url(write_xmi_zip_archive),
        ALL_EXPORT_PARTS,
        "Positions count UTF-16 code units, as UIMA does. Control characters that XML does not allow become U+FFFD. "
        "What is not a mention is an annotation of the whole text; its parts are feature structures of our own types.",
        packed=True,
    ),
    ExportFileFormat(
        "ndjson",
        "NDJSON of articles",
        "application/x-ndjson",
        "ndjson",
        _encode_text_writer(write_articles_as_ndjson),
        ALL_EXPORT_PARTS,
    ),
    ExportFileFormat(
        "ndjson-annotations",
        "NDJSON of annotations",
        "application/x-ndjson",
        "ndjson",
        _encode_text_writer(write_annotations_as_ndjson),
        ANNOTATION_PARTS | OPEN_PARTS,
        "Only annotations are exported, one per line.",
    ),
    ExportFileFormat(
        "parquet-annotations",
        "Parquet of annotations",
        PARQUET_MEDIA_TYPE,
        "annotations.parquet",
        _ignore_page_url(write_annotations_as_parquet),
        ANNOTATION_PARTS | OPEN_PARTS,
        ANNOTATION_TABLE.note,
        packed=True,
    ),
    ExportFileFormat(
        "parquet-articles",
        "Parquet of articles",
        PARQUET_MEDIA_TYPE,
        "articles.parquet",
        _ignore_page_url(write_articles_as_parquet),
        ARTICLE_PARTS,
        ARTICLE_TABLE.note,
        packed=True,
    ),
)
EXPORTS: Mapping[str, ExportFileFormat] = {export.slug: export for export in _EXPORT_FORMATS}


def _build_left_out_format(export: ExportFileFormat, find_left_out: FindLeftOut) -> ExportFileFormat:
    return ExportFileFormat(
        export.left_out_slug,
        f"what {export.name} leaves out",
        "text/tab-separated-values",
        f"{export.slug}{LEFT_OUT_ENDING}.tsv",
        _encode_text_writer(lambda articles: write_left_out_annotations(articles, find_left_out)),
        ANNOTATION_PARTS | OPEN_PARTS,
    )


# All that can be downloaded: the formats, and the files with what some of them leave out.
DOWNLOADS: Mapping[str, ExportFileFormat] = {
    **EXPORTS,
    **{
        export.left_out_slug: _build_left_out_format(export, export.find_left_out)
        for export in _EXPORT_FORMATS
        if export.find_left_out
    },
}
