"""How the score of a team's uploaded runs has changed over time, as a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from django.db.models import Exists, OuterRef
from django.utils.safestring import SafeString, mark_safe

from bcms.lib.svg.axes import Axis, build_tight_axis_for_shares
from bcms.lib.svg.line_charts import render_line_chart
from bcms.lib.svg.series_lines import LineSeries
from evaluation.challenges.models import Phase, Task
from evaluation.runs.uploads.models import Upload
from evaluation.runs.uploads.team_uploads import ListedUpload, list_newest_team_uploads_with_figure
from servers.teams.models import Team
from servers.teams.permissions import User

UNITS = (("Days", timedelta(days=1)), ("Hours", timedelta(hours=1)), ("Minutes", timedelta(minutes=1)))
# A time of fewer units is shown in the next smaller one.
FEWEST_UNITS = 2


@dataclass(frozen=True, slots=True)
class TeamHistory:
    team: Team
    drawing: SafeString


def render_score_history(newest_first: Sequence[ListedUpload]) -> SafeString | None:
    """Draw the primary figure of each run that counts, and the best one until then; None with fewer than two."""
    counting = [each for each in reversed(newest_first) if each.run is not None and each.run.withdrawn is None]
    scored = [each for each in counting if each.primary is not None and each.primary.value is not None]
    if len(scored) < 2:
        return None
    values = [float(each.primary.value) for each in scored if each.primary and each.primary.value is not None]
    label = scored[0].primary.measure.label if scored[0].primary else ""
    moments = [each.upload.received for each in scored]
    unit, times = _measure_times(moments)
    labels = [f"{moment:%-d %B %Y, %H:%M} UTC" for moment in moments]
    drawing = render_line_chart(
        [
            LineSeries("Best run so far", list(zip(times, accumulate(values, max), strict=True)), labels=labels),
            LineSeries("Each run", list(zip(times, values, strict=True)), labels=labels),
        ],
        id_prefix="score-history",
        title=f"{label} of the uploaded runs, by the time of their upload",
        description="The table has the figures.",
        x_axis=Axis(f"{unit} since {scored[0].upload.received:%-d %b %Y, %H:%M} UTC", 0.0, max(times[-1], 1.0)),
        y_axis=Axis(label, -1.0, 1.0) if min(values) < 0 else build_tight_axis_for_shares(label, values),
    )
    # render_line_chart escapes every text.
    return mark_safe(drawing)


def render_score_history_of_own_team(user: User, task: Task, phase: Phase) -> TeamHistory | None:
    """That of the user's first team with uploads in the task and phase; None with fewer than two runs. 4 queries."""
    if not user.is_authenticated:
        return None
    teams = Team.objects.filter(members=user.pk).order_by("name")
    team = teams.filter(Exists(Upload.objects.filter(team=OuterRef("pk"), task=task, phase=phase))).first()
    if team is None:
        return None
    drawing = render_score_history(list_newest_team_uploads_with_figure(team, task, phase, user))
    return TeamHistory(team, drawing) if drawing else None


def _measure_times(ascending: Sequence[datetime]) -> tuple[str, list[float]]:
    """The unit that suits these times, and how many of them each is after the first one."""
    length = ascending[-1] - ascending[0]
    name, unit = next((each for each in UNITS if length >= FEWEST_UNITS * each[1]), UNITS[-1])
    return name, [(moment - ascending[0]) / unit for moment in ascending]
