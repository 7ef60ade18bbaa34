"""The precision-recall curve of one run."""

from django.utils.safestring import SafeString, mark_safe

from annotations.schema import Kind
from bcms.lib.svg.axes import Axis
from bcms.lib.svg.line_charts import render_line_chart
from bcms.lib.svg.series_lines import LineSeries
from evaluation.runs.models import Run
from evaluation.scoring.models import Score


def render_precision_recall_curve_of_run(run: Run, score: Score | None) -> SafeString | None:
    """Draw the precision-recall curve of a run as SVG; None without a curve."""
    if score is None or not score.curve:
        return None
    points = [(recall, precision) for recall, precision in score.curve]
    whole = run.task.kind == Kind.CLASSIFICATION
    drawing = render_line_chart(
        [LineSeries(run.name, [(0.0, 1.0), *points] if whole else points)],
        id_prefix=f"pr-run-{run.pk}",
        title="Precision and recall along the ranked list of articles"
        if whole
        else "Precision and recall at each rank (micro)",
        description="The line goes from the most certain results to all results.",
        x_axis=Axis("Recall"),
        y_axis=Axis("Precision"),
    )
    # render_line_chart escapes every text.
    return mark_safe(drawing)
