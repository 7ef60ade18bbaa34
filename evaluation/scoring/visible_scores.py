"""The scores of servers and teams in challenges, as far as a reader may know whose they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from evaluation.challenges.models import Phase
from evaluation.gold.models import GoldStandard
from evaluation.leaderboards.rows import ScoreCell
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
from evaluation.measures.registry import MEASURES_BY_NAME
from evaluation.runs.counted_runs import find_counted_run_ids_of_boards
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from evaluation.visibility import list_visible_challenges
from servers.teams.models import Team
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class VisibleScore:
    """The primary figure of a run in a phase, which the reader also sees on the leaderboard."""

    run: Run
    cell: ScoreCell

    @property
    def server(self) -> int | None:
        """The id of the server whose run it is; None for an uploaded one."""
        return self.run.producer.server


def list_scores_of_servers(servers: Sequence[int], reader: User, now: datetime) -> list[VisibleScore]:
    """Those of runs that count, of the earliest phase first. 1 query, or 3 if not all runs count."""
    of_servers = _list_visible_scores(reader, now).filter(run__producer__server__in=servers)
    return _build_visible_scores(of_servers.filter(run__sort=Run.Source.ONLINE))


def list_new_scores_of_team(team: Team, reader: User, since: datetime, now: datetime) -> list[VisibleScore]:
    """Those that were computed since then, of the earliest phase first. 1 query, or 3 if not all runs count."""
    return _build_visible_scores(_list_visible_scores(reader, now).filter(run__team=team, computed__gte=since))


def _list_visible_scores(reader: User, now: datetime) -> QuerySet[Score]:
    """Everybody sees the scores of published phases and tasks that name the teams. A team sees its own at once, but
    those in a test only when they are published.
    """
    published = GoldStandard.objects.filter(
        task=OuterRef("run__task"), phase=OuterRef("run__phase"), published__isnull=False
    )
    is_published = Q(run__phase__published__isnull=False) | Exists(published)
    is_named = Q(run__phase__names_shown__isnull=True) | Q(run__phase__names_shown__lte=now)
    is_own = Q(run__team__in=Team.objects.filter(members=reader.pk)) if reader.is_authenticated else Q(pk__in=[])
    seen = (is_published & (is_named | is_own)) | (is_own & ~Q(run__phase__sort=Phase.Type.TEST))
    return Score.objects.filter(
        seen,
        superseded__isnull=True,
        scenario=OFFICIAL_SCENARIO,
        run__withdrawn__isnull=True,
        run__phase__challenge__in=list_visible_challenges(reader),
    )


def _build_visible_scores(scores: QuerySet[Score]) -> list[VisibleScore]:
    named = scores.select_related("run__task", "run__phase__challenge", "run__producer")
    rows = list(named.only("figures", "intervals", "run").order_by("run__phase__opens", "run"))
    counted = find_counted_run_ids_of_boards([(row.run.task, row.run.phase) for row in rows])
    if counted is not None:
        rows = [row for row in rows if row.run_id in counted]
    return [VisibleScore(row.run, cell) for row in rows if (cell := _build_primary_cell(row)) is not None]


def _build_primary_cell(score: Score) -> ScoreCell | None:
    """None if the primary figure is undefined."""
    measure = MEASURES_BY_NAME[score.run.task.primary]
    value = score.figures.get(measure.name)
    low, high = score.intervals.get(measure.name) or (None, None)
    return None if value is None else ScoreCell(measure, value, low, high)
