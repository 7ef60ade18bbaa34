"""How many servers of one team are asked at once, so that no team takes all places from the others.

There are ASKING_SLOTS places: the threads of all workers of the queue "asking". They are shared equally among the teams
that have a server asked or waiting, and even a team alone leaves a quarter of them free for whoever comes next, as a
call may hold its place for ten minutes.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction

TURN = """
SET LOCAL idle_in_transaction_session_timeout = '5s';
SELECT pg_advisory_xact_lock('servers_team'::regclass::int, team_id::int) FROM servers_server WHERE id = %s
"""
# In SQL, as each slice begins and ends with it, and putting it together takes the ORM longer than the database.
ASKED = "coalesce(server.lease_until > statement_timestamp(), false)"
# The order and the LIMIT keep the planner at the index next_call_of_queue: else it would read all that waits.
WAITING = f"""
server.state = 'online' AND NOT {ASKED} AND coalesce((
    SELECT true FROM servers_queue queue
    WHERE queue.server_id = server.id AND NOT queue.held AND (
        queue.state = 'running' OR queue.state = 'resting' AND queue.rest_until <= statement_timestamp()
    ) AND (
        SELECT true FROM servers_call
        WHERE queue_id = queue.id AND state = 'waiting' AND due <= statement_timestamp()
        ORDER BY priority, due, id LIMIT 1
    ) LIMIT 1
), false)
"""
WISHES = f"SELECT id, team_id, {ASKED} FROM servers_server server WHERE id = %s OR {ASKED} OR {WAITING}"


@contextmanager
def turn_of_team(server_id: int) -> Iterator[None]:
    """A transaction in which no other server of the team takes a place: servers that were woken at once count on."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(TURN, [server_id])
        yield


@dataclass(frozen=True, slots=True)
class Wish:
    """A server that is asked, or waits to be."""

    server: int
    team: int
    asked: bool


def over_share(server_id: int) -> bool:
    """Whether the server's team has as many servers asked now as are its share."""
    wishes = wishes_with(server_id)
    team = team_of(server_id, wishes)
    return sum(wish.asked and wish.team == team for wish in wishes) >= places(wishes)


def gives_way(server_id: int) -> bool:
    """Whether the server, whose slice has ended, leaves its place to another: its team wants more than its share."""
    wishes = wishes_with(server_id)
    team = team_of(server_id, wishes)
    return sum(wish.team == team and wish.server != server_id for wish in wishes) >= places(wishes)


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS (SELECT FROM servers_server server WHERE {WAITING})")
        return bool(cursor.fetchone()[0])


def wishes_with(server_id: int) -> list[Wish]:
    """All that are asked or wait, and this one, in one query."""
    with connection.cursor() as cursor:
        cursor.execute(WISHES, [server_id])
        return [Wish(*row) for row in cursor.fetchall()]


def team_of(server_id: int, wishes: Sequence[Wish]) -> int:
    return next(wish.team for wish in wishes if wish.server == server_id)


def places(wishes: Sequence[Wish]) -> int:
    """The share of each team in all places, as they are now."""
    return share(settings.ASKING_SLOTS, len({wish.team for wish in wishes}))


def share(slots: int, teams: int) -> int:
    """The places of one of so many teams, at least one."""
    return max(1, min(slots // teams, slots * 3 // 4))
