"""What a phase asks of the passages of an uploaded run (R717 to R720): that they are the article's, short, and few."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from annotations.formats.errors import RefusedFileError
from annotations.formats.placed_faults import PlacedFaults
from annotations.formats.tsv_faults import quoted
from annotations.passages import MOST_SENTENCES, PASSAGES_PER_PAIR, is_copied, too_long
from bcms.lib.text import one_spaced
from evaluation.run_files import RunFile


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the file: what it calls the article, and the article; the pair, sorted."""

    line: int
    name: str
    article: int
    pair: tuple[str, str]
    passage: str

    @property
    def column(self) -> int:
        """Where the passage stands in the line."""
        return len(self.name) + sum(map(len, self.pair)) + 4


def check_passages(run: RunFile, known: Mapping[str, int], texts: Mapping[int, str]) -> None:
    """RefusedFileError with all faults of the passages of known articles; texts: {article: its text}."""
    faults, rows = PlacedFaults(run.source), list(rows_of(run, known))
    check_copied(rows, cache(lambda article: one_spaced(texts[article])), faults)
    check_numbers(rows, faults)
    check_once(rows, faults)
    if faults:
        raise RefusedFileError(faults.told())


def rows_of(run: RunFile, known: Mapping[str, int]) -> Iterator[Row]:
    if run.table.item is None:
        return
    names, items = run.table.article.names, run.table.item.names
    codes = zip(run.table.article.codes.tolist(), run.table.item.codes.tolist(), strict=True)
    for row, (article, item) in enumerate(codes):
        if (name := names[article]) in known:
            first, second, passage = items[item]
            yield Row(run.line(row), name, known[name], (first, second), passage)


def check_copied(rows: list[Row], text_of: Callable[[int], str], faults: PlacedFaults) -> None:
    """R717 and R718: each passage is the article's, and short."""
    for row in rows:
        if not is_copied(row.passage, text_of(row.article)):
            said = f"the article has no passage {quoted(row.passage)} - copy it; white space alone may differ"
            faults.add("R717", row.line, row.column, said)
        if too_long(row.passage):
            said = f"the passage has more than {MOST_SENTENCES} sentences - leave out those that say least"
            faults.add("R718", row.line, row.column, said)


def check_numbers(rows: list[Row], faults: PlacedFaults) -> None:
    """R719: no pair has more passages in an article than are taken."""
    numbers: Counter[tuple[int, tuple[str, str]]] = Counter()
    for row in rows:
        numbers[row.article, row.pair] += 1
        if numbers[row.article, row.pair] == PASSAGES_PER_PAIR + 1:
            said = f"the pair has more than {PASSAGES_PER_PAIR} passages in this article - leave out the least sure"
            faults.add("R719", row.line, len(row.name) + 2, said)


def check_once(rows: list[Row], faults: PlacedFaults) -> None:
    """R720: no passage of a pair is given twice with other white space."""
    lines: dict[tuple[int, tuple[str, str], str], int] = {}
    for row in rows:
        first = lines.setdefault((row.article, row.pair, one_spaced(row.passage)), row.line)
        if first != row.line:
            said = f"line {first} has the same passage but for white space - keep one of the two"
            faults.add("R720", row.line, row.column, said)
