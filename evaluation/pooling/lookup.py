"""Look up pools, and who may judge, adjudicate and read judgements, for pages and API."""

from django.shortcuts import get_object_or_404

from annotations.schema import Kind
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.permissions import can_organize
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.pooling.models import Pool, PoolJudge
from evaluation.runs.models import Run
from evaluation.visibility import list_visible_challenges
from servers.teams.permissions import User

NOT_A_JUDGE_MESSAGE = (
    "Only judges appointed by the organizers may decide here, and nobody on a team with a run in the task."
)


def find_competing_run(user: User, pool: Pool) -> Run | None:
    """Return a run in the task and phase whose team the user is on, None if there is none."""
    runs = Run.objects.filter(task=pool.task_id, phase=pool.phase_id, team__members=user.pk)
    return runs.select_related("team").first()


def can_judge(user: User, pool: Pool) -> bool:
    """Whether the user was appointed as judge and is on no team with a run in the task.

    Judges restored from an archive have no account, so visitors without an account must be excluded first.
    """
    if not user.is_authenticated or find_competing_run(user, pool):
        return False
    return PoolJudge.objects.filter(pool=pool, user=user.pk, adjudicates=False).exists()


def can_adjudicate(user: User, pool: Pool) -> bool:
    """Whether the user was appointed as adjudicator, or is an organizer or staff and not a judge."""
    if not user.is_authenticated:
        return False
    adjudicates = PoolJudge.objects.filter(pool=pool, user=user.pk).values_list("adjudicates", flat=True).first()
    if adjudicates is not None:
        return adjudicates and find_competing_run(user, pool) is None
    challenge = Challenge.objects.filter(pk=pool.task.challenge_id, organizers=user.pk)
    return bool(getattr(user, "is_staff", False)) or challenge.exists()


def get_passage_task_and_phase_or_404(challenge: Challenge, phase_type: str, task_name: str) -> tuple[Task, Phase]:
    """Return a passage task and a phase of a challenge. Raises Http404 if there is none."""
    tasks = challenge.tasks.select_related("challenge").filter(kind=Kind.PASSAGE)
    phases = challenge.phases.select_related("challenge", "corpus")
    return get_object_or_404(tasks, name=task_name), get_object_or_404(phases, sort=phase_type)


def find_pool(task: Task, phase: Phase) -> Pool | None:
    return Pool.objects.select_related("task", "phase__corpus", "closed_by").filter(task=task, phase=phase).first()


def get_pool_or_challenge_error(task: Task, phase: Phase) -> Pool:
    """Return the pool of a task and phase. Raises ChallengeError if there is none."""
    pool = find_pool(task, phase)
    if pool is None:
        raise ChallengeError("No passages have been collected yet; collect them first.")
    return pool


def get_pool_or_404(user: User, challenge_slug: str, phase_type: str, task_name: str) -> Pool:
    """The pool of a task in a phase of the challenge with this slug if the user may see the challenge."""
    pools = Pool.objects.select_related("task__challenge", "phase").filter(
        task__challenge__in=list_visible_challenges(user).filter(slug=challenge_slug).values("pk")
    )
    return get_object_or_404(pools, phase__sort=phase_type, task__name=task_name)


def is_organizer_or_gold_published(user: User, pool: Pool) -> bool:
    """Whether the user is an organizer, or the gold standard of the task is published."""
    golds = GoldStandard.objects.filter(task=pool.task_id, phase=pool.phase_id, published__isnull=False)
    return golds.exists() or can_organize(user, pool.task.challenge)
