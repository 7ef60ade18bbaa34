"""What a call costs as its queue grows from 1,000 to 1,000,000 waiting calls, with the plan of the claiming query.

    python -m tests.benchmarks.queue_growth [--calls 1000000]

Each figure is the median of one loop's calls against a server that answers at once, the least of three times, as the
disk is still busy with what was just inserted. At the largest size also with nine of ten calls not yet due, with a
stopped queue of a tenth of the size before the running one, and with as many ended calls as waiting ones.
"""

import os
import statistics
import time
from collections.abc import Callable

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site
from tests.benchmarks.serial_loop import Workload, make_servers, run_quick_annotators

TIMES = 3
MORE_ARTICLES = """
INSERT INTO annotations_article (pmid, opaque, {columns})
SELECT number, 'x' || number, {columns} FROM annotations_article, generate_series(%s, %s) number WHERE pmid = 1
"""
MORE_CALLS = """
INSERT INTO servers_call (queue_id, server_id, article_id, priority, state, due, tries, task_url, reason, created)
SELECT %s, %s, id, %s, %s, now(), 0, '', '', now() FROM annotations_article WHERE pmid BETWEEN %s AND %s
"""


def execute(sql: str, values: list[object] | dict[str, object] | None = None) -> list[tuple[str, ...]]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


def add_articles(first: int, last: int) -> None:
    from annotations.articles.models import Article

    names = [field.column for field in Article._meta.concrete_fields if not field.generated]
    columns = ", ".join(name for name in names if name not in ("id", "pmid", "opaque"))
    execute(MORE_ARTICLES.format(columns=columns), [first, last])


def add_calls(queue, first: int, last: int, priority: int = 3, state: str = "waiting") -> None:
    execute(MORE_CALLS, [queue.pk, queue.server_id, priority, state, first, last])


def run_vacuum() -> None:
    """As the database does by itself after a while."""
    execute("VACUUM ANALYZE")


def measure_median(step: Callable[[], object], repeats: int) -> float:
    """The median milliseconds, the least of three times."""
    return min(measure_median_once(step, repeats) for _ in range(TIMES))


def measure_median_once(step: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        step()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def measure_call(name: str, server, token, repeats: int) -> float:
    """Print what a call and its parts cost; returns the milliseconds of a call."""
    from servers.calls import loop
    from servers.calls.claim import claim_next_call_within_rate_limit, get_server_with_queues
    from servers.calls.leases import fairness
    from servers.calls.queues.wake_ups import list_unleased_servers_with_work

    server = get_server_with_queues(server.pk)

    def claim_and_roll_back() -> None:
        from django.db import transaction

        with transaction.atomic():
            claim_next_call_within_rate_limit(server, token)
            transaction.set_rollback(True)

    run_vacuum()
    call = measure_median(lambda: loop.process_next_call_or_close_queues(server, token), repeats)
    claim = measure_median(claim_and_roll_back, repeats)
    share = measure_median(lambda: fairness.has_team_reached_slot_share(server.pk), max(repeats // 5, 1))
    sweep = measure_median(lambda: list(list_unleased_servers_with_work()), max(repeats // 5, 1))
    print(
        f"{name}: a call {call:.1f} ms, of it the claim {claim:.2f} ms; start of a slice {share:.1f} ms, "
        f"sweep {sweep:.1f} ms; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    return call


def print_plan(token) -> None:
    from django.db import transaction

    from servers.calls.claim import CLAIM

    statement = CLAIM.get_ready_text()
    with transaction.atomic():
        rows = execute("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + statement, {"lease": token, "seconds": 20.0})
        transaction.set_rollback(True)
    print("\n".join("    " + row[0] for row in rows), flush=True)


def measure_growth(server, queue, token, first: int, calls: int, repeats: int) -> float:
    """The cost of a call while the queue grows to so many calls, of which there are `first`; returns the last one."""
    sizes = [size for size in (calls // 10**step for step in (3, 2, 1, 0)) if size > first]
    costs, inserted = {}, first
    for size in sizes:
        add_articles(inserted + 1, size)
        add_calls(queue, inserted + 1, size)
        inserted = size
        costs[size] = measure_call(f"{size:>9,} waiting", server, token, repeats)
    print_ratio(f"a call of {sizes[-1]:,} / of {sizes[0]:,}", costs[sizes[-1]], costs[sizes[0]])
    print_plan(token)
    return costs[sizes[-1]]


def measure_other_queues(server, queue, token, calls: int, repeats: int, waiting: float) -> None:
    """The cost of a call when most calls are not due, are in a stopped queue or have ended."""
    from servers.calls.models import Queue
    from servers.calls.queues import contents
    from servers.calls.states import QueueMode, QueueState

    execute(
        "UPDATE servers_call SET due = now() + interval '1 hour' WHERE queue_id = %s AND id %% 10 <> 0 "
        "AND state = 'waiting'",
        [queue.pk],
    )
    cost = measure_call("nine of ten not yet due", server, token, repeats)
    print_ratio("nine of ten not yet due / all due", cost, waiting)
    print_plan(token)
    stopped = contents.get_or_create_queue_and_producer(server, QueueMode.TEST, "stopped")
    add_calls(stopped, 1, calls // 10, priority=1)
    Queue.objects.filter(pk=stopped.pk).update(state=QueueState.STOPPED)
    cost = measure_call(f"{calls // 10:,} more before them in a stopped queue", server, token, repeats)
    print_ratio("with a stopped queue before them / all due", cost, waiting)
    print_plan(token)
    ended = contents.get_or_create_queue_and_producer(server, QueueMode.TRAINING, "ended")
    add_calls(ended, 1, calls, priority=2, state="answered")
    cost = measure_call(f"{calls:,} more that have ended", server, token, repeats)
    print_ratio("with as many ended calls / all due", cost, waiting)


def main(calls: int = 1_000_000, articles: int = 100, bystanders: int = 50, repeats: int = 100) -> None:
    with set_up_empty_site(), run_quick_annotators(Workload(1, 0.0, 0)) as url:
        from servers.calls.leases import lease
        from servers.calls.leases.heartbeat import lease_heartbeat
        from servers.calls.models import Queue
        from servers.registry import lifecycle
        from servers.registry.models import Server

        make_servers(Workload(bystanders, 0.0, articles), url)
        server = Server.objects.order_by("pk")[0]
        Server.objects.exclude(pk=server.pk).update(state="online")
        queue = Queue.objects.get(server=server)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        token = lease.acquire_free_lease_of_working_server(server.pk)
        with lease_heartbeat.keep_lease(token):
            waiting = measure_growth(server, queue, token, articles, calls, repeats)
            measure_other_queues(server, queue, token, calls, repeats, waiting)


if __name__ == "__main__":
    run_main(main)
