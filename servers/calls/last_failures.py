"""The last failed attempt of each of some servers."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from servers.calls.states import Outcome

# Older failures are no news, and looking for one among all attempts of a server that never fails would take long.
NEWEST_ATTEMPTS = 100
NO_FAILURES = (Outcome.UNDER_WAY, Outcome.ANSWERED, Outcome.EMPTY, Outcome.HALTED)
LAST_FAILURES = """
    SELECT server.id, failed.outcome, failed.started
    FROM unnest(%(servers)s::bigint[]) AS server (id) CROSS JOIN LATERAL (
        SELECT outcome, started FROM (
            SELECT id, outcome, started FROM servers_attempt
            WHERE server_id = server.id ORDER BY id DESC LIMIT %(newest)s
        ) AS newest
        WHERE outcome <> ALL(%(no_failures)s::text[]) ORDER BY id DESC LIMIT 1
    ) AS failed
"""


@dataclass(frozen=True, slots=True)
class LastFailure:
    outcome: Outcome
    started: datetime


def find_last_failures_among_newest_attempts(servers: Collection[int]) -> dict[int, LastFailure]:
    """By primary key of the server, without those whose newest attempts all worked: 1 query."""
    values: dict[str, int | list[int] | list[str]] = {
        "servers": list(servers),
        "newest": NEWEST_ATTEMPTS,
        "no_failures": [outcome.value for outcome in NO_FAILURES],
    }
    with connection.cursor() as cursor:
        cursor.execute(LAST_FAILURES, values)
        return {server: LastFailure(Outcome(outcome), started) for server, outcome, started in cursor.fetchall()}
