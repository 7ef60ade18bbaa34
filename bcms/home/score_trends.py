"""How the scores of a server have changed from run to run."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from bcms.lib.svg.sparklines import render_sparkline
from evaluation.scoring.visible_scores import VisibleScore


@dataclass(frozen=True, slots=True)
class ScoreTrend:
    """newest: of the last phase; line: of all runs in the same task, "" for a single one."""

    newest: VisibleScore
    line: SafeString


def build_score_trends(oldest_first: Sequence[VisibleScore]) -> dict[int, ScoreTrend]:
    """By id of the server."""
    by_server: dict[int, list[VisibleScore]] = {}
    for score in oldest_first:
        by_server.setdefault(score.server or 0, []).append(score)
    return {server: _build_trend(server, scores) for server, scores in by_server.items()}


def _build_trend(server: int, scores: Sequence[VisibleScore]) -> ScoreTrend:
    newest = scores[-1]
    cells = [each.cell for each in scores if each.run.task_id == newest.run.task_id]
    shown = ", ".join(cell.formatted for cell in cells)
    line = render_sparkline(
        [cell.value for cell in cells],
        id_prefix=f"scores-{server}",
        title=f"{newest.cell.measure.label} of {len(cells)} runs, oldest first: {shown}",
        figure=newest.cell.measure.label,
        labels=[f"Run {number} of {len(cells)}" for number in range(1, len(cells) + 1)],
    )
    # The drawing escapes every text.
    return ScoreTrend(newest, mark_safe(line))
