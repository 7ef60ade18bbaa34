"""Begin, end, freeze and unfreeze phases, and change their ends.

Each step is one conditional UPDATE, so it is made exactly once, even if a background task was lost, ran twice or came a
day late.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluation.challenges.models import ChallengeState, Phase
from evaluation.challenges.phases.checks import (
    check_new_end_of_unpublished_phase,
    check_phase_publication_not_begun,
    format_phase_date,
)
from evaluation.challenges.phases.events import PhaseEventType, record_phase_event
from evaluation.errors import ChallengeError
from evaluation.runs.disclosure import publish_runs_of_published_phases_naming_teams
from servers.calls.models import Queue
from servers.calls.states import QueueMode
from servers.teams.permissions import User


def begin_end_phases_and_publish_due_runs(now: datetime) -> int:
    """Begin and end phases whose date has come, and disclose the runs that are due. How many phases changed."""
    publish_runs_of_published_phases_naming_teams(Phase.objects.all(), now)
    return sum(_begin_phase_if_due(phase, now) for phase in _list_phases_to_begin(now)) + sum(
        _end_phase_if_due(phase, now) for phase in _list_phases_to_end(now)
    )


def _list_phases_to_begin(now: datetime) -> QuerySet[Phase]:
    return Phase.objects.filter(begun__isnull=True, opens__lte=now)


def _list_phases_to_end(now: datetime) -> QuerySet[Phase]:
    return Phase.objects.filter(begun__isnull=False, ended__isnull=True, closes__lte=now)


@transaction.atomic
def _begin_phase_if_due(phase: Phase, now: datetime) -> bool:
    """False if the phase has begun already or is not due."""
    if not _list_phases_to_begin(now).filter(pk=phase.pk).update(begun=now):
        return False
    record_phase_event(phase, PhaseEventType.BEGUN)
    return True


@transaction.atomic
def _end_phase_if_due(phase: Phase, now: datetime) -> bool:
    """Hold the queues of the phase; calls that are under way finish. False if it has ended already or is not due."""
    if not _list_phases_to_end(now).filter(pk=phase.pk).update(ended=now):
        return False
    record_phase_event(phase, PhaseEventType.ENDED)
    hold_or_release_phase_and_live_queues(phase)
    return True


def hold_or_release_phase_and_live_queues(phase: Phase) -> None:
    """Hold the queues of a phase that is frozen or has ended or whose challenge is not listed.

    The LIVE queues of its servers are held too if its rules say so.
    """
    phase.refresh_from_db()
    queues = Queue.objects.filter(producer__runs__phase=phase)
    listed = phase.challenge.state == ChallengeState.LISTED
    held = not listed or phase.frozen is not None or phase.ended is not None
    Queue.objects.filter(pk__in=queues.values("pk")).update(held=held)
    _update_live_queue_holds(Queue.objects.filter(mode=QueueMode.LIVE, server__in=queues.values("server")))


def _update_live_queue_holds(live: QuerySet[Queue]) -> None:
    """Hold those of these LIVE queues whose server is in a phase that closes them, has ended and is not published.

    A challenge that is archived unpublished releases them.
    """
    closing = Phase.objects.filter(closes_live=True, ended__isnull=False, published__isnull=True)
    closing = closing.exclude(challenge__state=ChallengeState.ARCHIVED)
    servers = Queue.objects.filter(producer__runs__phase__in=closing).values("server")
    to_hold = set(live.filter(server__in=servers).values_list("pk", flat=True))
    Queue.objects.filter(pk__in=to_hold, held=False).update(held=True)
    Queue.objects.filter(pk__in=set(live.values_list("pk", flat=True)) - to_hold, held=True).update(held=False)


@transaction.atomic
def begin_unpublished_phase_early(phase: Phase, user: User, reason: str) -> bool:
    """Begin a phase before its date. False if it has begun already; ChallengeError if it is published."""
    now, before = timezone.now(), Phase.objects.select_for_update().get(pk=phase.pk)
    check_phase_publication_not_begun(before, "open it earlier")
    if before.opens <= now:
        return False
    Phase.objects.filter(pk=phase.pk).update(opens=now, begun=now)
    record_phase_event(
        phase,
        PhaseEventType.BEGUN,
        user,
        details=f"early, planned for {format_phase_date(before.opens)}",
        reason=reason,
    )
    return True


@transaction.atomic
def end_begun_phase_early(phase: Phase, user: User, reason: str) -> bool:
    """End a phase before its date. False if it has ended; ChallengeError if it is published or has not begun."""
    now, before = timezone.now(), Phase.objects.select_for_update().get(pk=phase.pk)
    check_phase_publication_not_begun(before, "end it earlier")
    if before.opens > now:
        raise ChallengeError(f"The {before.sort} phase has not begun. Change its dates in its rules, or remove it.")
    if before.closes and before.closes <= now:
        return False
    # The phase may have opened a moment ago, before the background task marked it as begun.
    _begin_phase_if_due(before, now)
    Phase.objects.filter(pk=phase.pk).update(closes=now, ended=now)
    planned = f", planned for {format_phase_date(before.closes)}" if before.closes else ""
    record_phase_event(phase, PhaseEventType.ENDED, user, details=f"early{planned}", reason=reason)
    hold_or_release_phase_and_live_queues(phase)
    return True


@transaction.atomic
def freeze_phase_and_hold_queues(phase: Phase, user: User, reason: str) -> bool:
    """Freeze a phase: no server is called, nobody can enter or upload. False if it is frozen already."""
    if not Phase.objects.filter(pk=phase.pk, frozen__isnull=True).update(frozen=timezone.now()):
        return False
    record_phase_event(phase, PhaseEventType.FROZEN, user, reason=reason)
    hold_or_release_phase_and_live_queues(phase)
    return True


@transaction.atomic
def unfreeze_phase_and_update_queues(phase: Phase, user: User) -> bool:
    """Continue a frozen phase. False if it is not frozen."""
    if not Phase.objects.filter(pk=phase.pk, frozen__isnull=False).update(frozen=None):
        return False
    record_phase_event(phase, PhaseEventType.THAWED, user)
    hold_or_release_phase_and_live_queues(phase)
    return True


@transaction.atomic
def change_end_of_unpublished_phase(phase: Phase, new_end: datetime | None, user: User, reason: str) -> None:
    """Change the end of a phase; new_end: None for no end.

    A phase that has ended continues, and teams are reminded of the new end too. ChallengeError if the phase is
    published, or if the end is not new, in the past or before the beginning.
    """
    now = timezone.now()
    before = Phase.objects.select_for_update().get(pk=phase.pk)
    check_new_end_of_unpublished_phase(before, new_end, now)
    Phase.objects.filter(pk=phase.pk).update(closes=new_end, ended=None, reminded=None)
    old, new = (format_phase_date(date) if date else "no end" for date in (before.closes, new_end))
    record_phase_event(phase, PhaseEventType.MOVED, user, details=f"from {old} to {new}", reason=reason)
    hold_or_release_phase_and_live_queues(phase)


def copy_time_limit_and_attempts_to_queues(phase: Phase) -> None:
    """Copy time limit and attempts of the phase to its queues; servers use them from their next call on."""
    queues = Queue.objects.filter(producer__runs__phase=phase)
    Queue.objects.filter(pk__in=queues.values("pk")).update(minutes=phase.minutes, tries=phase.tries)
