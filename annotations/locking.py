"""One worker at a time: locks of the database, which it sets free by itself when their worker dies."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def alone(lock: int) -> Iterator[bool]:
    """Whether nobody else is within a block under this number; the lock is kept until the end of the block."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [lock])
        (free,) = cursor.fetchone()
    try:
        yield free
    finally:
        if free:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [lock])
