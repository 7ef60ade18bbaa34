"""Store the judgements of passages: by whom, when, and how long they took."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from evaluation.measures.passages import Verdict
from evaluation.pooling.collection import check_pool_open
from evaluation.pooling.models import Judgement, Pool, PooledPassage, PoolJudge
from servers.teams.permissions import User

# A judgement that took longer included a pause, so its duration is unknown.
MAX_DECISION_SECONDS = 3600.0


@transaction.atomic
def store_judgement_and_demote_other_best(
    passage: PooledPassage, verdict: Verdict, user: User, now: datetime, *, shown: datetime | None, adjudicates: bool
) -> Judgement:
    """Store a judgement or, with adjudicates, an adjudication. shown: when the passage was shown, None if unknown.

    A pair has one best passage, so a former best one of the pair becomes relevant. Raises ChallengeError if the judging
    is closed.
    """
    pool = Pool.objects.select_for_update(no_key=True).get(pk=passage.pool_id)
    check_pool_open(pool)
    seconds = _compute_decision_seconds(pool, user, now, shown, adjudicates=adjudicates)
    if verdict.best:
        _supersede_other_best_judgements(passage, user, now, adjudicates=adjudicates)
    _filter_current_judgements(user, adjudicates=adjudicates).filter(passage=passage).update(superseded=now)
    flags = {"relevant": verdict.relevant, "best": verdict.best, "adjudicates": adjudicates}
    return Judgement.objects.create(passage=passage, judge_id=user.pk, at=now, seconds=seconds, **flags)


def _filter_current_judgements(user: User, *, adjudicates: bool) -> QuerySet[Judgement]:
    """The current judgements of a judge, or all current adjudications."""
    of_judge = Q(adjudicates=True) if adjudicates else Q(adjudicates=False, judge=user.pk)
    return Judgement.objects.filter(of_judge, superseded__isnull=True)


def _supersede_other_best_judgements(passage: PooledPassage, user: User, now: datetime, *, adjudicates: bool) -> None:
    """Make the other best passages of the pair relevant; an adjudication also overrules the judges."""
    pair = {"article": passage.article_id, "first": passage.first, "second": passage.second}
    others = PooledPassage.objects.filter(pool=passage.pool_id, **pair).exclude(pk=passage.pk)
    if adjudicates:
        judgements = Judgement.objects.filter(passage__in=others, superseded__isnull=True, best=True)
        judges = PoolJudge.objects.filter(pool=passage.pool_id, adjudicates=False)
        by_judge = Q(judge__in=judges.values("user")) | Q(judge__isnull=True, pseudonym__in=judges.values("pseudonym"))
        judgements = judgements.filter(Q(adjudicates=True) | by_judge)
    else:
        judgements = _filter_current_judgements(user, adjudicates=False).filter(passage__in=others, best=True)
    demoted = sorted(set(judgements.values_list("passage", flat=True)))
    _filter_current_judgements(user, adjudicates=adjudicates).filter(passage__in=demoted).update(superseded=now)
    Judgement.objects.bulk_create(
        Judgement(passage_id=pk, judge_id=user.pk, relevant=True, best=False, adjudicates=adjudicates, at=now)
        for pk in demoted
    )


def _compute_decision_seconds(
    pool: Pool, user: User, now: datetime, shown: datetime | None, *, adjudicates: bool
) -> float | None:
    """The seconds since the passage was shown, or since a later judgement by the user.

    None if unknown, or if so long that there was a pause.
    """
    if shown is None:
        return None
    since_shown = Judgement.objects.filter(passage__pool=pool, judge=user.pk, adjudicates=adjudicates, at__gt=shown)
    previous = since_shown.order_by("-at").values_list("at", flat=True).first()
    seconds = (now - (previous or shown)).total_seconds()
    return seconds if 0 <= seconds <= MAX_DECISION_SECONDS else None
