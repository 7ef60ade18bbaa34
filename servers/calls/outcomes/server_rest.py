"""Track whether a server can be reached: let its queues rest while it cannot, and take it off after 24 hours."""

from datetime import timedelta

from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now

from servers.calls.models import Call, Queue
from servers.calls.outcomes.call_end import AttemptEnding
from servers.calls.reachability import MISSES_UNTIL_UNREACHABLE, UNREACHABLE_UNTIL_FAILED
from servers.calls.states import Outcome, QueueMode, QueueState
from servers.notifications import notices
from servers.notifications.events import EventType
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.registry.states import ServerState


def rest_nontest_queues_and_notify_once(call: Call, ending: AttemptEnding, rest_duration: timedelta) -> None:
    """Let the queues of a server that is down rest, except tests; the first call after the rest probes the server."""
    awake = Queue.objects.filter(server=call.server_id, state__in=[QueueState.RUNNING, QueueState.RESTING])
    awake.exclude(mode=QueueMode.TEST).update(state=QueueState.RESTING, rest_until=Now() + rest_duration)
    if call.server.misses + 1 == MISSES_UNTIL_UNREACHABLE:
        notices.store_wanted_notice_and_deliveries_of_event(
            call.server_id, EventType.SERVER_UNREACHED, reason=ending.message
        )


def record_reachability_failing_server_after_day(call: Call, ending: AttemptEnding) -> None:
    """Record whether an attempt reached the server; our own errors show nothing."""
    if ending.outcome == Outcome.OUR_FAULT:
        return
    if ending.outcome not in (Outcome.CONNECTION, Outcome.UNAVAILABLE):
        reset_misses_and_resume_resting_queues(call.server)
        return
    Server.objects.filter(pk=call.server_id).update(
        misses=F("misses") + 1, unreachable_since=Coalesce("unreachable_since", Now())
    )
    unreachable_too_long = Q(unreachable_since__lt=Now() - UNREACHABLE_UNTIL_FAILED)
    if Server.objects.filter(unreachable_too_long, pk=call.server_id).exists():
        lifecycle.change_and_log_allowed_state_notifying_failure(
            call.server_id, ServerState.FAIL, f"unreachable for 24 hours: {ending.message}"
        )


def reset_misses_and_resume_resting_queues(server: Server) -> None:
    """Reset the misses and let resting queues run; no query if the server as read has none, as only its loop counts."""
    if not server.misses and server.unreachable_since is None:
        return
    Server.objects.filter(pk=server.pk).update(unreachable_since=None, misses=0)
    Queue.objects.filter(server=server, state=QueueState.RESTING).update(state=QueueState.RUNNING, rest_until=None)
