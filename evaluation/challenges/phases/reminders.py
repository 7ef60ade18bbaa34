"""One mail to each team a day before its phase ends: what its runs have done and what is missing.

In a short phase the mail waits until a quarter of the phase is over. The mails go to the outbox in the transaction that
marks the phase as reminded, so each is sent exactly once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone

from evaluation.challenges.models import ChallengeState, Phase
from evaluation.runs.models import Run
from servers.calls.models import Call
from servers.calls.states import OPEN_CALLS
from servers.notifications.mail.recipients import list_active_members_and_wanted_servers
from servers.notifications.site_links import build_site_url
from servers.teams.models import Team

REMINDER_LEAD = timedelta(days=1)
MIN_ELAPSED_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class RunProgress:
    """A run of the team; left: number of articles for which its server has an open call."""

    run: Run
    left: int


def _list_phases_to_remind(now: datetime) -> QuerySet[Phase]:
    """Open phases of listed challenges that end within REMINDER_LEAD and whose teams were not reminded yet."""
    near = Q(closes__gt=now, closes__lte=now + REMINDER_LEAD)
    return Phase.objects.filter(near, opens__lte=now, reminded__isnull=True, frozen__isnull=True).filter(
        challenge__state=ChallengeState.LISTED
    )


def mail_teams_once_before_phase_ends(now: datetime) -> int:
    """Mail the teams of every phase that ends within a day. How many mails were written."""
    near = _list_phases_to_remind(now).select_related("challenge")
    return sum(
        _mail_phase_reminders(phase, now)
        for phase in near
        if now - phase.opens >= _compute_phase_length(phase) * MIN_ELAPSED_SHARE
    )


def _compute_phase_length(phase: Phase) -> timedelta:
    """From beginning to end; 0 without an end."""
    return phase.closes - phase.opens if phase.closes else timedelta()


@transaction.atomic
def _mail_phase_reminders(phase: Phase, now: datetime) -> int:
    """Mail the teams of a phase, unless another worker did it. How many mails were written."""
    if not _list_phases_to_remind(now).filter(pk=phase.pk).update(reminded=now):
        return 0
    left = _count_open_calls_by_producer(phase)
    runs = list(phase.runs.filter(team__isnull=False).select_related("task").order_by("name", "pk"))
    return sum(
        _mail_team_reminder(phase, team, _list_run_progress(team, runs, left)) for team in _list_phase_teams(phase)
    )


def _list_phase_teams(phase: Phase) -> QuerySet[Team]:
    """Teams with a run in the phase, and teams that accepted the terms of its challenge or were approved."""
    joined = Q(entrants__challenge=phase.challenge) & (
        Q(entrants__accepted__isnull=False) | Q(entrants__approved__isnull=False)
    )
    return Team.objects.filter(Q(runs__phase=phase) | joined).distinct().order_by("name")


def _count_open_calls_by_producer(phase: Phase) -> dict[int, int]:
    """Calls in the queues of the phase that have not ended, {producer id: number}."""
    calls = Call.objects.filter(queue__producer__runs__phase=phase, state__in=sorted(OPEN_CALLS))
    return dict(calls.values_list("queue__producer").annotate(Count("pk", distinct=True)))


def _list_run_progress(team: Team, runs: Sequence[Run], left: Mapping[int, int]) -> list[RunProgress]:
    return [RunProgress(run, left.get(run.producer_id, 0)) for run in runs if run.team_id == team.pk]


def _mail_team_reminder(phase: Phase, team: Team, progress: Sequence[RunProgress]) -> int:
    """One mail to each member with a confirmed address. How many mails were written."""
    link = build_site_url("challenge", phase.challenge.slug)
    context = {"phase": phase, "team": team, "standings": progress, "link": link, "now": timezone.now()}
    body = render_to_string("evaluation/email/ends.txt", context)
    subject = f"[BCMS] {phase.challenge}: the {phase.sort} phase ends on {phase.closes:%-d %B, %H:%M} UTC"
    addresses = [reader.address for reader in list_active_members_and_wanted_servers(team, []) if reader.address]
    return sum(send_mail(" ".join(subject.split()), body, None, [address]) for address in addresses)
