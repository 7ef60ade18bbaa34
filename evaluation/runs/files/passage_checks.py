"""The rules for passages of an uploaded run (R717 to R720, R723): copied, short, few, distinct, with small ranks."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from annotations.articles.evidence_passages import (
    MOST_SENTENCES,
    PASSAGES_PER_PAIR,
    has_too_many_sentences,
    is_copied_passage,
)
from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.errors import RefusedFileError, quote_file_text
from bcms.lib.text import collapse_white_space
from evaluation.runs.files.run_reader import RunFile


@dataclass(frozen=True, slots=True)
class PassageLine:
    """One line of the file. name: of the article in the file; article: its key; pair: its two identifiers, sorted."""

    line: int
    name: str
    article: int
    pair: tuple[str, str]
    passage: str
    rank: int | None = None

    @property
    def column(self) -> int:
        """The column in which the passage begins; 0 if the line is unknown."""
        return len(self.name) + sum(map(len, self.pair)) + 4 if self.line else 0

    @property
    def rank_column(self) -> int:
        """The column of the rank; 0 if the line is unknown."""
        return self.column + len(self.passage) + 1 if self.line else 0


def check_passages_ranked_short_few_distinct_copied(
    run: RunFile, article_by_name: Mapping[str, int], text_by_article: Mapping[int, str] | None
) -> None:
    """Raise RefusedFileError with all faults of the passages of the phase's articles.

    article_by_name: {name in the file: key of the article}; text_by_article: {key of the article: its text}, None if
    the texts are not known, so that R717 is not checked.
    """
    faults, rows = PositionedFaults(run.source), list(_iter_passage_lines(run, article_by_name))
    if text_by_article is not None:
        _check_passages_verbatim(rows, cache(lambda article: collapse_white_space(text_by_article[article])), faults)
    _check_passages_short(rows, faults)
    _check_passage_ranks(rows, faults)
    _check_pair_passage_limit(rows, faults)
    _check_passages_distinct(rows, faults)
    if faults:
        raise RefusedFileError(faults.list_faults())


def _iter_passage_lines(run: RunFile, article_by_name: Mapping[str, int]) -> Iterator[PassageLine]:
    if run.table.item is None:
        return
    names, items = run.table.article.names, run.table.item.names
    ranks = [None] * len(run.table) if run.table.rank is None else run.table.rank.tolist()
    codes = zip(run.table.article.codes.tolist(), run.table.item.codes.tolist(), ranks, strict=True)
    for row, (article, item, rank) in enumerate(codes):
        if (name := names[article]) in article_by_name:
            first, second, passage = items[item]
            yield PassageLine(run.line(row), name, article_by_name[name], (first, second), passage, rank)


def _check_passages_verbatim(rows: list[PassageLine], get_text: Callable[[int], str], faults: PositionedFaults) -> None:
    """R717: each passage is copied from its article."""
    for row in rows:
        if not is_copied_passage(row.passage, get_text(row.article)):
            message = (
                f"the article has no passage {quote_file_text(row.passage)} - copy it; only white space may differ"
            )
            faults.add("R717", row.line, row.column, message)


def _check_passages_short(rows: list[PassageLine], faults: PositionedFaults) -> None:
    """R718: each passage has few sentences."""
    for row in rows:
        if has_too_many_sentences(row.passage):
            message = f"the passage has more than {MOST_SENTENCES} sentences - leave out the least informative"
            faults.add("R718", row.line, row.column, message)


def _check_passage_ranks(rows: list[PassageLine], faults: PositionedFaults) -> None:
    """R723: ranks are at most PASSAGES_PER_PAIR."""
    for row in rows:
        if row.rank is not None and row.rank > PASSAGES_PER_PAIR:
            message = f"the rank {row.rank} is larger than {PASSAGES_PER_PAIR} - number the passages of a pair from 1"
            faults.add("R723", row.line, row.rank_column, message)


def _check_pair_passage_limit(rows: list[PassageLine], faults: PositionedFaults) -> None:
    """R719: no pair has more than PASSAGES_PER_PAIR passages in an article."""
    counts: Counter[tuple[int, tuple[str, str]]] = Counter()
    for row in rows:
        counts[row.article, row.pair] += 1
        if counts[row.article, row.pair] == PASSAGES_PER_PAIR + 1:
            message = (
                f"the pair has more than {PASSAGES_PER_PAIR} passages in this article - leave out the least certain"
            )
            faults.add("R719", row.line, len(row.name) + 2 if row.line else 0, message)


def _check_passages_distinct(rows: list[PassageLine], faults: PositionedFaults) -> None:
    """R720: no two passages of a pair differ only in white space."""
    first_lines: dict[tuple[int, tuple[str, str], str], int] = {}
    for row in rows:
        first_line = first_lines.setdefault((row.article, row.pair, collapse_white_space(row.passage)), row.line)
        if first_line != row.line:
            message = f"line {first_line} has the same passage, apart from white space - keep one of them"
            faults.add("R720", row.line, row.column, message)
