"""How many servers of one team are asked at once, so that no team takes all places from the others.

There are ASKING_SLOTS places: the threads of all workers of the queue "asking". They are shared equally among the teams
that have a server asked or waiting, and even a team alone leaves a quarter of them free for whoever comes next, as a
call may hold its place for ten minutes.
"""

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now

from servers.lease import free
from servers.models import Server
from servers.queueing import something_due
from servers.states import ServerState


def over_share(server_id: int) -> bool:
    """Whether the server's team has as many servers asked now as are its share."""
    team = Server.objects.values_list("team", flat=True).get(pk=server_id)
    leased = Q(lease_until__gt=Now())
    waiting = Q(free(), something_due(), state=ServerState.ONLINE)
    teams = set(Server.objects.filter(leased | waiting).values_list("team", flat=True)) | {team}
    return Server.objects.filter(leased, team=team).count() >= share(settings.ASKING_SLOTS, len(teams))


def share(slots: int, teams: int) -> int:
    """The places of one of so many teams, at least one."""
    return max(1, min(slots // teams, slots * 3 // 4))
