"""Articles that readers open while a server is stopped or unreachable: they wait in its LIVE queue until it runs again.

A server is unreachable while its LIVE queue rests (servers/calls/reachability.py). These articles come after everything
else, the latest opened first, so that nobody's articles are pushed back by what was opened long before. At most
MOST_MISSED wait for a server: then the oldest are given up and counted. A reader who opens one of them once the server
runs again moves it to the head of the queue, as any waiting article (servers/calls/queues/contents.py).
"""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from annotations.articles.models import Article
from servers.calls.models import Call, Queue
from servers.calls.queues.closing import close_finished_queue_and_notify_team
from servers.calls.queues.contents import exclude_asked_queues, list_askable_live_queues, reopen_queues
from servers.calls.states import CallState, QueueMode
from servers.registry.models import ServerEvent
from servers.registry.states import ServerState
from servers.teams.permissions import User

MOST_MISSED = 10_000
# Calls with attempts are kept, because their attempts are.
GIVE_UP_OLDEST = """
DELETE FROM servers_call WHERE state = 'waiting' AND id IN (
    SELECT oldest.id FROM unnest(%s::bigint[]) AS queue(id) CROSS JOIN LATERAL (
        SELECT id FROM servers_call
        WHERE queue_id = queue.id AND priority = %s AND state = 'waiting'
        ORDER BY due DESC, id DESC OFFSET %s
    ) oldest
    WHERE NOT EXISTS (SELECT FROM servers_attempt WHERE call_id = oldest.id)
) RETURNING queue_id
"""


def make_recently_stopped_filter() -> Q:
    """The condition that the server of a queue is not online, but was within MISSED_ARTICLES_DAYS."""
    since = timezone.now() - timedelta(days=settings.MISSED_ARTICLES_DAYS)
    stops = ServerEvent.objects.filter(
        server=OuterRef("server"), before__in=[ServerState.ONLINE, ServerState.HALTING], at__gte=since
    )
    return ~Q(server__state=ServerState.ONLINE) & Q(Exists(stops))


def is_missed_by_stopped_or_unreachable_server(article: Article, user: User) -> bool:
    """Whether enqueue_for_stopped_and_unreachable_servers would add a call: 1 query."""
    return not article.blind and _list_stopped_and_online_queues_that_miss(article, user).exists()


@transaction.atomic
def enqueue_for_stopped_and_unreachable_servers(article: Article, user: User) -> int:
    """Add a call to the LIVE queue of every recently stopped or unreachable server that misses the article.

    A server misses it without a Result and without an open or failed call; returns how many do. user is the reader who
    opened the article; as for other servers, those that are not accepted are skipped unless it is a member of their
    teams, and blind articles are not enqueued.

    Call it after contents.enqueue_or_prioritize_missing_nonblind_live_calls, which has added the calls of the servers
    that can be reached: the article waits for every online server that is left, so that it is not lost if a queue
    ceases to rest in between.
    """
    return _enqueue_missed_article(article, _list_stopped_and_online_queues_that_miss(article, user))


@transaction.atomic
def enqueue_for_unreachable_servers(article: Article, user: User) -> int:
    """As enqueue_for_stopped_and_unreachable_servers, for servers that are online only."""
    return _enqueue_missed_article(article, _list_online_queues_that_miss(article, user))


def _enqueue_missed_article(article: Article, missing: QuerySet[Queue]) -> int:
    if article.blind:
        return 0
    queues = list(missing)
    Call.objects.bulk_create(
        (
            Call(queue=queue, server_id=queue.server_id, article=article, priority=Call.Priority.MISSED)
            for queue in queues
        ),
        ignore_conflicts=True,
    )
    if queues:
        reopen_queues([queue.pk for queue in queues])
        _give_up_oldest(queues, MOST_MISSED)
    return len(queues)


@transaction.atomic
def give_up_missed_articles(server_id: int) -> None:
    """Remove the articles that readers opened, because the server is not accepted any more."""
    queues = list(Queue.objects.filter(server=server_id, mode=QueueMode.LIVE))
    _give_up_oldest(queues, 0)
    for queue in queues:
        close_finished_queue_and_notify_team(queue)


def remove_missed_calls_for_article(article: Article) -> None:
    """Let no stopped server get the article later, because administrators took it down."""
    missed = Call.objects.filter(article=article, priority=Call.Priority.MISSED, state=CallState.WAITING)
    missed.filter(attempts__isnull=True).delete()


def _list_stopped_and_online_queues_that_miss(article: Article, user: User) -> QuerySet[Queue]:
    running_or_stopped = Q(server__state=ServerState.ONLINE) | make_recently_stopped_filter()
    return exclude_asked_queues(list_askable_live_queues(article, user).filter(running_or_stopped), article)


def _list_online_queues_that_miss(article: Article, user: User) -> QuerySet[Queue]:
    online = list_askable_live_queues(article, user).filter(server__state=ServerState.ONLINE)
    return exclude_asked_queues(online, article)


def _give_up_oldest(queues: Sequence[Queue], kept: int) -> None:
    """Remove the missed articles of each queue but the latest ones, and count them: 1 query, 1 more for each queue."""
    with connection.cursor() as cursor:
        cursor.execute(GIVE_UP_OLDEST, [[queue.pk for queue in queues], Call.Priority.MISSED, kept])
        removed = [queue_id for (queue_id,) in cursor.fetchall()]
    for queue_id in sorted(set(removed)):
        Queue.objects.filter(pk=queue_id).update(given_up=F("given_up") + removed.count(queue_id))
