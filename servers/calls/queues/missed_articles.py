"""Articles that readers open while a server is stopped: they wait in its LIVE queue until it is started again.

They come after everything else, the latest opened first, so that nobody's articles are pushed back by what was opened
long before. At most MOST_MISSED wait for a server: then the oldest are given up and counted.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from annotations.articles.models import Article, ArticleTakedown
from servers.calls.models import Call, Queue
from servers.calls.queues.closing import close_finished_queue_and_notify_team
from servers.calls.queues.contents import exclude_asked_queues, reopen_queues
from servers.calls.states import CallState, QueueMode
from servers.registry.models import ServerEvent
from servers.registry.states import ServerState
from servers.review.visible_servers import make_askable_queue_filter
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


def is_missed_by_stopped_server(article: Article, user: User) -> bool:
    """Whether enqueue_for_recently_stopped_servers would add a call: 1 query."""
    return not article.blind and _list_queues_that_miss(article, user).exists()


@transaction.atomic
def enqueue_for_recently_stopped_servers(article: Article, user: User) -> int:
    """Add a call to the LIVE queue of every recently stopped server without a Result for the article; returns how many.

    user is the reader who opened the article; as for servers that are online, those that are not accepted are skipped
    unless it is a member of their teams, and blind articles are not enqueued.
    """
    if article.blind:
        return 0
    queues = list(_list_queues_that_miss(article, user))
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


def _list_queues_that_miss(article: Article, user: User) -> QuerySet[Queue]:
    queues = Queue.objects.filter(
        make_askable_queue_filter(user),
        make_recently_stopped_filter(),
        ~Exists(ArticleTakedown.objects.filter(article=article)),
        mode=QueueMode.LIVE,
        held=False,
    )
    return exclude_asked_queues(queues, article)


def _give_up_oldest(queues: Sequence[Queue], kept: int) -> None:
    """Remove the missed articles of each queue but the latest ones, and count them: 1 query, 1 more for each queue."""
    with connection.cursor() as cursor:
        cursor.execute(GIVE_UP_OLDEST, [[queue.pk for queue in queues], Call.Priority.MISSED, kept])
        removed = [queue_id for (queue_id,) in cursor.fetchall()]
    for queue_id in sorted(set(removed)):
        Queue.objects.filter(pk=queue_id).update(given_up=F("given_up") + removed.count(queue_id))
