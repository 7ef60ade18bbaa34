"""Add and remove the judges and adjudicators of a pool."""

from django.contrib.auth.models import User as Account
from django.db import transaction
from django.db.models import Q, QuerySet

from evaluation.challenges.models import Challenge
from evaluation.challenges.states.rules import CLOSED_STATES
from evaluation.errors import ChallengeError
from evaluation.pooling.lookup import find_competing_run
from evaluation.pooling.models import Pool, PoolJudge
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.notifications.site_links import build_site_url
from servers.teams.permissions import User
from servers.teams.person_mail import mail_person


@transaction.atomic
def add_or_change_noncompeting_judge_and_mail(pool: Pool, user: Account, *, adjudicates: bool) -> PoolJudge:
    """Add a judge or an adjudicator, or change one's role, and notify the user by mail.

    Raises ChallengeError if the user is on a team with a run in the task, and so could recognize its passages.
    """
    run = find_competing_run(user, pool)
    if run is not None:
        raise ChallengeError(
            f"{user.get_username()} is on {run.team}, which has a run in this task; choose somebody else."
        )
    adjudicated = PoolJudge.objects.filter(pool=pool, user=user.pk).values_list("adjudicates", flat=True).first()
    judge, _ = PoolJudge.objects.update_or_create(pool=pool, user=user, defaults={"adjudicates": adjudicates})
    if adjudicated is not adjudicates:
        record_audit_event(
            AuditAction.CHALLENGE_JUDGE_ADDED,
            f"judging of {pool.task}",
            after={"role": "adjudicator" if adjudicates else "judge"},
            person=user,
            challenge_id=pool.task.challenge_id,
        )
        _mail_new_judge(judge)
    return judge


def _mail_new_judge(judge: PoolJudge) -> None:
    pool = judge.pool
    url_arguments = [pool.task.challenge.slug, pool.phase.sort, pool.task.name]
    link = build_site_url("pool-adjudicate" if judge.adjudicates else "pool-judge", *url_arguments)
    subject = f"{pool.task.challenge}: please judge the passages of {pool.task.name}"
    mail_person(judge.user, subject, "evaluation/email/judging.txt", {"named": judge, "link": link})


@transaction.atomic
def remove_judge_keeping_uncounted_judgements(pool: Pool, username_or_pseudonym: str) -> int:
    """Remove the judge with this user name or pseudonym; the judgements are kept but no longer count.

    Returns the number of removed judges.
    """
    has_name = Q(user__username=username_or_pseudonym) | Q(user__isnull=True, pseudonym=username_or_pseudonym)
    judges = PoolJudge.objects.filter(has_name, pool=pool)
    for judge in judges.select_related("user"):
        record_audit_event(
            AuditAction.CHALLENGE_JUDGE_REMOVED,
            f"judging of {pool.task}",
            person=judge.user,
            challenge_id=pool.task.challenge_id,
        )
    return judges.delete()[0]


def list_open_judge_roles(user: User) -> QuerySet[PoolJudge]:
    """The roles of a user in pools that are not closed, of challenges that are not closed or archived."""
    judges = PoolJudge.objects.filter(user=user.pk, pool__closed__isnull=True)
    return judges.exclude(pool__phase__challenge__state__in=CLOSED_STATES)


def list_judge_roles(user: User, challenge: Challenge) -> list[PoolJudge]:
    """The roles of a user as judge or adjudicator of open pools in a challenge; one query. Visitors have none."""
    if not user.is_authenticated:
        return []
    return list(
        list_open_judge_roles(user)
        .filter(pool__phase__challenge=challenge)
        .select_related("pool__task", "pool__phase")
        .order_by("pool")
    )
