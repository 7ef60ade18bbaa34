"""The precision-recall curve of one run."""

from django.utils.safestring import SafeString, mark_safe

from annotations.kinds import Kind
from bcms.lib.svg.axes import Axis
from bcms.lib.svg.line_charts import line_chart
from bcms.lib.svg.lines import Series
from evaluation.models import Run, Score


def plot_of(run: Run, score: Score | None) -> SafeString | None:
    """The curve as SVG, None where there is none to be drawn."""
    if score is None or not score.curve:
        return None
    points = [(recall, precision) for recall, precision in score.curve]
    whole = run.task.kind == Kind.CLASSIFICATION
    drawing = line_chart(
        [Series(run.name, [(0.0, 1.0), *points] if whole else points)],
        name=f"pr-run-{run.pk}",
        title="Precision and recall down the list of articles"
        if whole
        else "Precision and recall at each rank (micro)",
        description="One line from the surest results to all of them.",
        x=Axis("Recall"),
        y=Axis("Precision"),
    )
    # The chart escapes every text that it is given.
    return mark_safe(drawing)
