"""Start and stop a server. Each change of state is one conditional UPDATE and stores a ServerEvent with its reason."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Least, Now

from bcms.lib.text import clip_printable_text
from servers.availability.downtimes import end_open_downtimes
from servers.calls.leases.lease import make_unleased_filter
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues.wake_ups import wake_server
from servers.calls.states import IN_FLIGHT_CALLS, CallState, Outcome, QueueState
from servers.notifications import notices
from servers.notifications.events import EventType
from servers.registry.models import Server, ServerEvent
from servers.registry.states import SERVER_EDGES, ServerState, list_states_before
from servers.teams.roles import User

LONGEST_REASON = 500


def change_server_state(
    server_id: int, after: ServerState, reason: str, user: User | None = None, **fields: Any
) -> bool:
    """Move the server to a state and set the given fields too; False if no edge leads there from its current state.

    user is who asked for the change, None when the meta-server decided on it.
    """
    with transaction.atomic():
        server = Server.objects.select_for_update().get(pk=server_id)
        if server.state not in list_states_before(after, SERVER_EDGES):
            return False
        reason = clip_printable_text(reason, LONGEST_REASON)
        Server.objects.filter(pk=server_id).update(
            state=after, state_reason=reason, state_since=Now(), version=F("version") + 1, **fields
        )
        ServerEvent.objects.create(
            server=server, before=server.state, after=after, reason=reason, by_id=user.pk if user else None
        )
        if after == ServerState.FAIL:
            notices.record_event(server_id, EventType.SERVER_FAILED, reason=reason)
    return True


def bring_server_online(server: Server, user: User | None = None) -> bool:
    """Start the server: its waiting calls are made from now on, and resting queues run at once. False if it runs."""
    cleared: dict[str, Any] = {"failures_running": 0, "misses": 0, "unreachable_since": None}
    with transaction.atomic():
        if not change_server_state(server.pk, ServerState.ONLINE, "", user, **cleared):
            return False
        Queue.objects.filter(server=server, state=QueueState.RESTING).update(state=QueueState.RUNNING, rest_until=None)
        end_open_downtimes(server.pk)
        wake_server(server.pk)
    return True


def halt_server(server: Server, user: User | None = None) -> bool:
    """Stop the server after its current call; False if it is not online."""
    halting = change_server_state(server.pk, ServerState.HALTING, "stopping after the current call", user)
    take_idle_halting_server_offline(server.pk)
    return halting


def halt_server_now(server: Server, user: User | None = None) -> bool:
    """Stop the server at once by taking its lease away; False if it does not run.

    The current call is aborted and waits again. The aborted try does not count.
    """
    with transaction.atomic():
        Server.objects.select_for_update().get(pk=server.pk)
        halted = change_server_state(
            server.pk, ServerState.OFFLINE, "stopped at once", user, lease_token=None, lease_until=None
        )
        if halted:
            return_calls_to_queue(
                server.pk, Outcome.HALTED, "The team stopped the server. The article waits again.", IN_FLIGHT_CALLS
            )
    return halted


def take_idle_halting_server_offline(server_id: int) -> bool:
    """Take a halting server offline once its loop has ended or crashed and no call is PENDING; True if it was taken."""
    if not Server.objects.filter(pk=server_id, state=ServerState.HALTING).exists():
        return False
    with transaction.atomic():
        idle = Server.objects.select_for_update().filter(
            make_unleased_filter(), pk=server_id, state=ServerState.HALTING
        )
        if not idle.exists() or Call.objects.filter(server_id=server_id, state=CallState.PENDING).exists():
            return False
        return_calls_to_queue(
            server_id, Outcome.LOST, "The worker ended before the answer arrived. The article waits again."
        )
        # A suspended worker may resume: without the token it cannot write to the calls that were returned.
        return change_server_state(server_id, ServerState.OFFLINE, "stopped", lease_token=None, lease_until=None)


def return_calls_to_queue(
    server_id: int, outcome: Outcome, reason: str, states: Collection[CallState] = (CallState.ASKING,)
) -> int:
    """Let the server's calls in these states wait again at their old position; returns how many.

    Their attempts end with the outcome and do not count as tries. The caller has locked the server's row.
    """
    calls = Call.objects.filter(server_id=server_id, state__in=states)
    Attempt.objects.filter(server_id=server_id, outcome=Outcome.UNDER_WAY, call__in=calls).update(
        outcome=outcome, finished=Now(), message=reason
    )
    return calls.update(state=CallState.WAITING, due=Least("due", Now()), reason=reason)
