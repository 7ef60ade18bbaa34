"""Score against time: what an answer costs and what it is worth."""

from collections.abc import Sequence

from bcms.lib.svg.axes import Axis, Frame, share_axis
from bcms.lib.svg.points import Named, points
from bcms.lib.svg.sheet import Panel
from bcms.lib.svg.tables import Row, Table
from evaluation.analyses.timing import TimeAndScore
from evaluation.plotting.drawn import MOST_DRAWN, drawing, guide, shown


def time_panel(figure: str, rows: Sequence[TimeAndScore]) -> Panel:
    """The runs that have times, fastest first; those with the highest scores have names."""
    means = [own.mean for own in rows]
    x = Axis("Mean seconds per article", min(means) / 2, max(means) * 2, logarithmic=True)
    frame = Frame(x, share_axis(figure, [own.score for own in rows]))
    best = sorted(rows, key=lambda own: (-own.score, own.producer))
    looks = {own.producer: place for place, own in enumerate(best[:MOST_DRAWN])}
    named = [Named(own.producer, (own.mean, own.score), looks.get(own.producer)) for own in best]
    return Panel(
        f"{figure} against time",
        "No run beneath the dotted line is both faster and better than those on it, which the table marks with a star.",
        drawing(frame, guide(front(rows, x.high), frame), *points(named, frame)),
        Table(
            ["run", figure, "mean s", "median s", "slowest s", ""],
            [Row([*cells(own), "*" if own.best else ""], looks.get(own.producer)) for own in best],
        ),
    )


def cells(own: TimeAndScore) -> list[str]:
    return [own.producer, shown(own.score, 4), *(f"{value:.4g}" for value in (own.mean, own.median, own.slowest))]


def front(rows: Sequence[TimeAndScore], last: float) -> list[tuple[float, float]]:
    """The steps through the runs than which none is both faster and better."""
    best = [own for own in rows if own.best]
    ends = [*(own.mean for own in best[1:]), last]
    return [point for own, end in zip(best, ends, strict=True) for point in ((own.mean, own.score), (end, own.score))]
