"""Calls for manuscripts: only servers whose teams accepted the confidentiality terms, and before all other calls."""

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from annotations.articles.models import Article
from annotations.curation.manuscripts.states import PRIVATE_STATES
from servers.calls.leases.lease import lock_servers_and_read_field
from servers.calls.models import Call, Queue
from servers.calls.queues.contents import list_askable_live_queues, reopen_queues
from servers.calls.states import CallState
from servers.registry.models import Server
from servers.teams.permissions import User

NO_MANUSCRIPT_ANY_MORE = "The manuscript may not be sent any more."


def list_queues_for_manuscript(article: Article, journal: User) -> QuerySet[Queue]:
    """The LIVE queues of servers that may receive it: accepted ones, and those of teams that the journal is on.

    A server that receives PMIDs gets none, as a manuscript has no PMID.
    """
    queues = list_askable_live_queues(article, journal).filter(server__confidential=True)
    return queues.exclude(server__send=Server.Send.PMID)


@transaction.atomic
def enqueue_manuscript(article: Article, journal: User) -> int:
    """Add a call at the head of each such queue, whatever the state of its server; returns how many."""
    queues = list(list_queues_for_manuscript(article, journal))
    Call.objects.bulk_create(
        (
            Call(queue=queue, server_id=queue.server_id, article=article, priority=Call.Priority.MANUSCRIPT)
            for queue in queues
        ),
        ignore_conflicts=True,
    )
    if queues:
        reopen_queues([queue.pk for queue in queues])
    return len(queues)


def remove_calls_for_manuscript(article: Article) -> None:
    """Send a manuscript to no other server, because it was withdrawn."""
    _end_waiting_calls(Call.objects.filter(article=article))


def remove_manuscript_calls_of_server(server: Server) -> None:
    """Send no other manuscript to a server, because its team does not accept the terms any more."""
    _end_waiting_calls(Call.objects.filter(server=server, article__manuscript__state__in=PRIVATE_STATES))


@transaction.atomic
def _end_waiting_calls(calls: QuerySet[Call]) -> None:
    """Delete the waiting calls; those with attempts are kept, and end as FAILED."""
    servers = calls.filter(state=CallState.WAITING).values("server")
    lock_servers_and_read_field(Server.objects.filter(pk__in=servers), "state")
    waiting = Call.objects.filter(pk__in=calls.filter(state=CallState.WAITING).values("pk"))
    waiting.filter(attempts__isnull=True).delete()
    waiting.update(state=CallState.FAILED, finished=Now(), reason=NO_MANUSCRIPT_ANY_MORE)
