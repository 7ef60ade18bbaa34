"""Advisory locks of PostgreSQL for work that only one worker may do at a time; it releases those of a dead worker."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def try_advisory_lock(lock: int) -> Iterator[bool]:
    """Yield whether the lock with this number could be acquired; it is held until the end of the block.

    Through a pooler, where a session has no meaning, the block is one transaction that holds the lock.
    """
    if connection.settings_dict.get("POOLED"):
        with transaction.atomic():
            yield _acquire("SELECT pg_try_advisory_xact_lock(%s)", lock)
        return
    acquired = _acquire("SELECT pg_try_advisory_lock(%s)", lock)
    try:
        yield acquired
    finally:
        if acquired:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [lock])


def _acquire(statement: str, lock: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, [lock])
        (acquired,) = cursor.fetchone()
    return bool(acquired)
