"""What each call and each probe says of a server: up, down or paused, and which version of its system it is. For
whoever holds the server's row or its lease.

A downtime begins with the first of three failures in a row and ends with the first that is good. While all is well
nothing is written.
"""

from django.db import connection
from django.db.models import F

from servers.availability.looking import Seen
from servers.models import Server
from servers.states import Outcome

STRIKES = 3
UP = frozenset({Outcome.ANSWERED, Outcome.EMPTY, Outcome.INVALID})
DOWN = frozenset({Outcome.CONNECTION, Outcome.COMMUNICATION, Outcome.NO_ANSWER})
STRIKE = """
WITH struck AS (
    UPDATE servers_server SET
        strikes = strikes + 1,
        struck_since = CASE WHEN strikes = 0 THEN statement_timestamp() ELSE struck_since END
    WHERE id = %s RETURNING id, strikes, struck_since
)
INSERT INTO servers_downtime (server_id, sort, started)
SELECT id, 'down', struck_since FROM struck WHERE strikes = %s ON CONFLICT DO NOTHING
"""
END = """
WITH cleared AS (UPDATE servers_server SET strikes = 0, struck_since = NULL WHERE id = %s)
UPDATE servers_downtime SET ended = statement_timestamp() WHERE server_id = %s AND ended IS NULL
"""
PAUSE = """
WITH paused AS (
    UPDATE servers_server SET strikes = 0, struck_since = coalesce(struck_since, statement_timestamp())
    WHERE id = %s RETURNING id
), ended AS (
    UPDATE servers_downtime SET ended = statement_timestamp() WHERE server_id = %s AND sort = 'down' AND ended IS NULL
)
INSERT INTO servers_downtime (server_id, sort, started)
SELECT id, 'paused', statement_timestamp() FROM paused ON CONFLICT DO NOTHING
"""


def note_outcome(server: Server, outcome: Outcome) -> None:
    """What a call showed; a halt, a crash or a fault of ours shows nothing."""
    if outcome in UP:
        note(server, Seen.UP)
    elif outcome in DOWN:
        note(server, Seen.DOWN)


def note(server: Server, seen: Seen) -> None:
    """`struck_since` of the server as it was read tells whether there is anything to take back."""
    if seen is Seen.DOWN:
        execute(STRIKE, [server.pk, STRIKES])
    elif seen is Seen.PAUSED:
        execute(PAUSE, [server.pk, server.pk])
    elif server.struck_since is not None:
        begin_anew(server.pk)


def note_version(server: Server, said: str) -> None:
    """Which version of its system the server says that it is, if it says so: that counts more than its team's word."""
    if said and said != server.stated_version:
        Server.objects.filter(pk=server.pk).update(stated_version=said, version=F("version") + 1)
        server.stated_version = said


def begin_anew(server_id: int) -> None:
    """Nothing speaks against the server from now on."""
    execute(END, [server_id, server_id])


def execute(statement: str, values: list[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
