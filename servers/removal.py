"""Remove a server that never answered; what a server answered is kept with its name."""

from django.db import transaction
from django.db.models import ProtectedError

from annotations.models import Producer, Result
from servers.models import Call, Queue, Server
from servers.states import ServerState


class ServerKeptError(Exception):
    """Why the server cannot go; one sentence for its team."""


@transaction.atomic
def remove(server: Server) -> None:
    """Delete the server with its queues, calls and attempts; raises ServerKeptError."""
    state = Server.objects.select_for_update().values_list("state", flat=True).get(pk=server.pk)
    if state not in (ServerState.OFFLINE, ServerState.FAIL):
        raise ServerKeptError(f"{server} is {state}: halt it first.")
    producers = list(server.queues.values_list("producer_id", flat=True))
    if Result.objects.filter(producer__in=producers).exists():
        raise ServerKeptError(f"What {server} answered is kept with its name, so it stays; halted, it is never asked.")
    try:
        Call.objects.filter(server=server).delete()
        Queue.objects.filter(server=server).delete()
        Producer.objects.filter(pk__in=producers).delete()
        Server.objects.filter(pk=server.pk).delete()
    except ProtectedError:
        raise ServerKeptError(f"{server} has entered a challenge, so it stays; halted, it is never asked.") from None
