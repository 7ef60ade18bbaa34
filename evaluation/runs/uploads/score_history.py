"""How the score of a team's uploaded runs has changed from run to run, as a chart."""

from collections.abc import Sequence
from itertools import accumulate

from django.utils.safestring import SafeString, mark_safe

from bcms.lib.svg.axes import Axis, build_tight_axis_for_shares
from bcms.lib.svg.line_charts import render_line_chart
from bcms.lib.svg.series_lines import LineSeries
from evaluation.runs.uploads.team_uploads import ListedUpload


def render_score_history(newest_first: Sequence[ListedUpload]) -> SafeString | None:
    """Draw the primary figure of each run that counts, and the best one until then; None with fewer than two."""
    counting = [each for each in reversed(newest_first) if each.run is not None and each.run.withdrawn is None]
    cells = [each.primary for each in counting if each.primary is not None and each.primary.value is not None]
    values = [float(cell.value) for cell in cells if cell.value is not None]
    if len(values) < 2:
        return None
    label = cells[0].measure.label
    drawing = render_line_chart(
        [
            LineSeries("Best run so far", list(enumerate(accumulate(values, max), 1))),
            LineSeries("Each run", list(enumerate(values, 1))),
        ],
        id_prefix="score-history",
        title=f"{label} of the uploaded runs, in the order of their upload",
        description="The table has the figures.",
        # From six runs on, the ticks are whole numbers.
        x_axis=Axis("Uploaded run", 1.0, float(max(len(values), 6))),
        y_axis=Axis(label, -1.0, 1.0) if min(values) < 0 else build_tight_axis_for_shares(label, values),
    )
    # render_line_chart escapes every text.
    return mark_safe(drawing)
