"""Seconds of the clock beside seconds of processor time, which tell more where others use the machine, too."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil


@dataclass
class SpentTime:
    """Seconds of the clock, of this process and of its connection's process in the database."""

    clock: float = 0.0
    own: float = 0.0
    database: float = 0.0

    def __add__(self, other: "SpentTime") -> "SpentTime":
        return SpentTime(self.clock + other.clock, self.own + other.own, self.database + other.database)

    def __str__(self) -> str:
        return f"{self.clock:6.1f} s   (CPU: {self.own:.1f} s here, {self.database:.1f} s in the database)"

    @property
    def processor(self) -> float:
        return self.own + self.database


@contextmanager
def measure_time() -> Iterator[SpentTime]:
    """What the block takes, known at its end."""
    spent = SpentTime(time.perf_counter(), time.process_time(), read_database_time())
    yield spent
    spent.clock = time.perf_counter() - spent.clock
    spent.own = time.process_time() - spent.own
    spent.database = read_database_time() - spent.database


def read_database_time() -> float:
    """Processor time so far of the connection's process in a database on this machine."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        times = psutil.Process(cursor.fetchone()[0]).cpu_times()
    return times.user + times.system


def read_family_time(pid: int) -> float:
    """Processor time so far of a process and of all that it has started and that are running."""
    leader = psutil.Process(pid)
    return sum(sum(each.cpu_times()[:2]) for each in (leader, *leader.children(recursive=True)))
