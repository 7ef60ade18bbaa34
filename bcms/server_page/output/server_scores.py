"""The scores of a server in challenges, as far as a reader may know that they are those of the server."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from evaluation.challenges.models import Phase
from evaluation.gold.models import GoldStandard
from evaluation.leaderboards.rows import ScoreCell
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
from evaluation.measures.registry import MEASURES_BY_NAME
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from evaluation.visibility import list_visible_challenges
from servers.teams.models import Team
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class ServerScore:
    """The primary figure of a run in a phase, which the reader also sees on the leaderboard."""

    server: int
    run: Run
    cell: ScoreCell


def list_scores_of_servers(servers: Sequence[int], reader: User, now: datetime) -> list[ServerScore]:
    """Those of runs that are not withdrawn, of the earliest phase first. 1 query.

    Everybody sees the scores of published phases and tasks that name the teams. The team of a server sees its own at
    once, but those in a test only when they are published.
    """
    published = GoldStandard.objects.filter(
        task=OuterRef("run__task"), phase=OuterRef("run__phase"), published__isnull=False
    )
    is_published = Q(run__phase__published__isnull=False) | Exists(published)
    is_named = Q(run__phase__names_shown__isnull=True) | Q(run__phase__names_shown__lte=now)
    is_own = Q(run__team__in=Team.objects.filter(members=reader.pk)) if reader.is_authenticated else Q(pk__in=[])
    seen = (is_published & (is_named | is_own)) | (is_own & ~Q(run__phase__sort=Phase.Type.TEST))
    current = Score.objects.filter(seen, superseded__isnull=True, scenario=OFFICIAL_SCENARIO)
    shown = current.filter(
        run__producer__server__in=servers,
        run__withdrawn__isnull=True,
        run__sort=Run.Source.ONLINE,
        run__phase__challenge__in=list_visible_challenges(reader),
    )
    named = shown.select_related("run__task", "run__phase__challenge", "run__producer").only(
        "figures", "intervals", "run"
    )
    scores = (_build_score(score) for score in named.order_by("run__phase__opens", "run"))
    return [score for score in scores if score is not None]


def _build_score(score: Score) -> ServerScore | None:
    """None if the primary figure is undefined."""
    measure = MEASURES_BY_NAME[score.run.task.primary]
    value = score.figures.get(measure.name)
    if value is None:
        return None
    low, high = score.intervals.get(measure.name) or (None, None)
    return ServerScore(score.run.producer.server or 0, score.run, ScoreCell(measure, value, low, high))
