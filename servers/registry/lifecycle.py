"""Start and stop a server. Each change of state is one conditional UPDATE and stores a ServerEvent with its reason."""

from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from bcms.lib.text import clip_text_replacing_unprintable
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.availability.downtimes import end_open_downtimes_and_reset_strikes
from servers.calls.leases.lease import make_unleased_filter
from servers.calls.leases.lost_calls import return_calls_and_end_open_attempts
from servers.calls.models import Call, Queue
from servers.calls.queues.wake_ups import enqueue_server_loop_after_commit
from servers.calls.states import IN_FLIGHT_CALLS, CallState, Outcome, QueueState
from servers.notifications import notices
from servers.notifications.events import EventType
from servers.registry.models import Server, ServerEvent, generate_server_key
from servers.registry.states import SERVER_EDGES, ServerState, list_possible_previous_states
from servers.teams.permissions import User

LONGEST_REASON = 500


def change_and_log_allowed_state_notifying_failure(
    server_id: int, new_state: ServerState, reason: str, user: User | None = None, **fields: Any
) -> bool:
    """Move the server to a state and set the given fields too; False if no edge leads there from its current state.

    user is who asked for the change, None when the meta-server decided on it.
    """
    with transaction.atomic():
        server = Server.objects.select_for_update(of=("self",)).select_related("team").get(pk=server_id)
        if server.state not in list_possible_previous_states(new_state, SERVER_EDGES):
            return False
        reason = clip_text_replacing_unprintable(reason, LONGEST_REASON)
        Server.objects.filter(pk=server_id).update(
            state=new_state, state_reason=reason, state_since=Now(), version=F("version") + 1, **fields
        )
        ServerEvent.objects.create(
            server=server, before=server.state, after=new_state, reason=reason, by_id=user.pk if user else None
        )
        record_audit_event(
            AuditAction.SERVER_STATE_CHANGED,
            server,
            before={"state": server.state},
            after={"state": new_state},
            reason=reason,
            actor=user,
            team=server.team,
        )
        if new_state == ServerState.FAIL:
            notices.store_wanted_notice_and_deliveries_of_event(server_id, EventType.SERVER_FAILED, reason=reason)
    return True


def bring_server_online_and_resume_resting_queues(server: Server, user: User | None = None) -> bool:
    """Start the server: its waiting calls are made from now on, and resting queues run at once. False if it runs."""
    cleared: dict[str, Any] = {"failures_running": 0, "misses": 0, "unreachable_since": None}
    with transaction.atomic():
        if not change_and_log_allowed_state_notifying_failure(server.pk, ServerState.ONLINE, "", user, **cleared):
            return False
        Queue.objects.filter(server=server, state=QueueState.RESTING).update(state=QueueState.RUNNING, rest_until=None)
        end_open_downtimes_and_reset_strikes(server.pk)
        enqueue_server_loop_after_commit(server.pk)
    return True


@transaction.atomic
def replace_server_keys(server: Server) -> None:
    """Make new keys for a server that calls back; the old ones stop working at once."""
    Server.objects.filter(pk=server.pk).update(api_key=generate_server_key(), secret_key=generate_server_key())
    record_audit_event(AuditAction.SERVER_KEYS_CHANGED, server, after={"keys": "new"}, team=server.team)


def halt_server_after_current_call(server: Server, user: User | None = None) -> bool:
    """Stop the server after its current call; False if it is not online."""
    halting = change_and_log_allowed_state_notifying_failure(
        server.pk, ServerState.HALTING, "stopping after the current call", user
    )
    take_idle_halting_server_offline(server.pk)
    return halting


def halt_server_now_and_return_calls(server: Server, user: User | None = None) -> bool:
    """Stop the server at once by taking its lease away; False if it does not run.

    The current call is aborted and waits again. The aborted try does not count.
    """
    with transaction.atomic():
        Server.objects.select_for_update().get(pk=server.pk)
        halted = change_and_log_allowed_state_notifying_failure(
            server.pk, ServerState.OFFLINE, "stopped at once", user, lease_token=None, lease_until=None
        )
        if halted:
            return_calls_and_end_open_attempts(
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
        if not idle.exists() or Call.objects.filter(batch__server=server_id, state=CallState.PENDING).exists():
            return False
        return_calls_and_end_open_attempts(
            server_id, Outcome.LOST, "The worker ended before the answer arrived. The article waits again."
        )
        # A suspended worker may resume: without the token it cannot write to the calls that were returned.
        return change_and_log_allowed_state_notifying_failure(
            server_id, ServerState.OFFLINE, "stopped", lease_token=None, lease_until=None
        )
