"""What a server's confidences are worth, by what training taught: plots with their figures for the server's page."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from annotations.kinds import LABELS, Kind
from bcms.lib.svg.axes import Axis
from bcms.lib.svg.line_charts import line_chart
from bcms.lib.svg.lines import Series
from bcms.visibility import User, calibrations_seen_by
from evaluation.models import Calibration
from servers.models import Server


@dataclass(frozen=True, slots=True)
class Tenth:
    """Results whose confidence is over low and up to high: how many, their mean confidence, the share that is right;
    mean and right are None where there are none."""

    low: float
    high: float
    number: int
    mean: float | None
    right: float | None


@dataclass(frozen=True, slots=True)
class Calibrated:
    """One calibration: svg is empty where no answer has a confidence; raw and by the curve, in tenths."""

    id: str
    title: str
    calibration: Calibration
    svg: SafeString
    raw: Sequence[Tenth]
    fitted: Sequence[Tenth]

    @property
    def rows(self) -> list[tuple[Tenth, Tenth | None]]:
        fitted: Sequence[Tenth | None] = self.fitted or [None] * len(self.raw)
        return list(zip(self.raw, fitted, strict=True))

    @property
    def cut_words(self) -> str:
        """Where its lists are best cut, in words; empty when that is not known."""
        own = self.calibration
        if own.cut_value is None:
            return ""
        if own.cut_by == Calibration.CutBy.RANK:
            return f"after rank {own.cut_value:.0f}"
        return f"at the first confidence under {own.cut_value:.2f}" if own.cut_value else "nowhere: the whole list"


def calibrations_of(server: Server, user: User) -> list[Calibrated]:
    """What the user may see of it, the latest phase first: 1 query."""
    rows = calibrations_seen_by(user).filter(run__producer__queue__server=server)
    rows = rows.select_related("run__task", "run__phase__challenge").order_by("-run__phase", "run__task")
    return [shown(calibration) for calibration in rows]


def shown(calibration: Calibration) -> Calibrated:
    raw, fitted = tenths_of(calibration.tenths), tenths_of(calibration.tenths_fitted)
    run = calibration.run
    title = f"{LABELS[Kind(run.task.kind)]}: {run.task} of {run.phase}"
    return Calibrated(f"calibration-{calibration.pk}", title, calibration, plot(calibration, raw, fitted), raw, fitted)


def tenths_of(rows: Sequence[Sequence[float]]) -> list[Tenth]:
    return [
        Tenth(place / 10, (place + 1) / 10, int(number), mean if number else None, right if number else None)
        for place, (number, mean, right) in enumerate(rows)
    ]


def plot(calibration: Calibration, raw: Sequence[Tenth], fitted: Sequence[Tenth]) -> SafeString:
    if not calibration.number:
        return SafeString("")
    series = [Series("as given", points(raw))]
    if fitted:
        series.append(Series("calibrated", points(fitted)))
    series.append(Series("right as often as it says", [(0.0, 0.0), (1.0, 1.0)]))
    drawing = line_chart(
        series,
        name=f"calibration-{calibration.pk}-plot",
        title="Share of answers that are right over their mean confidence",
        description="In tenths of the confidence; the table beside the plot has the figures.",
        x=Axis("Mean confidence"),
        y=Axis("Share that is right"),
    )
    # The chart escapes every text that it is given.
    return mark_safe(drawing)


def points(tenths: Sequence[Tenth]) -> list[tuple[float, float]]:
    return [(each.mean, each.right) for each in tenths if each.mean is not None and each.right is not None]
