"""Mark a queue as done once none of its calls is open."""

from django.db import connection

from servers.calls.models import Queue
from servers.calls.states import QueueState
from servers.notifications import notices
from servers.notifications.events import EventType
from servers.registry.models import Server

CLOSE_QUEUE = """
UPDATE servers_queue SET state = 'done'
WHERE id = %s AND state = 'running' AND NOT EXISTS (
    SELECT FROM servers_call WHERE queue_id = servers_queue.id AND state IN ('waiting', 'asking', 'pending')
)
"""


def close_finished_queue_and_notify_team(queue: Queue) -> None:
    """Mark a running queue without open calls as done, and notify its team if articles were loaded into it."""
    with connection.cursor() as cursor:
        cursor.execute(CLOSE_QUEUE, [queue.pk])
        closed = cursor.rowcount
    if closed and Queue.objects.filter(pk=queue.pk, end_is_news=True).update(end_is_news=False):
        notices.store_wanted_notice_and_deliveries_of_event(queue.server_id, EventType.QUEUE_DONE, queue=queue)


def close_running_queues_without_open_calls(server: Server) -> None:
    """Close running queues that did not end with a call, for example because their waiting calls were removed."""
    for queue in server.queues.all():
        if queue.state == QueueState.RUNNING:
            close_finished_queue_and_notify_team(queue)
