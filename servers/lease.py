"""One server, one loop: the lease on a server, by the database's clock.

Whoever holds the token may speak for the server, for a short term that the heartbeat renews. Every write of the loop
goes through `held`, which renews the lease and so locks the server's row: when the token is no longer the server's,
nothing is written. A process that was stopped and thaws after its lease has gone can therefore do no harm.
"""

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from servers.models import Server
from servers.states import ServerState

# A halting server may finish what it works on for us.
AT_WORK = (ServerState.ONLINE, ServerState.HALTING)
# Rows that somebody holds are left alone: whoever waited for one would keep all the others waiting.
TAKE = """
UPDATE servers_server SET lease_token = %s, lease_until = statement_timestamp() + make_interval(secs => %s)
WHERE id = (
    SELECT id FROM servers_server
    WHERE id = %s AND state = ANY(%s) AND (lease_until IS NULL OR lease_until < statement_timestamp())
    FOR NO KEY UPDATE SKIP LOCKED
)
"""
RENEW = """
UPDATE servers_server SET lease_until = statement_timestamp() + make_interval(secs => %s)
WHERE id IN (SELECT id FROM servers_server WHERE lease_token = ANY(%s) FOR NO KEY UPDATE SKIP LOCKED)
"""
# A loop that freezes within its transaction must not keep the rows for longer than the lease.
HOLD = """
SET LOCAL idle_in_transaction_session_timeout = %s;
UPDATE servers_server SET
    lease_until = statement_timestamp() + make_interval(secs => %s), version = version + 1
WHERE lease_token = %s
"""


class LeaseLostError(Exception):
    """Somebody else speaks for the server now, or it was halted hard: stop and discard."""


def term() -> timedelta:
    return timedelta(seconds=settings.LEASE_SECONDS)


def free() -> Q:
    return Q(lease_until__isnull=True) | Q(lease_until__lt=Now())


def take(server_id: int) -> uuid.UUID | None:
    """A token for this server, or None when another loop holds it or the server is not at work."""
    token = uuid.uuid4()
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [token, term().total_seconds(), server_id, [state.value for state in AT_WORK]])
        return token if cursor.rowcount else None


def locked(servers: QuerySet[Server], field: str) -> dict[int, Any]:
    """One field of each of these servers by its id, their rows held until the transaction ends.

    Whoever holds several takes them in the order of their ids, so that no two wait for each other.
    """
    rows = servers.select_for_update(no_key=True).order_by("pk")
    return dict(rows.values_list("pk", field))


@contextmanager
def held(token: uuid.UUID) -> Iterator[None]:
    """A transaction in which the token is the server's; raises LeaseLostError before anything is written."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            milliseconds = int(term().total_seconds() * 500)
            cursor.execute(HOLD, [milliseconds, term().total_seconds(), token])
            if not cursor.rowcount:
                raise LeaseLostError
        yield


def renew(tokens: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Renew the leases that these tokens still hold; returns those.

    A server whose row is held just now keeps its term: mostly it is its own loop that holds it, and renews.
    """
    wanted = list(tokens)
    with connection.cursor() as cursor:
        cursor.execute(RENEW, [term().total_seconds(), wanted])
    mine = Server.objects.filter(lease_token__in=wanted).values_list("lease_token", flat=True)
    return {token for token in mine if token is not None}


def release(token: uuid.UUID) -> None:
    Server.objects.filter(lease_token=token).update(lease_token=None, lease_until=None)
