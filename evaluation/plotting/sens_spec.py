"""Sensitivity against specificity of classifications."""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Frame, share_axis
from bcms.lib.svg.points import Named, points
from bcms.lib.svg.sheet import Panel
from bcms.lib.svg.tables import Row, Table
from evaluation.plotting.drawn import between, drawing, guide, index_of, label_box, note_on_others, shown

CHANCE = "chance"


@dataclass(frozen=True, slots=True)
class CalledRun:
    """The figures of a run's calls; mcc in [-1, 1], the others in [0, 1]."""

    name: str
    sensitivity: float
    specificity: float
    accuracy: float
    mcc: float


def sens_spec_panel(runs: Sequence[CalledRun]) -> Panel:
    """The runs in the plane, best first; where both are high they are good."""
    frame = Frame(
        share_axis("Specificity", [own.specificity for own in runs]),
        share_axis("Sensitivity", [own.sensitivity for own in runs]),
    )
    chance = [(own, 1 - own) for own in between(frame.x.low, frame.x.high)]
    taken = [box] if (box := label_box(chance, frame, CHANCE)) else []
    named = [Named(own.name, (own.specificity, own.sensitivity), index_of(place)) for place, own in enumerate(runs)]
    rows = [
        Row(
            [own.name, *(shown(v, 4) for v in (own.sensitivity, own.specificity, own.accuracy, own.mcc))],
            index_of(place),
        )
        for place, own in enumerate(runs)
    ]
    return Panel(
        "Sensitivity against specificity",
        f"Calls at chance lie on a line from corner to corner of the whole plane.{note_on_others(len(runs))}",
        drawing(frame, guide(chance, frame, CHANCE), *points(named, frame, taken)),
        Table(["run", "sensitivity", "specificity", "accuracy", "MCC"], rows),
    )
