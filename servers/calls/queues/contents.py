"""Add articles to a server's queues or remove them, and wake the loop that makes the calls."""

from collections.abc import Iterable, Sequence

from django.db import connection, transaction
from django.db.models import DateTimeField, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Greatest, Now

from annotations.articles.models import Article, ArticleTakedown
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.states import PRIVATE_STATES, ManuscriptState
from annotations.results.models import CARRIED_TEXT, Producer, Result
from servers.calls.leases.lease import lock_servers_and_read_field
from servers.calls.models import Call, Queue
from servers.calls.queues.wake_ups import enqueue_server_loop_after_commit
from servers.calls.states import OPEN_CALLS, CallState, QueueMode, QueueState
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.review.states import ReviewState
from servers.review.visible_servers import make_askable_queue_filter
from servers.teams.permissions import User

# The number of new calls from which the planner's statistics are updated.
ANALYZE_THRESHOLD = 1000
# The number of calls that are removed per transaction.
CLEAR_BATCH = 2000
PRIORITY_BY_MODE = {
    QueueMode.TEST: Call.Priority.TEST,
    QueueMode.TRAINING: Call.Priority.TRAINING,
    QueueMode.LIVE: Call.Priority.LIVE,
}


@transaction.atomic
def get_or_create_queue_and_producer(server: Server, mode: QueueMode, phase_name: str = "") -> Queue:
    """The server's queue of this mode and phase name; it is created with its producer if there is none yet."""
    locked = Server.objects.select_for_update().get(pk=server.pk)
    queue = Queue.objects.filter(server=server, mode=mode, name=phase_name).first()
    if queue is not None:
        return queue
    public = mode == QueueMode.LIVE and locked.review == ReviewState.ACCEPTED
    producer = Producer.objects.create(
        sort=Producer.Type.SERVER, name=server.name, public=public, server=server.pk, entity_types=locked.entity_types
    )
    return Queue.objects.create(server=server, mode=mode, name=phase_name, producer=producer)


@transaction.atomic
def enqueue_articles_without_open_or_test_call(
    queue: Queue, article_ids: Sequence[int], priority: int | None = None
) -> int:
    """Add a call for each article without an open one in this queue; returns the number of new calls.

    In a TEST queue, articles that have any call are skipped, in a LIVE queue manuscripts that its server may not get
    any more. priority None is the priority of the queue's mode.
    """
    before = queue.calls.count()
    excluded = _list_articles_to_skip(queue)
    Call.objects.bulk_create(
        (
            Call(
                queue=queue,
                server_id=queue.server_id,
                article_id=article_id,
                priority=PRIORITY_BY_MODE[QueueMode(queue.mode)] if priority is None else priority,
            )
            for article_id in article_ids
            if article_id not in excluded
        ),
        batch_size=2000,
        ignore_conflicts=True,
    )
    added = queue.calls.count() - before
    if added:
        # Lock the server's row before the queue's, in the order in which the loop locks them.
        reopen_queues([queue.pk])
        Queue.objects.filter(pk=queue.pk).update(end_is_news=True)
    if added >= ANALYZE_THRESHOLD:
        transaction.on_commit(_analyze_call_table, robust=True)
    return added


def _list_articles_to_skip(queue: Queue) -> set[int]:
    if queue.mode == QueueMode.TEST:
        return set(queue.calls.values_list("article_id", flat=True))
    if queue.mode != QueueMode.LIVE:
        return set()
    confidential = Server.objects.filter(pk=queue.server_id, confidential=True)
    unpublished = Manuscript.objects.exclude(state=ManuscriptState.PUBLISHED)
    unsendable = unpublished.exclude(Exists(confidential), state__in=PRIVATE_STATES)
    return set(unsendable.values_list("article_id", flat=True))


def _analyze_call_table() -> None:
    """Update the planner's statistics after adding many calls; with old ones each claim would sort the whole queue."""
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {connection.ops.quote_name(Call._meta.db_table)}")


def reopen_queues(queue_ids: Iterable[int]) -> None:
    """Let queues that are DONE run again, refresh their pages and wake their servers.

    The servers' rows are locked first, as the loop does before it closes a queue: it has then either seen the new calls
    or has already marked the queue as DONE.
    """
    queues = Queue.objects.filter(pk__in=list(queue_ids))
    states = lock_servers_and_read_field(Server.objects.filter(pk__in=queues.values("server")), "state")
    Server.objects.filter(pk__in=list(states)).update(version=F("version") + 1)
    queues.filter(state=QueueState.DONE).update(state=QueueState.RUNNING)
    for server_id, state in states.items():
        if state == ServerState.ONLINE:
            enqueue_server_loop_after_commit(server_id)


def has_live_calls_to_add_or_prioritize(article: Article, user: User) -> bool:
    """Whether enqueue_or_prioritize_missing_nonblind_live_calls would change anything: 2 queries at most."""
    if article.blind:
        return False
    live = _list_reachable_live_queues(article, user)
    return exclude_asked_queues(live, article).exists() or _list_calls_to_prioritize(live, article).exists()


