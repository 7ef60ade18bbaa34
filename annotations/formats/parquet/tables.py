"""The tables that Parquet exports have: their columns, what these mean, and what is left out.

Files, their readers and their Croissant descriptions are made from these tables. Columns have the names that NDJSON
and TSV give the same values. A missing value is null, except in lists and in the fields of the producer, where it is
empty.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class ColumnType(StrEnum):
    """What the values of a column are; the values are the types of Croissant."""

    TEXT = "sc:Text"
    INTEGER = "sc:Integer"
    NUMBER = "sc:Float"
    TRUTH = "sc:Boolean"


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table, or a member of such a column.

    members: if its values are records; type is then not used. repeated: whether its values are lists.
    """

    name: str
    description: str
    type: ColumnType = ColumnType.TEXT
    members: Sequence["TableColumn"] = ()
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class ParquetTable:
    """A table that one export contains. note: what it leaves out; it is also in the metadata of each file."""

    name: str
    description: str
    columns: Sequence[TableColumn]
    note: str


def _make_integer_column(name: str, description: str) -> TableColumn:
    return TableColumn(name, description, ColumnType.INTEGER)


def _make_records_column(name: str, description: str, *members: TableColumn) -> TableColumn:
    return TableColumn(name, description, members=members, repeated=True)


START = _make_integer_column("start", "Position of the first character, in code points of the text, from 0")
END = _make_integer_column("end", "Position after the last character, in code points of the text")
PRODUCER_COLUMNS = (
    TableColumn("producer", "Name of the producer"),
    TableColumn("sort", "Kind of producer: server, author, gold and others"),
    TableColumn("server", "Slug of the annotation server; empty for other producers"),
    TableColumn("stated_version", "Version that the server stated; empty if it did not"),
)
KIND = TableColumn("kind", "Kind of annotation: mention, normalization, pair, entity, relation, label and others")
TYPE = TableColumn("type", "Entity type of a mention or entity, type of a relation, name of the set of a label")
IDENTIFIERS = _make_records_column(
    "identifiers",
    "Identifiers to which the mention is linked",
    TableColumn("curie", "The identifier as CURIE"),
    TableColumn("database", "Its database; empty if unknown"),
    TableColumn("identifier", "The identifier in this database"),
)
SPANS = _make_records_column("spans", "Parts of a discontinuous mention; empty for others", START, END)
ARGUMENTS = _make_records_column(
    "arguments",
    "Arguments of a relation, in order: entities or mentions",
    TableColumn("role", "What the argument is in the relation"),
    IDENTIFIERS,
    _make_records_column("spans", "Parts of the mention, mostly one", START, END),
    TableColumn("type", "Entity type of the mention"),
    TableColumn("text", "Text of the mention"),
)
QUALIFIERS = _make_records_column(
    "qualifiers",
    "Statements about a relation, such as novelty",
    TableColumn("name", "What is stated"),
    TableColumn("value", "Its value"),
)

ANNOTATION_TABLE = ParquetTable(
    "annotations",
    "One row for each annotation",
    (
        TableColumn("article", "ID of the article: its PMID, if it has one"),
        _make_integer_column("text_version", "Version of the text that positions refer to"),
        *PRODUCER_COLUMNS,
        KIND,
        TableColumn("confidence", "Confidence above 0, at most 1", ColumnType.NUMBER),
        _make_integer_column("rank", "Rank among the annotations of this kind, from 1"),
        START,
        END,
        TableColumn("text", "Text of a mention or passage, name of an entity, value of a label"),
        TYPE,
        TableColumn("database", "Database of the identifiers"),
        TableColumn("identifier", "Identifier of the entity, or the first of a pair"),
        TableColumn("partner", "The second identifier of a pair"),
        _make_integer_column("taxon", "Organism by its number in the NCBI Taxonomy"),
        TableColumn("relevant", "Class of the article: whether it is relevant", ColumnType.TRUTH),
        TableColumn("reported", "Identifiers that the producer sent, if they were replaced since"),
        SPANS,
        IDENTIFIERS,
        ARGUMENTS,
        TableColumn("directed", "Whether the order or the roles of the arguments matter", ColumnType.TRUTH),
        QUALIFIERS,
        _make_records_column("evidence", "Passages of the text that are evidence for a relation", START, END),
    ),
    "Only annotations are exported, one per row: not the texts, and not that a producer found nothing.",
)
ARTICLE_TABLE = ParquetTable(
    "articles",
    "One row for each article",
    (
        TableColumn("id", "ID of the article: its PMID, if it has one"),
        _make_integer_column("pmid", "PubMed ID"),
        TableColumn("pmcid", "PubMed Central ID"),
        TableColumn("doi", "Digital object identifier"),
        TableColumn("journal", "Journal"),
        _make_integer_column("year", "Year of publication"),
        TableColumn("authors", "Authors, in order", repeated=True),
        _make_integer_column("text_version", "Version of the text"),
        TableColumn("text", "The text: its passages, joined by one line break each"),
        _make_records_column(
            "passages",
            "Title, abstract and sections, as parts of the text",
            TableColumn("type", "Kind of passage, such as title"),
            _make_integer_column("offset", "Position of its first character, in code points of the text, from 0"),
            _make_integer_column("length", "Number of code points"),
        ),
        _make_records_column(
            "results",
            "Who annotated the article",
            *PRODUCER_COLUMNS,
            KIND,
            _make_integer_column("annotations", "Number of annotations; 0 if the producer found nothing"),
        ),
    ),
    "Of the annotations, only who gave how many is exported: the annotations are in the other table.",
)
