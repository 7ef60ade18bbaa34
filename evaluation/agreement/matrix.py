"""The agreement of every two producers as a matrix, each cell shaded by its figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotations.results.heat_map import HEAT_LEVELS
from evaluation.analyses.significance.agreement_intervals import IntervalsByFigure
from evaluation.measures.agreement import PairwiseAgreement

NO_FIGURE = "-"
Pairs = Mapping[tuple[int, int], PairwiseAgreement]
IntervalsOfPairs = Mapping[tuple[int, int], IntervalsByFigure]


@dataclass(frozen=True, slots=True)
class AgreementCell:
    """The figure with three digits, "-" without one, and how strongly it is shaded, from 1 to HEAT_LEVELS; words: what
    it is, with more digits. level 0: a producer and itself, without a figure. interval: with three digits, ""
    without one.
    """

    figure: str
    level: int
    words: str
    interval: str = ""


@dataclass(frozen=True, slots=True)
class AgreementMatrixRow:
    """number: from 1, as in the heading of the column of the same producer."""

    number: int
    name: str
    cells: Sequence[AgreementCell]


def build_agreement_matrix(
    names: Sequence[str], pairs: Pairs, intervals: IntervalsOfPairs, *, by_kappa: bool
) -> list[AgreementMatrixRow]:
    """A symmetric matrix in the order of the names. pairs, intervals: by the indices of two producers, the lower one
    first.

    by_kappa: whether the figures are Cohen's kappa instead of F1.
    """
    return [
        AgreementMatrixRow(
            row + 1,
            name,
            [_build_cell(names, pairs, intervals, (row, column), by_kappa=by_kappa) for column in range(len(names))],
        )
        for row, name in enumerate(names)
    ]


def _build_cell(
    names: Sequence[str], pairs: Pairs, intervals: IntervalsOfPairs, place: tuple[int, int], *, by_kappa: bool
) -> AgreementCell:
    first, second = min(place), max(place)
    if first == second:
        return AgreementCell("", 0, names[first])
    pair, figure = pairs[first, second], "kappa" if by_kappa else "f1"
    value, measure = (pair.kappa, "Cohen's kappa") if by_kappa else (pair.f1, "F1")
    who = f"{names[first]} and {names[second]}"
    if value is None:
        return AgreementCell(NO_FIGURE, 1, f"{who}\nNo {measure}")
    # A kappa below 0, worse than chance, is shaded as 0.
    level = min(int(max(value, 0.0) * HEAT_LEVELS) + 1, HEAT_LEVELS)
    words = f"{who}\n{measure}: {value:.5f}"
    interval = intervals.get((first, second), {}).get(figure)
    if interval is None:
        return AgreementCell(f"{value:.3f}", level, words)
    words += f"\n95 % confidence interval: {interval.low:.5f} to {interval.high:.5f}"
    # The lower bound has a line of its own.
    return AgreementCell(f"{value:.3f}", level, words, f"{interval.low:.3f}\N{NO-BREAK SPACE}to {interval.high:.3f}")
