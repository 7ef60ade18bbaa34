"""The calibrations of a server for its page: plots with their figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from annotations.schema import KIND_LABELS, Kind
from bcms.lib.svg.axes import Axis
from bcms.lib.svg.line_charts import render_line_chart
from bcms.lib.svg.series_lines import LineSeries
from evaluation.calibration.models import Calibration
from evaluation.visibility import list_visible_calibrations
from servers.registry.models import Server
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class CalibrationTenth:
    """Results with a confidence above low and up to high; mean: their mean confidence; right: their correct share.

    mean and right are None without results.
    """

    low: float
    high: float
    number: int
    mean: float | None
    right: float | None


@dataclass(frozen=True, slots=True)
class CalibrationPanel:
    """One calibration; svg: empty when no answer has a confidence; raw, fitted: tenths before and after calibration."""

    id: str
    title: str
    calibration: Calibration
    svg: SafeString
    raw: Sequence[CalibrationTenth]
    fitted: Sequence[CalibrationTenth]

    @property
    def rows(self) -> list[tuple[CalibrationTenth, CalibrationTenth | None]]:
        fitted: Sequence[CalibrationTenth | None] = self.fitted or [None] * len(self.raw)
        return list(zip(self.raw, fitted, strict=True))

    @property
    def cut_words(self) -> str:
        """The best cut-off of the lists as text, "" when it is not known."""
        calibration = self.calibration
        if calibration.cut_value is None:
            return ""
        if calibration.cut_by == Calibration.CutCriterion.RANK:
            return f"after rank {calibration.cut_value:.0f}"
        return (
            f"at the first confidence below {calibration.cut_value:.2f}"
            if calibration.cut_value
            else "nowhere: the whole list"
        )


def list_visible_calibration_panels(server: Server, user: User) -> list[CalibrationPanel]:
    """The calibrations of a server that the user may see, the latest phase first: 1 query."""
    rows = list_visible_calibrations(user).filter(run__producer__queue__server=server)
    rows = rows.select_related("run__task", "run__phase__challenge").order_by("-run__phase", "run__task")
    return [_build_calibration_panel(calibration) for calibration in rows]


def _build_calibration_panel(calibration: Calibration) -> CalibrationPanel:
    raw, fitted = _build_calibration_tenths(calibration.tenths), _build_calibration_tenths(calibration.tenths_fitted)
    run = calibration.run
    title = f"{KIND_LABELS[Kind(run.task.kind)]}: {run.task} of {run.phase}"
    return CalibrationPanel(
        f"calibration-{calibration.pk}",
        title,
        calibration,
        _render_calibration_plot(calibration, raw, fitted),
        raw,
        fitted,
    )


def _build_calibration_tenths(rows: Sequence[Sequence[float]]) -> list[CalibrationTenth]:
    return [
        CalibrationTenth(index / 10, (index + 1) / 10, int(number), mean if number else None, right if number else None)
        for index, (number, mean, right) in enumerate(rows)
    ]


def _render_calibration_plot(
    calibration: Calibration, raw: Sequence[CalibrationTenth], fitted: Sequence[CalibrationTenth]
) -> SafeString:
    if not calibration.number:
        return SafeString("")
    series = [LineSeries("raw", _list_tenth_points(raw))]
    if fitted:
        series.append(LineSeries("calibrated", _list_tenth_points(fitted)))
    series.append(LineSeries("perfectly calibrated", [(0.0, 0.0), (1.0, 1.0)]))
    drawing = render_line_chart(
        series,
        id_prefix=f"calibration-{calibration.pk}-plot",
        title="Share of correct answers by mean confidence",
        description="In tenths of the confidence. The table next to the plot has the figures.",
        x_axis=Axis("Mean confidence"),
        y_axis=Axis("Share of correct answers"),
    )
    # render_line_chart escapes every text.
    return mark_safe(drawing)


def _list_tenth_points(tenths: Sequence[CalibrationTenth]) -> list[tuple[float, float]]:
    return [(tenth.mean, tenth.right) for tenth in tenths if tenth.mean is not None and tenth.right is not None]
