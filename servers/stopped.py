"""What a team does with a queue that stopped: in a test nothing is asked again or skipped without its word."""

from django.db import transaction
from django.db.models import F

from servers.models import Call, Queue, Server
from servers.queueing import wake
from servers.settling import pass_over
from servers.states import QueueState, ServerState

PASSED_OVER = "passed-over"


def retry(queue: Queue) -> bool:
    """Ask again for the article that the queue stopped on; False when the queue does not stand still any more."""
    with transaction.atomic():
        return go_on(queue) is not None


def next_article(queue: Queue) -> bool:
    """Go on behind the article that the queue stopped on, which gets an empty Result; False as in retry."""
    with transaction.atomic():
        call = go_on(queue)
        return call is not None and pass_over(
            call, PASSED_OVER, f"Passed over by the team. The last try ended so: {call.reason}"
        )


def go_on(queue: Queue) -> Call | None:
    """The queue runs again; the call that it stood on, None when it does not stand still. Holds the server's row."""
    server = Server.objects.select_for_update(no_key=True).get(pk=queue.server_id)
    stopped = Queue.objects.filter(pk=queue.pk, state=QueueState.STOPPED)
    call = Call.objects.select_related("queue__producer", "server", "article").filter(
        pk__in=stopped.values("stopped_on")
    )
    found = call.first()
    if not stopped.update(state=QueueState.RUNNING, stopped_on=None):
        return None
    Server.objects.filter(pk=server.pk).update(version=F("version") + 1)
    if server.state == ServerState.ONLINE:
        wake(server.pk)
    return found
