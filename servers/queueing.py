"""Put articles into a server's queues, and wake the loop that empties them."""

from collections.abc import Iterable, Sequence

from celery import current_app
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotations.models import Article, Producer, Result
from servers.lease import AT_WORK, free, locked
from servers.models import Call, Queue, Server
from servers.states import OPEN_CALLS, CallState, QueueMode, QueueState, ServerState

# From so many new calls on the database is asked to count anew.
MANY = 1000
# So many calls are taken out of a queue at once.
PIECE = 2000
# The task by its name: servers/tasks.py stands above this module.
ASK = "servers.tasks.ask"
PRIORITY = {
    QueueMode.TEST: Call.Priority.TEST,
    QueueMode.TRAINING: Call.Priority.TRAINING,
    QueueMode.LIVE: Call.Priority.LIVE,
}


@transaction.atomic
def queue_of(server: Server, mode: QueueMode, name: str = "") -> Queue:
    """The server's queue of this mode (and phase name), made with its producer when there is none yet."""
    Server.objects.select_for_update().get(pk=server.pk)
    queue = Queue.objects.filter(server=server, mode=mode, name=name).first()
    if queue is not None:
        return queue
    producer = Producer.objects.create(sort=Producer.Sort.SERVER, name=server.name, public=mode == QueueMode.LIVE)
    return Queue.objects.create(server=server, mode=mode, name=name, producer=producer)


@transaction.atomic
def enqueue(queue: Queue, article_ids: Sequence[int], priority: int | None = None) -> int:
    """Add a call for each article that has no open one in this queue; returns how many. In a TEST queue an article
    that was asked once is never asked again."""
    before = queue.calls.count()
    asked = set(queue.calls.values_list("article_id", flat=True)) if queue.mode == QueueMode.TEST else set()
    Call.objects.bulk_create(
        (
            Call(
                queue=queue,
                server_id=queue.server_id,
                article_id=article_id,
                priority=PRIORITY[QueueMode(queue.mode)] if priority is None else priority,
            )
            for article_id in article_ids
            if article_id not in asked
        ),
        batch_size=2000,
        ignore_conflicts=True,
    )
    added = queue.calls.count() - before
    if added:
        # The server's row before the queue's, as the loop takes them.
        reopen([queue.pk])
        Queue.objects.filter(pk=queue.pk).update(end_is_news=True)
    if added >= MANY:
        transaction.on_commit(count_calls, robust=True)
    return added


def count_calls() -> None:
    """Tell the planner of a long new queue at once: while it takes it for a short one, each claim sorts all of it."""
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {connection.ops.quote_name(Call._meta.db_table)}")


def reopen(queue_ids: Iterable[int]) -> None:
    """There is work again in these queues: they run, their pages are told, and their servers are woken.

    The servers come first: a loop that finishes such a queue holds its server's row, so that it has either seen the new
    calls or has said DONE already.
    """
    queues = Queue.objects.filter(pk__in=list(queue_ids))
    states = locked(Server.objects.filter(pk__in=queues.values("server")), "state")
    Server.objects.filter(pk__in=list(states)).update(version=F("version") + 1)
    queues.filter(state=QueueState.DONE).update(state=QueueState.RUNNING)
    for server_id, state in states.items():
        if state == ServerState.ONLINE:
            wake(server_id)


