"""Start and halt a server. Each change of state is one conditional UPDATE and leaves a row with its reason."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Least, Now

from bcms.lib.foreign import bounded
from servers.availability.observing import begin_anew
from servers.lease import free
from servers.models import Attempt, Call, Queue, Server, ServerEvent
from servers.queueing import wake
from servers.states import IN_FLIGHT_CALLS, SERVER_EDGES, CallState, Outcome, QueueState, ServerState, leading_to
from servers.telling import notices
from servers.topics import Happening

LONGEST_REASON = 500


def change_state(server_id: int, after: ServerState, reason: str, by: Any = None, **also: Any) -> bool:
    """Move the server to a state if an edge leads there; False when it is in another state by now."""
    with transaction.atomic():
        server = Server.objects.select_for_update().get(pk=server_id)
        if server.state not in leading_to(after, SERVER_EDGES):
            return False
        reason = bounded(reason, LONGEST_REASON)
        Server.objects.filter(pk=server_id).update(
            state=after, state_reason=reason, state_since=Now(), version=F("version") + 1, **also
        )
        ServerEvent.objects.create(server=server, before=server.state, after=after, reason=reason, by=by)
        if after == ServerState.FAIL:
            notices.note(server_id, Happening.SERVER_FAILED, reason=reason)
    return True


def start(server: Server, by: Any = None) -> bool:
    """Put the server to work: what waits in its queues is asked from now on, resting queues at once."""
    fresh: dict[str, Any] = {"failures_running": 0, "misses": 0, "unreachable_since": None}
    with transaction.atomic():
        if not change_state(server.pk, ServerState.ONLINE, "", by, **fresh):
            return False
        Queue.objects.filter(server=server, state=QueueState.RESTING).update(state=QueueState.RUNNING, rest_until=None)
        begin_anew(server.pk)
        wake(server.pk)
    return True


def halt(server: Server, by: Any = None) -> bool:
    """Ask nothing more; the call under way may finish."""
    halting = change_state(server.pk, ServerState.HALTING, "halted: the call under way may finish", by)
    settle_halting(server.pk)
    return halting


def halt_hard(server: Server, by: Any = None) -> bool:
    """Take the loop's token away: the call under way is cut and waits again, its try is not counted."""
    with transaction.atomic():
        Server.objects.select_for_update().get(pk=server.pk)
        halted = change_state(server.pk, ServerState.OFFLINE, "halted hard", by, lease_token=None, lease_until=None)
        if halted:
            give_back_calls(
                server.pk, Outcome.HALTED, "Halted hard by the team; the article waits again.", IN_FLIGHT_CALLS
            )
    return halted


def settle_halting(server_id: int) -> bool:
    """A halting server whose loop has ended, or crashed, is offline, unless it still works on an article for us."""
    if not Server.objects.filter(pk=server_id, state=ServerState.HALTING).exists():
        return False
    with transaction.atomic():
        idle = Server.objects.select_for_update().filter(free(), pk=server_id, state=ServerState.HALTING)
        if not idle.exists() or Call.objects.filter(server_id=server_id, state=CallState.PENDING).exists():
            return False
        give_back_calls(server_id, Outcome.LOST, "The worker ended before the answer came; the article waits again.")
        # A worker that was only stopped may thaw: without the token it can say nothing of what was given back.
        return change_state(server_id, ServerState.OFFLINE, "halted", lease_token=None, lease_until=None)


def give_back_calls(
    server_id: int, outcome: Outcome, reason: str, states: Collection[CallState] = (CallState.ASKING,)
) -> int:
    """Calls in these states wait again in their place, their try not counted; for whoever holds the server's row."""
    left = Call.objects.filter(server_id=server_id, state__in=states)
    Attempt.objects.filter(server_id=server_id, outcome=Outcome.UNDER_WAY, call__in=left).update(
        outcome=outcome, finished=Now(), message=reason
    )
    return left.update(state=CallState.WAITING, due=Least("due", Now()), reason=reason)
