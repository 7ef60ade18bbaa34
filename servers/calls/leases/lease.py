"""The lease on a server, which lets only one loop at a time work for it. Times are by the database's clock.

The holder of the token may act for the server for a short term, which the heartbeat renews. Every write of the loop
goes through `hold_renewed_lease_in_transaction`, which renews the lease and so locks the server's row: if the token is
not the server's any more, nothing is written. Every request to the server is preceded by `renew_lease_unless_fresh`. So
a process that was suspended and resumes after its lease has expired neither writes nor sends anything.
"""

import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from bcms.lib.prepared_statements import PreparedStatement
from servers.registry.models import Server
from servers.registry.states import ServerState

# A halting server may finish its current call.
AT_WORK = (ServerState.ONLINE, ServerState.HALTING)
# Locked rows are skipped, as waiting for one of them would delay the renewal of all others.
ACQUIRE_LEASE = """
UPDATE servers_server SET lease_token = %s, lease_until = statement_timestamp() + make_interval(secs => %s)
WHERE id = (
    SELECT id FROM servers_server
    WHERE id = %s AND state = ANY(%s) AND (lease_until IS NULL OR lease_until < statement_timestamp())
    FOR NO KEY UPDATE SKIP LOCKED
)
"""
RENEW_LEASES = """
UPDATE servers_server SET lease_until = statement_timestamp() + make_interval(secs => %s)
WHERE id IN (SELECT id FROM servers_server WHERE lease_token = ANY(%s) FOR NO KEY UPDATE SKIP LOCKED)
"""
# A loop that is suspended within its transaction must not lock the rows for longer than the lease.
LIMIT_IDLE_TIME = "SET LOCAL idle_in_transaction_session_timeout = %(idle_milliseconds)s"
HOLD_LEASE = PreparedStatement(
    "hold_lease",
    {"seconds": "float8", "lease": "uuid"},
    """
UPDATE servers_server SET
    lease_until = statement_timestamp() + make_interval(secs => %(seconds)s), version = version + 1
WHERE lease_token = %(lease)s
""",
)


class LeaseLostError(Exception):
    """Another loop has the server's lease now, or the server was stopped at once: stop and discard the answer."""


def get_lease_term() -> timedelta:
    return timedelta(seconds=settings.LEASE_SECONDS)


def make_unleased_filter() -> Q:
    """The condition that no loop holds a server's lease."""
    return Q(lease_until__isnull=True) | Q(lease_until__lt=Now())


def acquire_free_lease_of_working_server(server_id: int) -> uuid.UUID | None:
    """Take the server's lease; its token, or None if another loop holds it or the server is not at work."""
    token = uuid.uuid4()
    with connection.cursor() as cursor:
        cursor.execute(
            ACQUIRE_LEASE, [token, get_lease_term().total_seconds(), server_id, [state.value for state in AT_WORK]]
        )
        return token if cursor.rowcount else None


def lock_servers_and_read_field(servers: QuerySet[Server], field_name: str) -> dict[int, Any]:
    """Lock the rows of these servers until the transaction ends; returns a field of each by the server's id.

    Rows are always locked in the order of their ids, which prevents deadlocks.
    """
    rows = servers.select_for_update(no_key=True).order_by("pk")
    return dict(rows.values_list("pk", field_name))


@contextmanager
def hold_renewed_lease_in_transaction(token: uuid.UUID) -> Iterator[None]:
    """A transaction that holds the server's lease; LeaseLostError if the token has lost it, before the block runs."""
    with transaction.atomic():
        seconds = get_lease_term().total_seconds()
        statements = f"{LIMIT_IDLE_TIME}; {HOLD_LEASE.get_ready_text()}"
        with connection.cursor() as cursor:
            cursor.execute(statements, {"idle_milliseconds": int(seconds * 500), "seconds": seconds, "lease": token})
            if not cursor.rowcount:
                raise LeaseLostError
        yield


def renew_lease_unless_fresh(token: uuid.UUID, renewed: float) -> None:
    """Make sure that the token holds its lease before a request is sent; LeaseLostError if it has lost it.

    renewed: when the statement that last renewed the lease was about to be sent, by time.monotonic(). The clock runs on
    while a process is suspended, so a renewal that itself took too long is repeated.
    """
    while is_older_than_half_term(renewed):
        renewed = time.monotonic()
        with hold_renewed_lease_in_transaction(token):
            pass


def is_older_than_half_term(moment: float) -> bool:
    """Whether a lease that was renewed at this moment, by time.monotonic(), may soon expire or has expired."""
    return time.monotonic() - moment > get_lease_term().total_seconds() / 2


def renew_leases_and_list_held_tokens(tokens: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Renew the leases of these tokens; returns the tokens that still hold one.

    A server whose row is locked keeps its term, as it is usually its own loop that locks the row and renews the lease.
    """
    token_list = list(tokens)
    with connection.cursor() as cursor:
        cursor.execute(RENEW_LEASES, [get_lease_term().total_seconds(), token_list])
    held = Server.objects.filter(lease_token__in=token_list).values_list("lease_token", flat=True)
    return {token for token in held if token is not None}


def release_lease(token: uuid.UUID) -> None:
    Server.objects.filter(lease_token=token).update(lease_token=None, lease_until=None)
