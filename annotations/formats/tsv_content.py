"""What a file of tab-separated results holds, once it is read: articles, what is said of them, and how sure that is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.formats.tsv_columns import (
    NO_CLASS,
    Booleans,
    Classes,
    Codes,
    Column,
    Confidences,
    Floats,
    Integers,
    Named,
    Ranks,
    RanksOrConfidences,
    sorted_pairs,
    tuples,
)
from annotations.formats.tsv_names import Names
from annotations.formats.tsv_ranks import Grouped, are_ranks
from annotations.formats.tsv_reading import Reading

ARTICLE_AND_IDENTIFIER = ("article", "identifier")
# The columns of a gold standard, and the first ones of a run, of each task.
COLUMNS = {
    "act": ("article", "class"),
    "int": ARTICLE_AND_IDENTIFIER,
    "gn": ARTICLE_AND_IDENTIFIER,
    "imt": ARTICLE_AND_IDENTIFIER,
    "tx": ARTICLE_AND_IDENTIFIER,
    "ipt": ("article", "interactor A", "interactor B"),
    "iss": ("article", "interactor A", "interactor B", "passage"),
}
RANK, CONFIDENCE, EITHER = "rank", "confidence", "rank or confidence"
JUDGED = ("relevant", "best")
OTHER_COLUMNS: Mapping[str, Callable[[], Column]] = {
    **dict.fromkeys(("class", *JUDGED), Classes),
    RANK: Ranks,
    CONFIDENCE: Confidences,
    EITHER: RanksOrConfidences,
}


def empty_columns(task: str, more: Sequence[str]) -> dict[str, Column]:
    """The columns of a file by name, in the order of its lines: those of the task, then more of OTHER_COLUMNS."""
    identifiers = Names()
    columns: dict[str, Column] = {"article": Codes(Names())}
    for name in (*COLUMNS[task][1:], *more):
        columns[name] = OTHER_COLUMNS[name]() if name in OTHER_COLUMNS else Codes(identifiers)
    return columns


@dataclass(frozen=True, slots=True)
class Content:
    """A file that is read. names: the columns of names but the article; list_of: int [rows], equal where ranks count
    together: the article, in ISS article and pair, in ACT the class; one_list is what to call that."""

    columns: Mapping[str, Column]
    article: Named
    names: Mapping[str, Named]
    classes: Mapping[str, Integers]
    item: Named | None
    list_of: Integers
    one_list: str

    def field(self, name: str) -> int:
        """Where a column stands in the line, from 0."""
        return list(self.columns).index(name)


def content(columns: Mapping[str, Column]) -> Content:
    """The columns, filled, as arrays."""
    named = {name: column.column() for name, column in columns.items() if isinstance(column, Codes)}
    classes = {name: column.column() for name, column in columns.items() if isinstance(column, Classes)}
    article = named.pop("article")
    parts = list(named.values())
    if not parts:
        return Content(columns, article, named, classes, None, np.maximum(classes["class"], 0), "class")
    if len(parts) == 1:
        return Content(columns, article, named, classes, parts[0], article.codes, "article")
    pair = sorted_pairs(parts[0], parts[1])
    if len(parts) == 2:
        return Content(columns, article, named, classes, pair, article.codes, "article")
    return Content(columns, article, named, classes, tuples(pair, parts[2]), together(article, pair), "pair")


def together(first: Named, second: Named) -> Integers:
    """int [rows]: equal where both columns are."""
    return first.codes * np.int64(max(len(second.names), 1)) + second.codes


def check_content(own: Content, reading: Reading, checked: Booleans) -> None:
    """Note bad names and classes, and what is said twice where `checked`: bool [rows]."""
    for name, column in {"article": own.article, **own.names}.items():
        reading.check_names(column, own.field(name), name)
    for name, classes in own.classes.items():
        reading.check_classes(classes, own.field(name))
    rows = np.flatnonzero(checked)
    if own.item is None:
        said = "article {} has its class in line {line} already - keep one of the two"
        reading.note_repeats("R608", own.article.codes[rows], rows, 0, said)
        return
    order = ", partners in any order" if len(own.names) > 1 else ""
    said = f"this result of the article is in line {{line}} already{order} - keep one of the two"
    reading.note_repeats("R608", together(own.article, own.item)[rows], rows, 1, said)


def grouped(own: Content, checked: Booleans) -> Grouped:
    """The rows by list; of ACT those without a class are not checked."""
    if "class" in own.classes:
        checked = checked & (own.classes["class"] != NO_CLASS)
    return Grouped(own.list_of, own.one_list, checked)


def settled(own: Content, lists: Grouped, *, unsure: str) -> tuple[Integers | None, Floats | None]:
    """Ranks and confidences as they stand in the file, None for what it has not; one column may be either.

    unsure: which of the two such a column is if it could be both.
    """
    rank, confidence, either = (own.columns.get(name) for name in (RANK, CONFIDENCE, EITHER))
    if not isinstance(either, RanksOrConfidences):
        return (
            rank.column() if isinstance(rank, Ranks) else None,
            confidence.column() if isinstance(confidence, Confidences) else None,
        )
    confidences = either.confidences.column()
    is_sure = unsure == CONFIDENCE and not np.isnan(confidences).any()
    if not is_sure and either.ranks.sound and are_ranks(lists, ranks := either.ranks.column()):
        return ranks, None
    return None, confidences
