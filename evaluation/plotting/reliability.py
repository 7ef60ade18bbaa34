"""Whether confidences mean what they say: the share of right results among those that are equally sure.

Source: reliability diagrams and the expected calibration error as in Guo et al. (2017), with ten equal bins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bcms.lib.svg.axes import Axis, Frame, grid
from bcms.lib.svg.lines import Series, line
from bcms.lib.svg.sheet import WIDE, Drawing, Panel
from bcms.lib.svg.tables import Row, Table
from evaluation.measures.columns import Booleans, Floats, Integers
from evaluation.measures.ranking import divide
from evaluation.plotting.drawn import BENEATH, MOST_DRAWN, NOTHING, guide, index_of, shown

EDGES = np.arange(11) / 10
MIDDLES = [(low + high) / 2 for low, high in zip(EDGES[:-1].tolist(), EDGES[1:].tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class Reliability:
    """Of one run's results in each tenth of the confidences: how many, their mean confidence, the share that is right.

    Arrays [10]; mean and right are 0 where there is no result.
    """

    name: str
    number: Integers
    mean: Floats
    right: Floats

    @property
    def error(self) -> float:
        """The expected calibration error: the mean over results of how far confidence and share lie apart."""
        return float(np.sum(self.number * np.abs(self.mean - self.right)) / max(int(self.number.sum()), 1))


def reliability_of(name: str, confidence: Floats, right: Booleans) -> Reliability:
    """confidence: float [results] in (0, 1]; right: bool [results]. A bin has its upper end but not its lower one."""
    bins = np.maximum(np.searchsorted(EDGES, confidence) - 1, 0)
    number = np.bincount(bins, minlength=10)
    sums = (np.bincount(bins, weights, minlength=10) for weights in (confidence, right.astype(np.float64)))
    mean, share = (divide(total, number) for total in sums)
    return Reliability(name, number, mean, share)


def reliability_panel(runs: Sequence[Reliability]) -> Panel:
    """The share of right results over the mean confidence, and beside it how many results there are; best first."""
    left = Frame(Axis("Mean confidence"), Axis("Share that is right"))
    right = Frame(Axis("Confidence"), Axis("Share of the results"), left=WIDE - 454)
    parts = [*grid(left), *grid(right), guide([(0.0, 0.0), (1.0, 1.0)], left)]
    for place, own in enumerate(runs[:MOST_DRAWN]):
        parts.append(line(Series(own.name, points(own), f"ECE {own.error:.4f}"), place, left))
        parts.append(line(Series(own.name, spread(own)), place, right))
    return Panel(
        "Reliability of confidences",
        "Results in tenths by their confidence. On the dotted line a confidence says how often it is right; under it "
        "confidences are too high. ECE: how far confidence and share are apart, a mean over results.",
        Drawing("".join(parts), left.bottom + BENEATH, WIDE),
        Table(
            ["run", "ECE", "", *(f"to {high:.1f}" for high in EDGES[1:].tolist())],
            [row for place, own in enumerate(runs) for row in rows_of(own, place)],
        ),
    )


def points(own: Reliability) -> list[tuple[float, float]]:
    """(mean confidence, share right) of the tenths that have results."""
    return [(float(own.mean[place]), float(own.right[place])) for place in np.flatnonzero(own.number).tolist()]


def spread(own: Reliability) -> list[tuple[float, float]]:
    """(middle of the tenth, share of the run's results)."""
    shares = own.number / max(int(own.number.sum()), 1)
    return list(zip(MIDDLES, shares.tolist(), strict=True))


def rows_of(own: Reliability, place: int) -> list[Row]:
    """Three rows: mean confidences, shares that are right, numbers of results."""
    told = own.number > 0
    means, shares = (
        [shown(float(v)) if t else NOTHING for v, t in zip(o, told, strict=True)] for o in (own.mean, own.right)
    )
    return [
        Row([own.name, shown(own.error, 4), "confidence", *means], index_of(place)),
        Row(["", "", "right", *shares]),
        Row(["", "", "results", *(f"{number:,}" for number in own.number.tolist())]),
    ]
