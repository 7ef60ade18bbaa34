"""Runs and gold standards of mentions, links and relations of any type, as annotations and as tables of items."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotations.formats.annotated_text.mentions import AnnotatedTextFile, TextRelation
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import FormatError
from annotations.formats.result_sniffing import sniff_result_format_else_tsv
from annotations.formats.tsv.columns import NameColumn
from annotations.formats.tsv.result_table import ResultTable
from annotations.identifiers.given_identifiers import parse_identifier_field
from annotations.schema import AnnotationData, RelationArgument, Shape, make_entity, make_mention, make_relation
from evaluation.commands.files.inputs import InputFiles, open_regular_input_file
from evaluation.measures.items.article_columns import AnnotationsByArticle, ItemConfidences
from evaluation.measures.items.task_columns import ItemForm, group_items_by_article, select_each_type
from evaluation.measures.task_settings import TaskSettings


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A valid file. annotations_by_document: also of documents without any."""

    path: str
    format_name: str
    annotations_by_document: AnnotationsByArticle
    warnings: Sequence[FormatError] = ()


@dataclass(frozen=True, slots=True)
class ItemTables:
    """A file as a table of items, and the table of each type of the gold standard."""

    table: ResultTable
    table_by_type: Mapping[str, ResultTable] = field(default_factory=dict)


def read_open_file_noting_faults(path: str, inputs: InputFiles) -> OpenFile | None:
    """The annotations of one file, None when it is invalid; errors and warnings are collected in inputs."""
    with open_regular_input_file(path) as stream:
        result_format = sniff_result_format_else_tsv(stream)
    text_format = ANNOTATED_TEXT_FORMATS.get(result_format)
    if text_format is None:
        message = f"entities and relations cannot be read from {result_format} - use PubTator, BioC or PubAnnotation"
        inputs.faults.append(FormatError(path, 0, 0, "R695", message))
        return None
    annotated = inputs.read_input(path, text_format.read)
    if annotated is None:
        return None
    inputs.add_warnings(path, annotated.warnings)
    return OpenFile(path, text_format.name, collect_open_annotations(annotated), annotated.warnings)


def collect_open_annotations(annotated: AnnotatedTextFile) -> dict[str, list[AnnotationData]]:
    """{document: mentions with their links, entities, relations}; documents without any have an empty list."""
    found: dict[str, list[AnnotationData]] = {document: [] for document in annotated.documents}
    for mention in annotated.mentions:
        links = mention.list_links()
        found[mention.document].append(
            make_mention(mention.parts, mention.text, mention.type, links, confidence=mention.confidence)
        )
    for entity in annotated.entities:
        found[entity.document] += [
            make_entity(link, entity.type, confidence=entity.confidence) for link in entity.list_links()
        ]
    databases = _list_databases_most_frequent_first(found)
    for relation in annotated.relations:
        found[relation.document].append(_make_relation(relation, databases))
    return found


def _list_databases_most_frequent_first(found: AnnotationsByArticle) -> tuple[str, ...]:
    links = (link for annotations in found.values() for annotation in annotations for link in annotation.identifiers)
    counts = Counter(link.database for link in links if link.database)
    return tuple(database for database, _ in counts.most_common())


def _make_relation(relation: TextRelation, databases: tuple[str, ...]) -> AnnotationData:
    """The relation. A bare identifier that no mention of the document has is one of a database of the file."""
    arguments = [
        RelationArgument(
            argument.role,
            argument.list_links()
            if argument.exact or argument.type
            else parse_identifier_field(argument.given, "", databases),
            argument.spans,
            argument.type,
            argument.text,
        )
        for argument in relation.arguments
    ]
    return make_relation(
        relation.type,
        arguments,
        directed=relation.directed,
        qualifiers=dict(relation.qualifiers),
        confidence=relation.confidence,
        rank=relation.rank,
    )


def build_item_tables(form: ItemForm, file: OpenFile, settings: TaskSettings, gold: OpenFile | None) -> ItemTables:
    """The items of a file that count, with those of each type of the gold standard, if there is one."""
    gold_annotations = gold.annotations_by_document if gold else {}
    selected = select_each_type(form, gold_annotations, settings)

    def build(chosen: TaskSettings) -> ResultTable:
        items = group_items_by_article(form, file.annotations_by_document, chosen, gold_annotations)
        return _build_item_table(items, is_ranked=form in ("concept", "relation"))

    return ItemTables(build(settings), {name: build(chosen) for name, chosen in selected.items()})


def _build_item_table(items_by_document: Mapping[str, ItemConfidences], *, is_ranked: bool) -> ResultTable:
    rows = [
        (number, item, rank, confidence)
        for number, items in enumerate(items_by_document.values())
        for rank, (item, confidence) in enumerate(items.items(), 1)
    ]
    codes = {item: code for code, item in enumerate(dict.fromkeys(row[1] for row in rows))}
    confidences = [row[3] for row in rows]
    return ResultTable(
        NameColumn(list(items_by_document), np.array([row[0] for row in rows], dtype=np.int64)),
        NameColumn(list(codes), np.array([codes[row[1]] for row in rows], dtype=np.int64)),
        rank=np.array([row[2] for row in rows], dtype=np.int64) if is_ranked else None,
        confidence=np.array(confidences) if is_ranked and confidences and None not in confidences else None,
    )


def note_gold_without_items(gold: OpenFile, tables: ItemTables, inputs: InputFiles) -> None:
    """Collect an error in inputs when nothing in the gold standard counts."""
    if not len(tables.table):
        message = (
            f"nothing in the file counts ({describe_open_file(gold)}) - choose other types, or another task or file"
        )
        inputs.faults.append(FormatError(gold.path, 0, 0, "R610", message))


def describe_open_file(file: OpenFile) -> str:
    """The format, and the numbers of mentions and relations by type, as a note."""
    annotations = [each for in_document in file.annotations_by_document.values() for each in in_document]
    mentions = Counter(each.type or "no type" for each in annotations if each.shape is Shape.MENTION)
    relations = Counter(each.relation_type for each in annotations if each.shape is Shape.RELATION)
    links = sum(len(each.identifiers) for each in annotations)
    parts = [
        f"mentions: {_format_counts(mentions)}",
        f"links: {links:,}",
        *([f"relations: {_format_counts(relations)}"] if relations else []),
    ]
    return f"{file.format_name}; {'; '.join(parts)}"


def _format_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.most_common()) or "none"
