"""The end of a batch: once none of its calls is in flight, its row is deleted and the server may be sent another."""

from django.db import connection

END_BATCH = """
DELETE FROM servers_batch
WHERE server_id = %s AND NOT EXISTS (SELECT FROM servers_call WHERE batch_id = servers_batch.id)
"""


def end_batch_without_calls_in_flight(server_id: int) -> None:
    """Delete the server's batch if it has no calls any more. The caller has locked the server's row."""
    with connection.cursor() as cursor:
        cursor.execute(END_BATCH, [server_id])
