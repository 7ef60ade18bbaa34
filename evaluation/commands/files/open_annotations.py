"""Runs and gold standards of mentions, links and relations of any type, as annotations and as tables of items."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import FormatError
from annotations.formats.result_sniffing import sniff_result_format_else_tsv
from annotations.formats.tsv.columns import NameColumn
from annotations.formats.tsv.result_table import ResultTable
from annotations.schema import Kind
from evaluation.commands.files.gold_texts import GoldTexts, MovedRun, move_to_gold_texts
from evaluation.commands.files.inputs import InputFiles, open_regular_input_file
from evaluation.measures.items.article_columns import AnnotationsByArticle, ItemConfidences
from evaluation.measures.items.labels import list_distinct_label_values
from evaluation.measures.items.task_columns import ItemForm, group_items_by_article, select_each_type
from evaluation.measures.task_settings import LabelSet, TaskSettings
from evaluation.runs.files.text_annotations import (
    describe_annotations,
    group_annotations_by_document,
    keep_type,
    list_text_annotations,
)

# What is compared by its positions, and the kind of the annotations that have these.
KINDS_WITH_POSITIONS = {"mention": Kind.MENTION, "link": Kind.MENTION, "relation": Kind.RELATION}


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A valid file. annotations_by_document: also of documents without any. texts: {document: its text}, if they are
    kept; individual_mentions: number of parts of composite mentions, which do not count.
    """

    path: str
    format_name: str
    annotations_by_document: AnnotationsByArticle
    warnings: Sequence[FormatError] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    individual_mentions: int = 0

    def get_texts(self, kind: Kind) -> GoldTexts:
        """The texts that annotations of this kind have positions in."""
        annotations = {
            name: [each for each in found if each.kind is kind] for name, found in self.annotations_by_document.items()
        }
        return GoldTexts(self.texts, annotations)


@dataclass(frozen=True, slots=True)
class ItemTables:
    """A file as a table of items, and the table of each type of the gold standard."""

    table: ResultTable
    table_by_type: Mapping[str, ResultTable] = field(default_factory=dict)


def read_open_file_noting_faults(
    path: str,
    inputs: InputFiles,
    form: ItemForm | None = None,
    gold: OpenFile | None = None,
    name_type: Callable[[str], str] = keep_type,
) -> OpenFile | None:
    """The annotations of one file, None when it is invalid; errors, warnings and notes are collected in inputs.

    form: what is compared with a gold standard, so that texts are kept. gold: the gold standard, to whose texts the
    annotations of that form are moved from slightly different ones. name_type: the type for a spelling in the file.
    """
    with open_regular_input_file(path) as stream:
        result_format = sniff_result_format_else_tsv(stream)
    text_format = ANNOTATED_TEXT_FORMATS.get(result_format)
    if text_format is None:
        formats = "PubTator, BioC, PubAnnotation, brat, NDJSON or Parquet"
        inputs.refuse_text(path, "R695", f"entities and relations cannot be read from {result_format} - use {formats}")
        return None
    keeps_texts = form in KINDS_WITH_POSITIONS
    annotated = inputs.read_input(
        path, lambda stream, source: text_format.read(stream, source, keeps_texts=keeps_texts)
    )
    if annotated is None:
        return None
    found, moving = list_text_annotations(annotated, name_type), MovedRun(())
    if gold and form in KINDS_WITH_POSITIONS:
        kind = KINDS_WITH_POSITIONS[form]
        positioned = [each for each in found if each.annotation.kind is kind]
        moving = move_to_gold_texts(positioned, path, annotated.texts, gold.get_texts(kind))
        found = [*(each for each in found if each.annotation.kind is not kind), *moving.annotations]
    warnings = [*annotated.warnings, *moving.warnings]
    inputs.add_warnings(path, warnings)
    inputs.notes += moving.notes
    annotations = group_annotations_by_document(annotated.documents, found)
    parts = len(annotated.individual_mentions)
    return OpenFile(path, text_format.name, annotations, warnings, annotated.texts, parts)


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
    return describe_annotations(file.format_name, annotations, file.individual_mentions)


def build_label_table_of_file(annotated: AnnotatedTextFile, set_name: str) -> tuple[ResultTable, str]:
    """The labels of documents, also of those without any, and a note; set_name: "" for all sets."""
    annotations = group_annotations_by_document(annotated.documents, list_text_annotations(annotated))
    label_set = LabelSet(set_name) if set_name else None
    values = {name: list_distinct_label_values(each, label_set) for name, each in annotations.items()}
    table = _build_item_table({name: dict.fromkeys(own) for name, own in values.items()}, is_ranked=False)
    return replace(table, warnings=annotated.warnings), f"labels: {len(table):,}"
