"""Record what calls and probes show about a server: whether it is up, down or paused, and its system version.

A downtime begins with the first of three consecutive failures and ends with the first success. While the server is up,
nothing is written. The caller holds the server's lease or has locked its row.
"""

from django.db import connection
from django.db.models import F

from servers.availability.probe import ProbeStatus
from servers.calls.states import Outcome
from servers.registry.models import Server

STRIKES_TO_DOWNTIME = 3
UP_OUTCOMES = frozenset({Outcome.ANSWERED, Outcome.EMPTY, Outcome.INVALID})
DOWN_OUTCOMES = frozenset({Outcome.CONNECTION, Outcome.COMMUNICATION, Outcome.UNAVAILABLE, Outcome.NO_ANSWER})
ADD_STRIKE = """
WITH struck AS (
    UPDATE servers_server SET
        strikes = strikes + 1,
        struck_since = CASE WHEN strikes = 0 THEN statement_timestamp() ELSE struck_since END
    WHERE id = %s RETURNING id, strikes, struck_since
)
INSERT INTO servers_downtime (server_id, sort, started)
SELECT id, 'down', struck_since FROM struck WHERE strikes = %s ON CONFLICT DO NOTHING
"""
END_DOWNTIMES = """
WITH cleared AS (UPDATE servers_server SET strikes = 0, struck_since = NULL WHERE id = %s)
UPDATE servers_downtime SET ended = statement_timestamp() WHERE server_id = %s AND ended IS NULL
"""
BEGIN_PAUSE = """
WITH paused AS (
    UPDATE servers_server SET strikes = 0, struck_since = coalesce(struck_since, statement_timestamp())
    WHERE id = %s RETURNING id
), ended AS (
    UPDATE servers_downtime SET ended = statement_timestamp() WHERE server_id = %s AND sort = 'down' AND ended IS NULL
)
INSERT INTO servers_downtime (server_id, sort, started)
SELECT id, 'paused', statement_timestamp() FROM paused ON CONFLICT DO NOTHING
"""


def update_strikes_and_downtimes_if_conclusive(server: Server, outcome: Outcome) -> None:
    """Record what a call's outcome shows; stops, crashes and errors of the meta-server show nothing."""
    if outcome in UP_OUTCOMES:
        update_strikes_and_downtimes(server, ProbeStatus.UP)
    elif outcome in DOWN_OUTCOMES:
        update_strikes_and_downtimes(server, ProbeStatus.DOWN)


def update_strikes_and_downtimes(server: Server, status: ProbeStatus) -> None:
    """Record the status of a server; for UP there is a query only if `server.struck_since` shows earlier failures."""
    if status is ProbeStatus.DOWN:
        _execute_statement(ADD_STRIKE, [server.pk, STRIKES_TO_DOWNTIME])
    elif status is ProbeStatus.PAUSED:
        _execute_statement(BEGIN_PAUSE, [server.pk, server.pk])
    elif server.struck_since is not None:
        end_open_downtimes_and_reset_strikes(server.pk)


def store_nonempty_reported_version_if_changed(server: Server, reported_version: str) -> None:
    """Store the system version that the server reports in place of the one that its team has entered, unless empty."""
    if reported_version and reported_version != server.stated_version:
        Server.objects.filter(pk=server.pk).update(stated_version=reported_version, version=F("version") + 1)
        server.stated_version = reported_version


def end_open_downtimes_and_reset_strikes(server_id: int) -> None:
    """End open downtimes and reset the count of failures."""
    _execute_statement(END_DOWNTIMES, [server_id, server_id])


def _execute_statement(statement: str, parameters: list[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
