"""The servers that a pasted text can be sent to."""

from django.db.models import QuerySet
from django.db.models.functions import Now

from servers.calls.models import Queue
from servers.calls.states import QueueMode, QueueState
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.review.visible_servers import make_askable_queue_filter
from servers.teams.permissions import User


def list_servers_for_pasted_texts(user: User) -> QuerySet[Server]:
    """The servers that a text of this user can be sent to now, with their teams, by name.

    Those that accept pasted texts, run, can be reached as far as is known, and are accepted or of a team of the user.
    """
    resting = {"state": QueueState.RESTING, "rest_until__gt": Now()}
    live = Queue.objects.filter(make_askable_queue_filter(user), mode=QueueMode.LIVE, held=False).exclude(**resting)
    ready = Server.objects.filter(accepts_pasted_texts=True, state=ServerState.ONLINE, pk__in=live.values("server"))
    return ready.select_related("team").order_by("name", "pk")
