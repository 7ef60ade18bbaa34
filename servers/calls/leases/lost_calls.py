"""Take back the calls of a worker that crashed, and those of a server that was stopped."""

from collections.abc import Collection

from django.db.models.functions import Least, Now

from servers.calls.batches.batch_end import end_batch_without_calls_in_flight
from servers.calls.batches.batch_limits import halve_batch_limit_of_server
from servers.calls.models import Attempt, Batch, Call
from servers.calls.states import CallState, Outcome

LOST_REASON = "The worker ended before the answer arrived. The article will be sent again."


def return_lost_call_and_report_whether_pending(server_id: int) -> bool:
    """Let the ASKING calls that a crashed worker left behind wait again; True if the server's are PENDING instead.

    The caller holds the server's lease, so no worker is making them. If there are several, any of them may be what
    crashes workers, so the next request carries fewer.
    """
    states = list(Batch.objects.filter(server_id=server_id).values_list("calls__state", flat=True))
    is_pending = CallState.PENDING in states
    if states and not is_pending:
        if len(states) > 1:
            halve_batch_limit_of_server(server_id, len(states))
        return_calls_and_end_open_attempts(server_id, Outcome.LOST, LOST_REASON)
    return is_pending


def return_calls_and_end_open_attempts(
    server_id: int, attempt_outcome: Outcome, reason: str, call_states: Collection[CallState] = (CallState.ASKING,)
) -> int:
    """Let the server's calls in these states wait again at their old position; returns how many.

    Their attempts end with the outcome and do not count as tries. The caller has locked the server's row.
    """
    calls = Call.objects.filter(batch__server=server_id, state__in=call_states)
    Attempt.objects.filter(server_id=server_id, outcome=Outcome.UNDER_WAY, call__in=calls).update(
        outcome=attempt_outcome, finished=Now(), message=reason
    )
    returned = calls.update(state=CallState.WAITING, batch=None, due=Least("due", Now()), reason=reason)
    end_batch_without_calls_in_flight(server_id)
    return returned
