"""Calls a second with one, two and four processes that call servers: 48 servers that answer at once.

    python -m tests.benchmarks.worker_groups [GROUPS ...] [--articles 100]

Each number of processes on services of its own, beside the same workers for the other work. Prints for each the calls a
second and for a second of processor time (of the calling processes and of the database), the most connections at once,
and the time between a server's answer and its next request. The aim: four processes do at least 0.8 of the calls that
one does in a second of processor time.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site
from tests.benchmarks.serial_loop import (
    ROOT,
    Workload,
    check_results,
    fetch_figures,
    make_servers,
    read_processor_seconds,
    run_queues,
    run_quick_annotators,
)
from tests.benchmarks.workers import run_workers

GROUPS = ("1", "2", "4")
SERVERS = 48
SECONDS_BETWEEN_LOOKS = 0.2


@dataclass
class Measured:
    """calls a second by the clock, and for a second of processor time."""

    calls: float
    economy: float


def measure_groups(groups: int, articles: int) -> None:
    """Print what so many calling processes do; the last line has the figures of Measured."""
    workload = Workload(SERVERS, 0.0, articles)
    with set_up_empty_site(), run_quick_annotators(workload) as url:
        make_servers(workload, url)
        with run_workers(groups) as processes, count_connections() as most:
            calling, database = [psutil.Process(process.pid) for process in processes], find_database()
            before = read_processor_seconds(calling), read_processor_seconds_with_children(database)
            seconds = run_queues()
            own = read_processor_seconds(calling) - before[0]
            stored = read_processor_seconds_with_children(database) - before[1]
            figures = fetch_figures(url)
        check_results(workload)
    print(
        f"{groups} calling: {workload.calls / seconds:6.1f} calls/s; a call takes {own / workload.calls * 1000:.2f} ms "
        f"of processor there and {stored / workload.calls * 1000:.2f} ms in the database; "
        f"at most {most[0]} connections; answer to next request "
        f"p50 {figures['p50'] * 1000:.0f} ms, p95 {figures['p95'] * 1000:.0f} ms"
    )
    print(workload.calls / seconds, workload.calls / (own + stored), flush=True)


@contextmanager
def count_connections() -> Iterator[list[int]]:
    """A list of one number, which grows to the most connections of clients at once."""
    import psycopg2

    most, over = [0], threading.Event()
    connection = psycopg2.connect(os.environ["DATABASE_URL"])
    connection.autocommit = True

    def look() -> None:
        with connection.cursor() as cursor:
            while not over.wait(SECONDS_BETWEEN_LOOKS):
                cursor.execute("SELECT count(*) - 1 FROM pg_stat_activity WHERE backend_type = 'client backend'")
                most[0] = max(most[0], cursor.fetchone()[0])

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()
        connection.close()


def find_database() -> psutil.Process:
    """The process of the database that starts all others."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return psutil.Process(cursor.fetchone()[0]).parent()


def read_processor_seconds_with_children(process: psutil.Process) -> float:
    """Also of children that have ended."""
    return sum(process.cpu_times()[:4]) + read_processor_seconds(process.children(recursive=True))


def main(*groups: str, articles: int = 100, inside: int = 0) -> None:
    """inside: measure this number in this process"""
    if inside:
        measure_groups(inside, articles)
        return
    env = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    measured: dict[str, Measured] = {}
    for number in groups or GROUPS:
        command = [
            sys.executable,
            "-m",
            "tests.benchmarks.worker_groups",
            "--inside",
            number,
            "--articles",
            f"{articles}",
        ]
        told, figures = subprocess.check_output(command, cwd=ROOT, env=env, text=True).splitlines()[-2:]
        print(told, flush=True)
        measured[number] = Measured(*map(float, figures.split()))
    first, *others = measured
    for number in others:
        print_ratio(f"calls/s, {number} / {first}", measured[number].calls, measured[first].calls)
        print_ratio(f"calls by processor, {number} / {first}", measured[number].economy, measured[first].economy)


if __name__ == "__main__":
    run_main(main)
