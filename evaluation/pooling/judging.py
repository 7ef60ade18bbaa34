"""Name judges, and keep what each decides of a passage: who, when, and how long it took."""

from datetime import datetime
from typing import Any

from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string

from evaluation.errors import ChallengeError
from evaluation.measures.passages import Verdict
from evaluation.models import Challenge, Run
from evaluation.pooling.collecting import refuse_closed
from evaluation.pooling.models import Judgement, Pool, PooledPassage, PoolJudge
from servers.telling.messages import site_link

# A decision that took longer had a pause in it: nothing is known of how long it took.
LONGEST_SECONDS = 3600.0
NOT_NAMED = "Only those decide here whom the organizers named, and nobody who is on a team with a run in the task."


@transaction.atomic
def name_judge(pool: Pool, user: Any, *, adjudicates: bool) -> PoolJudge:
    """Let somebody judge, or decide where judges differ, who is told so by mail; named again, for the other.

    ChallengeError for a member of a team with a run in the task, who might know its passages again.
    """
    run = run_of(user, pool)
    if run is not None:
        raise ChallengeError(f"{user.username} is of {run.team}, which has a run in this task; name somebody else.")
    known = PoolJudge.objects.filter(pool=pool, user=user).values_list("adjudicates", flat=True).first()
    named, _ = PoolJudge.objects.update_or_create(pool=pool, user=user, defaults={"adjudicates": adjudicates})
    if known is not adjudicates:
        tell(named)
    return named


def run_of(user: Any, pool: Pool) -> Run | None:
    """A run in the task of a team that the user is on."""
    runs = Run.objects.filter(task=pool.task_id, phase=pool.phase_id, team__members=user.pk)
    return runs.select_related("team").first()


def tell(named: PoolJudge) -> None:
    if named.user is None or not named.user.email:
        return
    pool = named.pool
    place = [pool.task.challenge.slug, pool.phase.sort, pool.task.name]
    link = site_link("pool-adjudicate" if named.adjudicates else "pool-judge", *place)
    body = render_to_string("evaluation/email/judging.txt", {"named": named, "link": link})
    subject = f"[BCMS] {pool.task.challenge}: please judge the passages of {pool.task.name}"
    send_mail(" ".join(subject.split()), body, None, [named.user.email])


def unname(pool: Pool, name: str) -> int:
    """Somebody judges no more; their decisions are kept and count no more. How many judges it was."""
    named = Q(user__username=name) | Q(user__isnull=True, pseudonym=name)
    return PoolJudge.objects.filter(named, pool=pool).delete()[0]


def judged_by(user: Any, challenge: Challenge) -> list[PoolJudge]:
    """Where in a challenge somebody is named, in one query; none for visitors."""
    if not user.is_authenticated:
        return []
    named = PoolJudge.objects.filter(user=user.pk, pool__phase__challenge=challenge)
    return list(named.select_related("pool__task", "pool__phase").order_by("pool"))


def may_judge(user: Any, pool: Pool) -> bool:
    """Never a visitor: judges out of an archive have no account, as visitors have none; nor who came to be on a team
    with a run in the task."""
    if not user.is_authenticated or run_of(user, pool):
        return False
    return PoolJudge.objects.filter(pool=pool, user=user.pk, adjudicates=False).exists()


def may_adjudicate(user: Any, pool: Pool) -> bool:
    """The organizers of the challenge, and whom they named for it; nobody who judges."""
    if not user.is_authenticated:
        return False
    named = PoolJudge.objects.filter(pool=pool, user=user.pk).values_list("adjudicates", flat=True).first()
    if named is not None:
        return named and run_of(user, pool) is None
    challenge = Challenge.objects.filter(pk=pool.task.challenge_id, organizers=user.pk)
    return bool(user.is_staff) or challenge.exists()


@transaction.atomic
def decide(
    passage: PooledPassage, verdict: Verdict, by: Any, now: datetime, *, shown: datetime | None, adjudicates: bool
) -> Judgement:
    """Keep what somebody says of a passage; shown: when they first saw it, None when that is not known.

    A pair has one best passage: what was called the best before is called relevant from now on. ChallengeError when the
    judging is closed.
    """
    pool = Pool.objects.select_for_update(no_key=True).get(pk=passage.pool_id)
    refuse_closed(pool)
    seconds = seconds_of(pool, by, now, shown, adjudicates=adjudicates)
    if verdict.best:
        demote(passage, by, now, adjudicates=adjudicates)
    current(by, adjudicates=adjudicates).filter(passage=passage).update(superseded=now)
    said = {"relevant": verdict.relevant, "best": verdict.best, "adjudicates": adjudicates}
    return Judgement.objects.create(passage=passage, judge=by, at=now, seconds=seconds, **said)


def current(by: Any, *, adjudicates: bool) -> Any:
    """What counts of somebody's judgements; there is one adjudication, whoever makes it."""
    whose = Q(adjudicates=True) if adjudicates else Q(adjudicates=False, judge=by)
    return Judgement.objects.filter(whose, superseded__isnull=True)


def demote(passage: PooledPassage, by: Any, now: datetime, *, adjudicates: bool) -> None:
    """The other passages of the pair that were called the best are relevant, no more."""
    pair = {"article": passage.article_id, "first": passage.first, "second": passage.second}
    others = PooledPassage.objects.filter(pool=passage.pool_id, **pair).exclude(pk=passage.pk)
    if adjudicates:
        marks = Judgement.objects.filter(passage__in=others, superseded__isnull=True, best=True)
        judges = PoolJudge.objects.filter(pool=passage.pool_id, adjudicates=False)
        named = Q(judge__in=judges.values("user")) | Q(judge__isnull=True, pseudonym__in=judges.values("pseudonym"))
        marks = marks.filter(Q(adjudicates=True) | named)
    else:
        marks = current(by, adjudicates=False).filter(passage__in=others, best=True)
    demoted = sorted(set(marks.values_list("passage", flat=True)))
    current(by, adjudicates=adjudicates).filter(passage__in=demoted).update(superseded=now)
    Judgement.objects.bulk_create(
        Judgement(passage_id=pk, judge=by, relevant=True, best=False, adjudicates=adjudicates, at=now) for pk in demoted
    )


def seconds_of(pool: Pool, by: Any, now: datetime, shown: datetime | None, *, adjudicates: bool) -> float | None:
    """From when it was shown, or from the decision before that was made since; None when there was a pause."""
    if shown is None:
        return None
    own = Judgement.objects.filter(passage__pool=pool, judge=by, adjudicates=adjudicates, at__gt=shown)
    before = own.order_by("-at").values_list("at", flat=True).first()
    seconds = (now - (before or shown)).total_seconds()
    return seconds if 0 <= seconds <= LONGEST_SECONDS else None
