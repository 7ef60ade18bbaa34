"""Remove a server that has no results; a server with results is kept, as they belong to its name."""

from django.db import transaction
from django.db.models import ProtectedError
from django.urls import reverse

from annotations.results.models import Producer, Result
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.calls.models import Call, Queue
from servers.inbox.entries import delete_entries_under_page
from servers.registry.models import Server
from servers.registry.states import ServerState


class ServerKeptError(Exception):
    """The server cannot be removed; the message tells its team why."""


@transaction.atomic
def delete_stopped_server_without_results_or_challenges(server: Server) -> None:
    """Delete the server with its queues, calls and attempts; raises ServerKeptError."""
    state = Server.objects.select_for_update().values_list("state", flat=True).get(pk=server.pk)
    if state not in (ServerState.OFFLINE, ServerState.FAIL):
        raise ServerKeptError(f"{server} is {state}. Stop it first.")
    producers = list(server.queues.values_list("producer_id", flat=True))
    if Result.objects.filter(producer__in=producers).exists():
        raise ServerKeptError(
            f"{server} cannot be removed because its results are kept under its name. While it is stopped, it is not "
            "called."
        )
    try:
        Call.objects.filter(server=server).delete()
        Queue.objects.filter(server=server).delete()
        Producer.objects.filter(pk__in=producers).delete()
        Server.objects.filter(pk=server.pk).delete()
        delete_entries_under_page(reverse("server", args=[server.slug]))
        record_audit_event(AuditAction.SERVER_REMOVED, server, before={"state": state}, team=server.team)
    except ProtectedError:
        raise ServerKeptError(
            f"{server} cannot be removed because it has entered a challenge. While it is stopped, it is not called."
        ) from None