@transaction.atomic
def ask_everyone(article: Article) -> int:
    """Ask every online server with a LIVE queue that has no current Result of this article; returns how many.

    A call of this article that waits already moves to the head of its queue. Nobody is asked for a blind article:
    what is asked in a LIVE queue names the PMID.
    """
    if article.corpora.filter(blind=True).exists():
        return 0
    live = Queue.objects.filter(mode=QueueMode.LIVE, held=False, server__state=ServerState.ONLINE)
    answered = Result.objects.filter(
        article=article, text_version=article.text_version, producer=OuterRef("producer"), superseded__isnull=True
    )
    open_or_failed = Call.objects.filter(queue=OuterRef("pk"), article=article).exclude(
        state__in=[CallState.ANSWERED, CallState.EMPTY]
    )
    Call.objects.filter(
        queue__in=live, article=article, state=CallState.WAITING, priority__gt=Call.Priority.FRONT_PAGE
    ).update(priority=Call.Priority.FRONT_PAGE)
    missing = [queue.pk for queue in live.filter(~Exists(answered), ~Exists(open_or_failed))]
    Call.objects.bulk_create(
        (
            Call(queue_id=queue.pk, server_id=queue.server_id, article=article, priority=Call.Priority.FRONT_PAGE)
            for queue in live.filter(pk__in=missing)
        ),
        ignore_conflicts=True,
    )
    if missing:
        reopen(missing)
    return len(missing)


@transaction.atomic
def retry_failed(queue: Queue) -> int:
    """Ask again for every article whose last call FAILED; returns how many."""
    latest = Call.objects.filter(queue=queue, article=OuterRef("article"), pk__gt=OuterRef("pk"))
    failed = queue.calls.filter(~Exists(latest), state=CallState.FAILED)
    return enqueue(queue, list(failed.values_list("article_id", flat=True)))


@transaction.atomic
def rerun(queue: Queue) -> int:
    """Ask again for every article that this queue has asked for; returns how many."""
    return enqueue(queue, list(queue.calls.order_by("article").values_list("article", flat=True).distinct()))


def clear(queue: Queue) -> int:
    """Take the waiting calls out of the queue; returns how many. Those that were tried end as FAILED."""
    number = 0
    while piece := clear_piece(queue):
        number += piece
    return number


@transaction.atomic
def clear_piece(queue: Queue) -> int:
    """Take out so many that the server's row, which comes first so that no loop takes a call, is not held for long."""
    locked(Server.objects.filter(pk=queue.server_id), "state")
    piece = list(queue.calls.filter(state=CallState.WAITING).values_list("pk", flat=True)[:PIECE])
    waiting = Call.objects.filter(pk__in=piece)
    waiting.filter(attempts__isnull=True).delete()
    waiting.update(state=CallState.FAILED, finished=Now(), reason="Taken out of the queue by the team.")
    if finished(queue):
        Queue.objects.filter(pk=queue.pk, state__in=[QueueState.RUNNING, QueueState.RESTING]).update(
            state=QueueState.DONE, rest_until=None, end_is_news=False
        )
    Server.objects.filter(pk=queue.server_id).update(version=F("version") + 1)
    return len(piece)


def something_due() -> Exists:
    """Whether a server has a call whose time has come, in a queue that runs or whose rest is over."""
    awake = Q(state=QueueState.RUNNING) | Q(state=QueueState.RESTING, rest_until__lte=Now())
    due = Call.objects.filter(queue=OuterRef("pk"), state=CallState.WAITING, due__lte=Now())
    return Exists(Queue.objects.filter(awake, Exists(due), server=OuterRef("pk"), held=False))


def servers_to_wake() -> QuerySet[Server]:
    """Servers that nobody speaks for and that have a call due, one left behind by a crash, or one to look after."""
    left = Call.objects.filter(server=OuterRef("pk"), state=CallState.ASKING)
    pending = Call.objects.filter(server=OuterRef("pk"), state=CallState.PENDING)
    to_ask = (something_due() | Exists(left)) & ~Exists(pending) & Q(state=ServerState.ONLINE)
    to_follow = Exists(pending.filter(due__lte=Now())) & Q(state__in=AT_WORK)
    return Server.objects.filter(free(), to_ask | to_follow)


def wake(server_id: int) -> None:
    """Ask the broker to run this server's loop once the transaction is committed.

    A broker that cannot be reached is logged and costs seconds: the sweep wakes what is due.
    """
    transaction.on_commit(lambda: current_app.send_task(ASK, [server_id]), robust=True)


def finished(queue: Queue) -> bool:
    return not queue.calls.filter(state__in=sorted(OPEN_CALLS)).exists()
