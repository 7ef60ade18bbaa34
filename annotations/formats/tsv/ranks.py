"""Checks the ranks and confidences of a run: valid values, unique ranks, no gaps, consistent order."""

from dataclasses import dataclass
from itertools import repeat

import numpy as np

from annotations.formats.tsv.column_reader import ColumnReader
from annotations.formats.tsv.columns import Booleans, Floats, Integers


@dataclass(frozen=True, slots=True)
class RankGroups:
    """The rows of a run, grouped by the lists to which their ranks belong.

    group: int [rows] from 0, the article, in ISS article and pair, in ACT the class; group_name: what a group is called
    in messages; checked: bool [rows], False where a rank may be repeated.
    """

    group: Integers
    group_name: str
    checked: Booleans


def _combine_group_and_rank(groups: RankGroups, rank: Integers, rows: Integers) -> Integers:
    """int [rows]: codes that are equal where group and rank are equal."""
    group, ranks = groups.group[rows], rank[rows]
    if int(group.max(initial=0)) + 1 >= 2**62 // (int(ranks.max(initial=0)) + 1):
        ranks = np.unique(ranks, return_inverse=True)[1]
    combined: Integers = group * (ranks.max(initial=0) + 1) + ranks
    return combined


def _find_rows_to_check(groups: RankGroups, rank: Integers) -> Integers:
    return np.flatnonzero(groups.checked & (rank > 0))


def are_ranks_positive_and_unique(groups: RankGroups, rank_by_row: Integers) -> bool:
    """Whether all ranks are whole numbers from 1 and unique within their group."""
    ordered = np.sort(_combine_group_and_rank(groups, rank_by_row, _find_rows_to_check(groups, rank_by_row)))
    return bool(rank_by_row.all()) and not (ordered[1:] == ordered[:-1]).any()


def note_and_list_faulty_rank_rows(
    reader: ColumnReader, groups: RankGroups, rank_by_row: Integers, field_index: int, *, must_be_unique: bool
) -> Integers:
    """Note invalid ranks (R606) and, if must_be_unique, repeated ranks (R609); return the faulty rows."""
    reader.note_rows("R606", rank_by_row == 0, field_index, "{} is not a rank - write a whole number from 1")
    if not must_be_unique:
        return np.flatnonzero(rank_by_row == 0)
    rows = _find_rows_to_check(groups, rank_by_row)
    group_name = groups.group_name
    fix = f"give each result of the {group_name} its own rank"
    message = f"rank {{}} of this {group_name} is already in line {{line}} - {fix}"
    repeats = reader.note_repeats(
        "R609", _combine_group_and_rank(groups, rank_by_row, rows), rows, field_index, message
    )
    return np.concatenate([np.flatnonzero(rank_by_row == 0), repeats])


def note_rank_gaps_of_faultless_groups(
    reader: ColumnReader, groups: RankGroups, rank_by_row: Integers, field_index: int, faulty_rows: Integers
) -> None:
    """Note every rank that follows a gap (R612), except in groups with a faulty row."""
    rows = _sort_rows_by_group_and_rank(groups, rank_by_row)
    group = groups.group[rows]
    rank_before = np.zeros(len(rows), dtype=np.int64)
    rank_before[1:] = np.where(np.diff(group) == 0, rank_by_row[rows][:-1], 0)
    is_gap = np.zeros(len(rank_by_row), dtype=np.bool_)
    is_gap[rows[(rank_by_row[rows] != rank_before + 1) & ~np.isin(group, groups.group[faulty_rows])]] = True
    fix = f"number the results of each {groups.group_name} 1, 2, 3 and so on"
    reader.note_rows("R612", is_gap, field_index, f"there is a gap below rank {{}} - {fix}")


def warn_rising_confidences(
    reader: ColumnReader, groups: RankGroups, rank_by_row: Integers, confidence_by_row: Floats, field_index: int
) -> None:
    """Warn of each result with a higher confidence than the result ranked before it (R613)."""
    rows = _sort_rows_by_group_and_rank(groups, rank_by_row)
    same_group = np.diff(groups.group[rows]) == 0
    rising = rows[1:][same_group & (np.diff(confidence_by_row[rows]) > 0)]
    message = "confidence {} is higher than that of the rank before - correct one of the two if this is not intended"
    reader.warnings.add_lines("R613", reader.line_numbers(np.sort(rising)), field_index, repeat(message))


def _sort_rows_by_group_and_rank(groups: RankGroups, rank: Integers) -> Integers:
    rows = _find_rows_to_check(groups, rank)
    return rows[np.lexsort((rank[rows], groups.group[rows]))]


def note_confidence_faults(
    reader: ColumnReader, confidence_by_row: Floats, field_index: int, *, suggest_ranks: bool
) -> None:
    """Note invalid confidences (R607); suggest_ranks: whether all values would be ranks, if they were not repeated."""
    alternative = ", or give each result of an article its own rank if these are ranks" if suggest_ranks else ""
    fix = f"write a number above 0 and at most 1{alternative}"
    reader.note_rows("R607", np.isnan(confidence_by_row), field_index, f"{{}} is not a confidence - {fix}")
