"""Articles without an answer because of an error of the meta-server: list their calls, and have them sent again.

A server that answered an article, validly or not, is not sent it again, so that this is safe in tests.
"""

from collections import Counter

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from servers.calls.leases.lease import lock_servers_and_read_field
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues.contents import reopen_queues
from servers.calls.states import ANSWERED_OUTCOMES, CallState, Outcome
from servers.registry.models import Server


def list_calls_failed_by_meta_server() -> QuerySet[Call]:
    """The newest calls of their articles in their queues that FAILED because of an error of the meta-server.

    Calls of articles that the server answered at any time in the same queue are not among them.
    """
    same_article = {"queue": OuterRef("queue"), "article": OuterRef("article")}
    later = Call.objects.filter(**same_article, pk__gt=OuterRef("pk"))
    # A call fails with the message of its last attempt.
    own_error = Attempt.objects.filter(call=OuterRef("pk"), outcome=Outcome.OUR_FAULT, message=OuterRef("reason"))
    answered = Attempt.objects.filter(
        call__queue=OuterRef("queue"), call__article=OuterRef("article"), outcome__in=ANSWERED_OUTCOMES
    )
    return Call.objects.filter(Exists(own_error), ~Exists(later), ~Exists(answered), state=CallState.FAILED)


@transaction.atomic
def enqueue_articles_of_failed_calls_again(failed_calls: QuerySet[Call]) -> Counter[int]:
    """Add a call for the article of each of these calls; the number of new calls by queue id.

    failed_calls: a selection of list_calls_failed_by_meta_server. The rows of the servers are locked before it is read,
    so that two requests at the same time add each call once.
    """
    lock_servers_and_read_field(Server.objects.filter(pk__in=failed_calls.values("server")), "state")
    calls = [
        Call(queue_id=call.queue_id, server_id=call.server_id, article_id=call.article_id, priority=call.priority)
        for call in failed_calls.order_by("queue", "due", "pk")
    ]
    Call.objects.bulk_create(calls, batch_size=2000)
    added = Counter(call.queue_id for call in calls)
    if added:
        reopen_queues(added)
        Queue.objects.filter(pk__in=list(added)).update(end_is_news=True)
    return added
