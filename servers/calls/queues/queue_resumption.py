"""Continue a stopped queue as its team decides: in a test no article is sent again or skipped otherwise."""

from django.db import transaction
from django.db.models import F

from servers.calls.models import Call, Queue
from servers.calls.outcomes.call_end import end_waiting_call_superseding_with_empty_results
from servers.calls.queues.wake_ups import enqueue_server_loop_after_commit
from servers.calls.states import QueueState
from servers.registry.models import Server
from servers.registry.states import ServerState

PASSED_OVER_CODE = "passed-over"


def resume_queue_retrying_stopped_article(queue: Queue) -> bool:
    """Retry the article on which the queue stopped; False if the queue is not stopped any more."""
    with transaction.atomic():
        return _lock_and_resume_queue(queue) is not None


def resume_queue_skipping_stopped_article(queue: Queue) -> bool:
    """Skip the article on which the queue stopped, with an empty Result; False if the queue is not stopped any more."""
    with transaction.atomic():
        call = _lock_and_resume_queue(queue)
        return call is not None and end_waiting_call_superseding_with_empty_results(
            call, PASSED_OVER_CODE, f"Skipped by the team. The last try failed: {call.reason}"
        )


def _lock_and_resume_queue(queue: Queue) -> Call | None:
    """Let a stopped queue run again; the call on which it stopped, or None if it is not stopped.

    Locks the server's row until the transaction ends.
    """
    server = Server.objects.select_for_update(no_key=True).get(pk=queue.server_id)
    stopped = Queue.objects.filter(pk=queue.pk, state=QueueState.STOPPED)
    related = Call.objects.select_related("queue__producer", "server", "article")
    call = related.filter(pk__in=stopped.values("stopped_on")).first()
    if not stopped.update(state=QueueState.RUNNING, stopped_on=None):
        return None
    Server.objects.filter(pk=server.pk).update(version=F("version") + 1)
    if server.state == ServerState.ONLINE:
        enqueue_server_loop_after_commit(server.pk)
    return call
