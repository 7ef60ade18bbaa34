"""The content of a file of tab-separated results: articles, their results, ranks and confidences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.formats.tsv.column_reader import ColumnReader
from annotations.formats.tsv.columns import (
    NO_CLASS,
    Booleans,
    ClassColumnBuilder,
    ColumnBuilder,
    ConfidenceColumnBuilder,
    Floats,
    Integers,
    NameColumn,
    NameColumnBuilder,
    RankColumnBuilder,
    RankOrConfidenceColumnBuilder,
    build_sorted_pair_column_of_shared_names,
    combine_name_columns_as_tuples,
)
from annotations.formats.tsv.names import NameNumbers
from annotations.formats.tsv.ranks import RankGroups, are_ranks_positive_and_unique

ARTICLE_AND_IDENTIFIER = ("article", "identifier")
# The columns of a gold standard, which are the first columns of a run, for each task.
TASK_COLUMNS = {
    "act": ("article", "class"),
    "int": ARTICLE_AND_IDENTIFIER,
    "gn": ARTICLE_AND_IDENTIFIER,
    "imt": ARTICLE_AND_IDENTIFIER,
    "tx": ARTICLE_AND_IDENTIFIER,
    "ipt": ("article", "interactor A", "interactor B"),
    "iss": ("article", "interactor A", "interactor B", "passage"),
    "labels": ("article", "label"),
}
RANK_COLUMN, CONFIDENCE_COLUMN, RANK_OR_CONFIDENCE_COLUMN = "rank", "confidence", "rank or confidence"
JUDGEMENT_COLUMNS = ("relevant", "best")
VALUE_COLUMN_BUILDERS: Mapping[str, Callable[[], ColumnBuilder]] = {
    **dict.fromkeys(("class", *JUDGEMENT_COLUMNS), ClassColumnBuilder),
    RANK_COLUMN: RankColumnBuilder,
    CONFIDENCE_COLUMN: ConfidenceColumnBuilder,
    RANK_OR_CONFIDENCE_COLUMN: RankOrConfidenceColumnBuilder,
}


def make_column_builders(task: str, extra_columns: Sequence[str]) -> dict[str, ColumnBuilder]:
    """{name: builder} for the columns of a file in their order: those of the task, then the extra columns."""
    identifiers = NameNumbers()
    columns: dict[str, ColumnBuilder] = {"article": NameColumnBuilder(NameNumbers())}
    for name in (*TASK_COLUMNS[task][1:], *extra_columns):
        columns[name] = (
            VALUE_COLUMN_BUILDERS[name]() if name in VALUE_COLUMN_BUILDERS else NameColumnBuilder(identifiers)
        )
    return columns


@dataclass(frozen=True, slots=True)
class TsvContent:
    """The columns of a file.

    names: the columns of names without the article; item: the result of each row, None for ACT; list_numbers: int
    [rows], equal for rows whose ranks belong to one list: the article, in ISS article and pair, in ACT the class;
    list_name: what such a list is called in messages.
    """

    columns: Mapping[str, ColumnBuilder]
    article: NameColumn
    names: Mapping[str, NameColumn]
    classes: Mapping[str, Integers]
    item: NameColumn | None
    list_numbers: Integers
    list_name: str

    def field_index(self, name: str) -> int:
        """The position of a column in the line, from 0."""
        return list(self.columns).index(name)


def build_tsv_content(filled_builder_by_column: Mapping[str, ColumnBuilder]) -> TsvContent:
    """The content of filled column builders."""
    name_columns = {
        name: column.column()
        for name, column in filled_builder_by_column.items()
        if isinstance(column, NameColumnBuilder)
    }
    classes = {
        name: column.column()
        for name, column in filled_builder_by_column.items()
        if isinstance(column, ClassColumnBuilder)
    }
    article = name_columns.pop("article")
    item_columns = list(name_columns.values())
    if not item_columns:
        return TsvContent(
            filled_builder_by_column, article, name_columns, classes, None, np.maximum(classes["class"], 0), "class"
        )
    if len(item_columns) == 1:
        return TsvContent(
            filled_builder_by_column, article, name_columns, classes, item_columns[0], article.codes, "article"
        )
    pair = build_sorted_pair_column_of_shared_names(item_columns[0], item_columns[1])
    if len(item_columns) == 2:
        return TsvContent(filled_builder_by_column, article, name_columns, classes, pair, article.codes, "article")
    return TsvContent(
        filled_builder_by_column,
        article,
        name_columns,
        classes,
        combine_name_columns_as_tuples(pair, item_columns[2]),
        compute_joint_row_codes(article, pair),
        "pair",
    )


def compute_joint_row_codes(first: NameColumn, second: NameColumn) -> Integers:
    """int [rows]: codes that are equal where both columns are equal."""
    return first.codes * np.int64(max(len(second.names), 1)) + second.codes


def note_name_class_and_repeat_faults(content: TsvContent, reader: ColumnReader, must_not_repeat: Booleans) -> None:
    """Note invalid names and classes, and repeated results; must_not_repeat: bool [rows], which rows must not
    repeat.
    """
    for name, column in {"article": content.article, **content.names}.items():
        reader.note_name_faults(column, content.field_index(name), name)
    for name, classes in content.classes.items():
        reader.note_class_faults(classes, content.field_index(name))
    rows = np.flatnonzero(must_not_repeat)
    if content.item is None:
        message = "article {} already has a class in line {line} - keep one of the two"
        reader.note_repeats("R608", content.article.codes[rows], rows, 0, message)
        return
    order = ", partners in any order" if len(content.names) > 1 else ""
    message = f"this result of the article is already in line {{line}}{order} - keep one of the two"
    reader.note_repeats("R608", compute_joint_row_codes(content.article, content.item)[rows], rows, 1, message)


def group_rows_by_ranked_list(content: TsvContent, is_rank_checked: Booleans) -> RankGroups:
    """The rows grouped by list; in ACT, rows without a class are not checked."""
    if "class" in content.classes:
        is_rank_checked = is_rank_checked & (content.classes["class"] != NO_CLASS)
    return RankGroups(content.list_numbers, content.list_name, is_rank_checked)


def interpret_rank_and_confidence_columns(
    content: TsvContent, groups: RankGroups, *, preferred_if_ambiguous: str
) -> tuple[Integers | None, Floats | None]:
    """The ranks and confidences in the file, None where it has none.

    preferred_if_ambiguous: the meaning of a single column that could be both: RANK_COLUMN or CONFIDENCE_COLUMN.
    """
    rank, confidence, either = (
        content.columns.get(name) for name in (RANK_COLUMN, CONFIDENCE_COLUMN, RANK_OR_CONFIDENCE_COLUMN)
    )
    if not isinstance(either, RankOrConfidenceColumnBuilder):
        return (
            rank.column() if isinstance(rank, RankColumnBuilder) else None,
            confidence.column() if isinstance(confidence, ConfidenceColumnBuilder) else None,
        )
    confidences = either.confidences.column()
    is_confidence = preferred_if_ambiguous == CONFIDENCE_COLUMN and not np.isnan(confidences).any()
    if (
        not is_confidence
        and either.ranks.all_valid
        and are_ranks_positive_and_unique(groups, ranks := either.ranks.column())
    ):
        return ranks, None
    return None, confidences
