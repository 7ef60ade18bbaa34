"""Seconds of the clock beside seconds of processor time: these tell more where others use the machine, too."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil


@dataclass
class Spent:
    """Seconds of the clock, of this process and of its connection's process in the database."""

    clock: float = 0.0
    own: float = 0.0
    database: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.clock + other.clock, self.own + other.own, self.database + other.database)

    def __str__(self) -> str:
        return f"{self.clock:6.1f} s   (CPU: {self.own:.1f} s here, {self.database:.1f} s in the database)"


@contextmanager
def spending() -> Iterator[Spent]:
    """What the block spends, known at its end."""
    spent = Spent(time.perf_counter(), time.process_time(), of_database())
    yield spent
    spent.clock = time.perf_counter() - spent.clock
    spent.own = time.process_time() - spent.own
    spent.database = of_database() - spent.database


def of_database() -> float:
    """Processor time so far of the connection's process in a database on this machine."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        times = psutil.Process(cursor.fetchone()[0]).cpu_times()
    return times.user + times.system


def of_family(pid: int) -> float:
    """Processor time so far of a process and of all that it has started and that are running."""
    leader = psutil.Process(pid)
    return sum(sum(each.cpu_times()[:2]) for each in (leader, *leader.children(recursive=True)))
