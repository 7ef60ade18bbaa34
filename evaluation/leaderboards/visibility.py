"""Who may see which runs on a leaderboard, and the tests between them."""

from collections.abc import Sequence, Set

from django.db.models import Q, QuerySet

from evaluation.analyses.significance.leaderboard_tests import has_more_runs_than_default_tests_allow
from evaluation.challenges.models import Phase
from evaluation.challenges.permissions import can_organize
from evaluation.gold.models import GoldStandard
from evaluation.leaderboards.models import Ranking
from evaluation.leaderboards.rows import LeaderboardRow
from evaluation.measures.leaderboard_scenarios import get_fixed_or_build_scenario
from evaluation.runs.models import Run
from servers.teams.permissions import User


def list_visible_board_runs(user: User, phase: Phase) -> QuerySet[Run]:
    """The runs of a phase that a user may see on leaderboards, without those that were withdrawn.

    Everybody sees all runs of a published phase and of a published task. Before publication, organizers see all runs;
    teams see their own, but not in a test.
    """
    runs = phase.runs.filter(withdrawn__isnull=True)
    if phase.published or can_organize(user, phase.challenge):
        return runs
    golds = GoldStandard.objects.filter(phase=phase, published__isnull=False)
    visible = Q(task__in=golds.values("task"))
    if phase.sort != Phase.Type.TEST and user.is_authenticated:
        visible |= Q(pk__in=phase.runs.filter(team__members=user.pk).values("pk"))
    return runs.filter(visible)


def hide_tests_of_unseen_runs_in_place(ranking: Ranking | None, rows: Sequence[LeaderboardRow]) -> Ranking | None:
    """The tests as users who do not see all runs may know them: nothing reveals whether there are other runs.

    Changes the ranking, which must not be saved afterwards.
    """
    visible = {row.score for row in rows if row.competes}
    if ranking is None or not any(row.scored for row in rows):
        return None
    if len(visible) < 2 and get_fixed_or_build_scenario(ranking.scenario).is_comparable:
        ranking.counts, ranking.untested, ranking.samples = [], "", 0
    elif has_more_runs_than_default_tests_allow(len(ranking.scores)):
        ranking = _use_reader_tests(ranking, visible)
    ranking.done, ranking.total, ranking.computed = 0, 0, None
    return ranking


def _use_reader_tests(ranking: Ranking, visible: Set[int | None]) -> Ranking:
    """The ranking with only the tests between the visible scores (ids); without tests until these are made."""
    candidates = [tests for tests in ranking.readers if visible <= {*tests["scores"]}]
    tests = min(candidates, key=lambda one: len(one["scores"]), default=None)
    ranking.scores, ranking.counts = (tests["scores"], tests["counts"]) if tests else ([], [])
    ranking.untested, ranking.samples = (tests["untested"], tests["samples"]) if tests else ("", 0)
    return ranking
