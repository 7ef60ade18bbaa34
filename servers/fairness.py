"""How many servers of one team are asked at once, so that no team takes all places from the others.

There are ASKING_SLOTS places: the threads of all workers of the queue "asking". They are shared equally among the teams
that have a server asked or waiting, and even a team alone leaves a quarter of them free for whoever comes next, as a
call may hold its place for ten minutes.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Now

from servers.lease import free
from servers.models import Server
from servers.queueing import something_due
from servers.states import ServerState

TURN = """
SET LOCAL idle_in_transaction_session_timeout = '5s';
SELECT pg_advisory_xact_lock('servers_team'::regclass::int, team_id::int) FROM servers_server WHERE id = %s
"""


@contextmanager
def turn_of_team(server_id: int) -> Iterator[None]:
    """A transaction in which no other server of the team takes a place: servers that were woken at once count on."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(TURN, [server_id])
        yield


def over_share(server_id: int) -> bool:
    """Whether the server's team has as many servers asked now as are its share."""
    team = team_of(server_id)
    return Server.objects.filter(leased(), team=team).count() >= places(team)


def gives_way(server_id: int) -> bool:
    """Whether the server, whose slice has ended, leaves its place to another: its team wants more than its share."""
    team = team_of(server_id)
    others = Server.objects.filter(leased() | waiting(), team=team).exclude(pk=server_id)
    return others.count() >= places(team)


def team_of(server_id: int) -> int:
    return Server.objects.values_list("team", flat=True).get(pk=server_id)


def places(team: int) -> int:
    """The team's share of all places, as the others are now."""
    teams = set(Server.objects.filter(leased() | waiting()).values_list("team", flat=True)) | {team}
    return share(settings.ASKING_SLOTS, len(teams))


def leased() -> Q:
    return Q(lease_until__gt=Now())


def waiting() -> Q:
    return Q(free(), something_due(), state=ServerState.ONLINE)


def share(slots: int, teams: int) -> int:
    """The places of one of so many teams, at least one."""
    return max(1, min(slots // teams, slots * 3 // 4))
