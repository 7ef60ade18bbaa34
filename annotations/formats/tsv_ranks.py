"""The ranks and confidences of a run: whether they are what they should be, and fit together."""

from dataclasses import dataclass
from itertools import repeat

import numpy as np

from annotations.formats.tsv_columns import Booleans, Floats, Integers
from annotations.formats.tsv_reading import Reading


@dataclass(frozen=True, slots=True)
class Grouped:
    """The rows of a run by what their ranks count in.

    group: int [rows] from 0: the article, in ACT the class; word says which of the two; checked: bool [rows], False
    where a rank may stand twice.
    """

    group: Integers
    word: str
    checked: Booleans


def keys(grouped: Grouped, rank: Integers, rows: Integers) -> Integers:
    """int [rows]: equal where group and rank are."""
    groups, ranks = grouped.group[rows], rank[rows]
    if int(groups.max(initial=0)) + 1 >= 2**62 // (int(ranks.max(initial=0)) + 1):
        ranks = np.unique(ranks, return_inverse=True)[1]
    return groups * (ranks.max(initial=0) + 1) + ranks


def checked_rows(grouped: Grouped, rank: Integers) -> Integers:
    return np.flatnonzero(grouped.checked & (rank > 0))


def are_ranks(grouped: Grouped, rank: Integers) -> bool:
    """Whether all are whole numbers from 1, none twice in its group."""
    ordered = np.sort(keys(grouped, rank, checked_rows(grouped, rank)))
    return bool(rank.all()) and not (ordered[1:] == ordered[:-1]).any()


def check_ranks(reading: Reading, grouped: Grouped, rank: Integers, field: int, *, unique: bool) -> Integers:
    """Note ranks that are none (R606) and, if they must be unique, that stand twice (R609); gives all these rows."""
    reading.note("R606", rank == 0, field, "{} is not a rank - write a whole number from 1")
    if not unique:
        return np.flatnonzero(rank == 0)
    rows = checked_rows(grouped, rank)
    word = grouped.word
    said = f"rank {{}} of this {word} is in line {{line}} already - give each result of the {word} a rank of its own"
    again = reading.note_repeats("R609", keys(grouped, rank, rows), rows, field, said)
    return np.concatenate([np.flatnonzero(rank == 0), again])


def check_gaps(reading: Reading, grouped: Grouped, rank: Integers, field: int, faulty: Integers) -> None:
    """Note every rank behind a gap in its group (R612), but for groups with a faulty rank."""
    rows = by_rank(grouped, rank)
    group = grouped.group[rows]
    before = np.zeros(len(rows), dtype=np.int64)
    before[1:] = np.where(np.diff(group) == 0, rank[rows][:-1], 0)
    where = np.zeros(len(rank), dtype=np.bool_)
    where[rows[(rank[rows] != before + 1) & ~np.isin(group, grouped.group[faulty])]] = True
    mend = f"number the results of each {grouped.word} 1, 2, 3 and so on"
    reading.note("R612", where, field, f"there is a gap below rank {{}} - {mend}")


def warn_of_rises(reading: Reading, grouped: Grouped, rank: Integers, confidence: Floats, field: int) -> None:
    """Warn where a result is surer than the one ranked above it (R613)."""
    rows = by_rank(grouped, rank)
    same = np.diff(grouped.group[rows]) == 0
    rising = rows[1:][same & (np.diff(confidence[rows]) > 0)]
    said = "confidence {} is above that of the rank before - mend one of the two if the rank is not meant so"
    reading.warnings.add_lines("R613", reading.lines(np.sort(rising)), field, repeat(said))


def by_rank(grouped: Grouped, rank: Integers) -> Integers:
    rows = checked_rows(grouped, rank)
    return rows[np.lexsort((rank[rows], grouped.group[rows]))]


def check_confidences(reading: Reading, confidence: Floats, field: int, *, like_ranks: bool) -> None:
    """Note what is no confidence (R607); like_ranks: all values could be ranks but for standing twice in an article."""
    other = ", or give each result of an article a rank of its own if these are ranks" if like_ranks else ""
    mend = f"write a number above 0 and at most 1{other}"
    reading.note("R607", np.isnan(confidence), field, f"{{}} is not a confidence - {mend}")
