"""Database queries about servers: a list with the progress of each, and the latest changes of state."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet

from servers.availability.queries import WindowFigures, build_published_server
from servers.calls.models import Queue
from servers.calls.queries import QueueProgress, compute_counts_and_pace_of_queues
from servers.calls.states import QueueMode
from servers.registry.models import Server, ServerEvent


@dataclass(frozen=True, slots=True)
class ListedServer:
    """Public data of a server; live is the progress of its LIVE queue or None, windows are its published figures."""

    server: Server
    live: QueueProgress | None
    windows: Sequence[WindowFigures]

    @property
    def down_now(self) -> bool:
        return self.windows[0].uptime.down_now


def list_servers_with_live_queue_progress(servers: QuerySet[Server]) -> list[ListedServer]:
    """Servers with the progress of their LIVE queues, sorted by name; 5 queries for any number of servers."""
    live = Prefetch("queues", Queue.objects.filter(mode=QueueMode.LIVE, name=""), to_attr="live_queues")
    listed = list(servers.select_related("team").prefetch_related(live, "figures").order_by("name", "pk"))
    queues = [queue for server in listed for queue in getattr(server, "live_queues")]  # noqa: B009
    progress = {each.queue.server_id: each for each in compute_counts_and_pace_of_queues(queues)}
    return [ListedServer(server, progress.get(server.pk), build_published_server(server).windows) for server in listed]


def list_latest_server_events(server: Server) -> list[ServerEvent]:
    """The last five changes of the server's state, newest first."""
    return list(server.events.select_related("by").order_by("-pk")[:5])