@transaction.atomic
def enqueue_or_prioritize_missing_nonblind_live_calls(article: Article, user: User) -> int:
    """Add a call to the LIVE queue of every reachable server without a current Result for it; returns how many.

    user is the reader who opened the article: servers that are not accepted are only asked for members of their teams.
    Waiting calls for the article move to the head of their queue, behind those that are there already. Blind articles
    are not enqueued, as servers are asked to annotate them in their phase only, nor are those that were taken down.
    Servers that are stopped or unreachable are left to servers/calls/queues/missed_articles.py.
    """
    if article.blind:
        return 0
    live = _list_reachable_live_queues(article, user)
    _list_calls_to_prioritize(live, article).update(
        priority=Call.Priority.FRONT_PAGE, due=Greatest(F("due"), Now(), output_field=DateTimeField())
    )
    missing = [queue.pk for queue in exclude_asked_queues(live, article)]
    Call.objects.bulk_create(
        (
            Call(queue_id=queue.pk, server_id=queue.server_id, article=article, priority=Call.Priority.FRONT_PAGE)
            for queue in live.filter(pk__in=missing)
        ),
        ignore_conflicts=True,
    )
    if missing:
        reopen_queues(missing)
    return len(missing)


def list_askable_live_queues(article: Article, user: User) -> QuerySet[Queue]:
    """The LIVE queues of the servers in any state that are asked for the article if the user opens it.

    None if administrators took it down.
    """
    return Queue.objects.filter(
        make_askable_queue_filter(user),
        ~Exists(ArticleTakedown.objects.filter(article=article)),
        mode=QueueMode.LIVE,
        held=False,
    )


def _list_reachable_live_queues(article: Article, user: User) -> QuerySet[Queue]:
    """Those of servers that are online and do not rest because they could not be reached."""
    askable = list_askable_live_queues(article, user).filter(server__state=ServerState.ONLINE)
    return askable.exclude(state=QueueState.RESTING)


def exclude_asked_queues(queues: QuerySet[Queue], article: Article) -> QuerySet[Queue]:
    """The queues without a current Result for the article, and without a call for it that is open or FAILED.

    What was moved from an earlier text is no answer to the present one.
    """
    answered = Result.objects.filter(
        Q(moved_from__isnull=True) | Q(moved_from=CARRIED_TEXT),
        article=article,
        text_version=article.text_version,
        producer=OuterRef("producer"),
        superseded__isnull=True,
    )
    open_or_failed = Call.objects.filter(queue=OuterRef("pk"), article=article).exclude(
        state__in=[CallState.ANSWERED, CallState.EMPTY]
    )
    return queues.filter(~Exists(answered), ~Exists(open_or_failed))


def _list_calls_to_prioritize(queues: QuerySet[Queue], article: Article) -> QuerySet[Call]:
    """The calls for the article that wait in these queues, but not at the head."""
    return Call.objects.filter(
        queue__in=queues, article=article, state=CallState.WAITING, priority__gt=Call.Priority.FRONT_PAGE
    )


@transaction.atomic
def enqueue_nontest_articles_whose_last_call_failed(queue: Queue) -> int:
    """Add a call for every article whose last call FAILED; returns how many."""
    latest = Call.objects.filter(queue=queue, article=OuterRef("article"), pk__gt=OuterRef("pk"))
    failed = queue.calls.filter(~Exists(latest), state=CallState.FAILED)
    return enqueue_articles_without_open_or_test_call(queue, list(failed.values_list("article_id", flat=True)))


@transaction.atomic
def enqueue_all_articles_again_unless_test(queue: Queue) -> int:
    """Add a call for every article that ever was in the queue; returns how many."""
    return enqueue_articles_without_open_or_test_call(
        queue, list(queue.calls.order_by("article").values_list("article", flat=True).distinct())
    )


def delete_untried_or_fail_waiting_calls(queue: Queue) -> int:
    """Remove the waiting calls from the queue; returns how many. Calls with attempts are kept and end as FAILED."""
    total = 0
    while number := _clear_queue_batch(queue):
        total += number
    return total


@transaction.atomic
def _clear_queue_batch(queue: Queue) -> int:
    """Remove a batch of waiting calls; returns how many.

    The server's row is locked, so that no loop claims one of them; batches keep the lock short.
    """
    lock_servers_and_read_field(Server.objects.filter(pk=queue.server_id), "state")
    call_ids = list(queue.calls.filter(state=CallState.WAITING).values_list("pk", flat=True)[:CLEAR_BATCH])
    waiting = Call.objects.filter(pk__in=call_ids)
    waiting.filter(attempts__isnull=True).delete()
    waiting.update(state=CallState.FAILED, finished=Now(), reason="Removed from the queue by the team.")
    if _has_no_open_calls(queue):
        Queue.objects.filter(pk=queue.pk, state__in=[QueueState.RUNNING, QueueState.RESTING]).update(
            state=QueueState.DONE, rest_until=None, end_is_news=False
        )
    Server.objects.filter(pk=queue.server_id).update(version=F("version") + 1)
    return len(call_ids)


def _has_no_open_calls(queue: Queue) -> bool:
    return not queue.calls.filter(state__in=sorted(OPEN_CALLS)).exists()
