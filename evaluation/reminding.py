"""A day before a phase ends each team in it is mailed once: what it has done, what is missing, where to go. Of a short
phase a quarter is over first, so that teams have had the time to come in. Who comes later is told the end on entering.

A team's mail is written into the outbox in the commit that marks the phase as reminded, so that it is sent once,
whatever dies in between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone

from evaluation.models import Phase, Run
from servers.models import Call, Team
from servers.states import OPEN_CALLS
from servers.telling.messages import site_link
from servers.telling.readers import readers_of

BEFORE = timedelta(days=1)
LEAST_PART = 0.25


@dataclass(frozen=True, slots=True)
class Standing:
    """How far one run of the team is; left is the number of articles its server has not been asked for yet."""

    run: Run
    left: int


def to_remind(now: datetime) -> QuerySet[Phase]:
    near = Q(closes__gt=now, closes__lte=now + BEFORE)
    return Phase.objects.filter(near, opens__lte=now, reminded__isnull=True, frozen__isnull=True)


def remind(now: datetime) -> int:
    """Mail the teams of every phase that ends within a day; how many mails were written."""
    near = to_remind(now).select_related("challenge")
    return sum(remind_of(phase, now) for phase in near if now - phase.opens >= length_of(phase) * LEAST_PART)


def length_of(phase: Phase) -> timedelta:
    return phase.closes - phase.opens if phase.closes else timedelta()


@transaction.atomic
def remind_of(phase: Phase, now: datetime) -> int:
    if not to_remind(now).filter(pk=phase.pk).update(reminded=now):
        return 0
    left = waiting_by_producer(phase)
    runs = list(phase.runs.filter(team__isnull=False).select_related("task").order_by("name", "pk"))
    return sum(write(phase, team, standings(team, runs, left)) for team in teams_in(phase))


def teams_in(phase: Phase) -> QuerySet[Team]:
    """Teams with a run in the phase, and those that may take part in its challenge."""
    entered = Q(entrants__challenge=phase.challenge) & (
        Q(entrants__accepted__isnull=False) | Q(entrants__approved__isnull=False)
    )
    return Team.objects.filter(Q(runs__phase=phase) | entered).distinct().order_by("name")


def waiting_by_producer(phase: Phase) -> dict[int, int]:
    calls = Call.objects.filter(queue__producer__runs__phase=phase, state__in=sorted(OPEN_CALLS))
    return dict(calls.values_list("queue__producer").annotate(Count("pk", distinct=True)))


def standings(team: Team, runs: Sequence[Run], left: Mapping[int, int]) -> list[Standing]:
    return [Standing(run, left.get(run.producer_id, 0)) for run in runs if run.team_id == team.pk]


def write(phase: Phase, team: Team, own: Sequence[Standing]) -> int:
    """One mail to each member whose address is confirmed; how many."""
    link = site_link("challenge", phase.challenge.slug)
    context = {"phase": phase, "team": team, "standings": own, "link": link, "now": timezone.now()}
    body = render_to_string("evaluation/email/ends.txt", context)
    subject = f"[BCMS] {phase.challenge}: the {phase.sort} phase ends on {phase.closes:%-d %B, %H:%M} UTC"
    addresses = [reader.address for reader in readers_of(team, []) if reader.address]
    return sum(send_mail(" ".join(subject.split()), body, None, [address]) for address in addresses)
