"""What a call costs as its queue grows from 1,000 to 1,000,000 waiting calls, with the plan of the claiming query.

    python -m tests.benchmarks.queue_growth [LARGEST]

Each figure is the median of one loop's calls against a server that answers at once, the least of three times, as the
disk is still busy with what was just filled in. At the largest size also with nine of ten calls not yet due, with a
stopped queue of a tenth of the size before the running one, and with as many calls ended as wait.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable

from tests.benchmarks.serial_loop import Scene, annotators_of, fill
from tests.benchmarks.workers import django_on_services

LARGEST = 1_000_000
CALLS = 100
BYSTANDERS = 50
MORE_ARTICLES = """
INSERT INTO annotations_article (pmid, opaque, {columns})
SELECT number, 'x' || number, {columns} FROM annotations_article, generate_series(%s, %s) number WHERE pmid = 1
"""
MORE_CALLS = """
INSERT INTO servers_call (queue_id, server_id, article_id, priority, state, due, tries, task_url, reason, created)
SELECT %s, %s, id, %s, %s, now(), 0, '', '', now() FROM annotations_article WHERE pmid BETWEEN %s AND %s
"""


def execute(sql: str, values: list[object] | None = None) -> list[tuple[str, ...]]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


def add_articles(first: int, last: int) -> None:
    from annotations.models import Article

    names = [field.column for field in Article._meta.concrete_fields if not field.generated]
    columns = ", ".join(name for name in names if name not in ("id", "pmid", "opaque"))
    execute(MORE_ARTICLES.format(columns=columns), [first, last])


def add_calls(queue, first: int, last: int, priority: int = 3, state: str = "waiting") -> None:
    execute(MORE_CALLS, [queue.pk, queue.server_id, priority, state, first, last])


def settle_down() -> None:
    """As the database does by itself after a while."""
    execute("VACUUM ANALYZE")


def median(step: Callable[[], object], times: int = CALLS) -> float:
    """Milliseconds."""
    return min(median_once(step, times) for _ in range(3))


def median_once(step: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        step()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def measure(name: str, server, token) -> float:
    from servers import fairness, loop, queueing
    from servers.claiming import served, take_next

    server = served(server.pk)

    def claim_and_leave() -> None:
        from django.db import transaction

        with transaction.atomic():
            take_next(server, token)
            transaction.set_rollback(True)

    settle_down()
    call = median(lambda: loop.step(server, token))
    claim = median(claim_and_leave)
    share = median(lambda: fairness.over_share(server.pk), 20)
    sweep = median(lambda: list(queueing.servers_to_wake()), 20)
    print(
        f"{name}: a call {call:.1f} ms, of it the claim {claim:.2f} ms; start of a slice {share:.1f} ms, "
        f"sweep {sweep:.1f} ms; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    return call


def show_plan(token) -> None:
    from django.db import transaction

    from servers.claiming import CLAIM, prepare

    prepare()
    with transaction.atomic():
        rows = execute("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + CLAIM, [token, 20.0])
        transaction.set_rollback(True)
    print("\n".join("    " + row[0] for row in rows), flush=True)


def main(largest: int) -> None:
    with django_on_services(), annotators_of(Scene(1, 0.0, 0)) as url:
        from servers import lease, lifecycle, queueing
        from servers.heartbeat import heart
        from servers.models import Queue, Server
        from servers.states import QueueMode, QueueState

        fill(Scene(BYSTANDERS, 0.0, 100), url)
        server = Server.objects.order_by("pk")[0]
        Server.objects.exclude(pk=server.pk).update(state="online")
        queue = Queue.objects.get(server=server)
        lifecycle.start(server)
        token = lease.take(server.pk)
        sizes = [size for size in (10**3, 10**4, 10**5, 10**6) if size <= largest]
        costs, filled = {}, 100
        with heart.alive(token):
            for size in sizes:
                add_articles(filled + 1, size)
                add_calls(queue, filled + 1, size)
                filled = size
                costs[size] = measure(f"{size:>9,} waiting", server, token)
            print(f"{sizes[-1]:,} cost {costs[sizes[-1]] / costs[sizes[0]]:.2f} times as much as {sizes[0]:,}")
            show_plan(token)
            execute(
                "UPDATE servers_call SET due = now() + interval '1 hour' WHERE queue_id = %s AND id %% 10 <> 0 "
                "AND state = 'waiting'",
                [queue.pk],
            )
            measure("nine of ten not yet due", server, token)
            show_plan(token)
            stopped = queueing.queue_of(server, QueueMode.TEST, "stopped")
            add_calls(stopped, 1, largest // 10, priority=1)
            Queue.objects.filter(pk=stopped.pk).update(state=QueueState.STOPPED)
            measure(f"{largest // 10:,} more before them in a queue that stopped", server, token)
            show_plan(token)
            ended = queueing.queue_of(server, QueueMode.TRAINING, "ended")
            add_calls(ended, 1, largest, priority=2, state="answered")
            measure(f"{largest:,} more that have ended", server, token)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LARGEST)
