"""Limit how many servers of one team are called at once, so that no team takes the slots of the others.

There are ASKING_SLOTS slots: the threads of all workers of the queue "asking". They are shared equally among the teams
with servers that hold a slot or wait for one. Even a single team leaves a quarter of them free for others, because a
call may hold its slot for ten minutes.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction

from servers.pasted_texts.queries import OPEN_FOR

LOCK_TEAM_TURN = """
SET LOCAL idle_in_transaction_session_timeout = '5s';
SELECT pg_advisory_xact_lock('servers_team'::regclass::int, team_id::int) FROM servers_server WHERE id = %s
"""
# In SQL, because every slice begins and ends with it and the ORM would take longer to build it than the database to
# execute it.
HOLDS_SLOT = "coalesce(server.lease_until > statement_timestamp(), false)"
# A text that somebody has pasted, as list_open_pasted_calls selects it; few servers take any.
WAITING_PASTED_TEXT = f"""
server.accepts_pasted_texts AND EXISTS (
    SELECT FROM servers_pastedtextcall call JOIN servers_pastedtext pasted ON pasted.id = call.text_id
    WHERE call.server_id = server.id AND call.state = 'waiting'
        AND pasted.created > statement_timestamp() - interval '{OPEN_FOR.seconds} seconds'
)
"""
# ORDER BY and LIMIT make the planner use the index next_call_of_queue instead of reading all waiting calls.
WAITING = f"""
server.state = 'online' AND NOT {HOLDS_SLOT} AND (coalesce((
    SELECT true FROM servers_queue queue
    WHERE queue.server_id = server.id AND NOT queue.held AND (
        queue.state = 'running' OR queue.state = 'resting' AND queue.rest_until <= statement_timestamp()
    ) AND (
        SELECT true FROM servers_call
        WHERE queue_id = queue.id AND state = 'waiting' AND due <= statement_timestamp()
        ORDER BY priority, due, id LIMIT 1
    ) LIMIT 1
), false) OR {WAITING_PASTED_TEXT})
"""
SELECT_SLOT_DEMANDS = (
    f"SELECT id, team_id, {HOLDS_SLOT} FROM servers_server server WHERE id = %s OR {HOLDS_SLOT} OR {WAITING}"
)


@contextmanager
def lock_team_slots_in_transaction(server_id: int) -> Iterator[None]:
    """A transaction in which no other server of the team takes a slot, so that simultaneous servers are all counted."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(LOCK_TEAM_TURN, [server_id])
        yield


@dataclass(frozen=True, slots=True)
class SlotDemand:
    """A server that holds a slot or waits for one; server and team are ids."""

    server: int
    team: int
    holds_slot: bool


def has_team_reached_slot_share(server_id: int) -> bool:
    """Whether the server's team already holds its share of the slots."""
    demands = list_slot_demands_including_server(server_id)
    team = _get_demand_team(server_id, demands)
    return sum(demand.holds_slot and demand.team == team for demand in demands) >= _compute_team_share(demands)


def must_yield_slot_to_team_servers(server_id: int) -> bool:
    """Whether a server leaves its slot to another one after its slice, as its team demands more than its share."""
    demands = list_slot_demands_including_server(server_id)
    team = _get_demand_team(server_id, demands)
    return sum(demand.team == team and demand.server != server_id for demand in demands) >= _compute_team_share(demands)


def has_server_waiting_for_slot() -> bool:
    """Whether any server with due calls waits for a slot."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS (SELECT FROM servers_server server WHERE {WAITING})")
        return bool(cursor.fetchone()[0])


def list_slot_demands_including_server(server_id: int) -> list[SlotDemand]:
    """The servers that hold a slot or wait for one, and the given server: 1 query."""
    with connection.cursor() as cursor:
        cursor.execute(SELECT_SLOT_DEMANDS, [server_id])
        return [SlotDemand(*row) for row in cursor.fetchall()]


def _get_demand_team(server_id: int, demands: Sequence[SlotDemand]) -> int:
    return next(demand.team for demand in demands if demand.server == server_id)


def _compute_team_share(demands: Sequence[SlotDemand]) -> int:
    """The current number of slots for each team."""
    return compute_team_slots_up_to_three_quarters(settings.ASKING_SLOTS, len({demand.team for demand in demands}))


def compute_team_slots_up_to_three_quarters(slot_count: int, team_count: int) -> int:
    """The number of slots for each team if they share all slots equally: at least 1, at most three quarters."""
    return max(1, min(slot_count // team_count, slot_count * 3 // 4))
