"""Read from a replica of the database, once it has all that had been written when the question came.

The primary says how far it has written, and the replica how far it has replayed that: what somebody has hidden, stored
or lost the right to see counts there, too, before anything is read. A replica that is away or behind is left alone for
a second. DATABASE_REPLICA_URL names it.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, connections

from bcms.database.known_outage import KnownOutage
from bcms.database.reply_limits import shorten_limit_of_thread
from bcms.lib.database_outages import OUTAGES

REPLICA = "replica"
# How long a question waits for a replica that is a little behind.
CATCH_UP_SECONDS = 0.1
PAUSE_SECONDS = 0.005
# For the replica's word on how far it is.
REPLY_SECONDS = 0.5
# What a transaction has written is on disk before others see it, unless that is switched off. Positions of two logs
# mean nothing to each other: the second value is the cluster with its timeline, which a standby that takes over, or a
# primary that is restored to an earlier time, begins anew.
FIND_WRITTEN_POSITION = """
    SELECT CASE current_setting('synchronous_commit')
        WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END::text,
        system_identifier || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) FROM pg_control_system()
"""
# A database that replays nothing is no replica. One learns of a new timeline with its next restartpoint.
HAS_REPLAYED = """
    SELECT coalesce(pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %s::pg_lsn
        AND system_identifier || ' ' || lpad(upper(to_hex(timeline_id)), 8, '0') = %s, false)
    FROM pg_control_system(), pg_control_checkpoint()
"""

_outage = KnownOutage()


def has_replica() -> bool:
    return REPLICA in connections.settings


def is_replica_current() -> bool:
    """Whether the replica can answer as the primary would answer now; raises an error of OUTAGES of the primary."""
    if not _outage.claim_attempt():
        return False
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(FIND_WRITTEN_POSITION)
        written, log = cursor.fetchone()
    try:
        with shorten_limit_of_thread(REPLY_SECONDS):
            is_current = _wait_until_replayed(written, log)
    except OUTAGES:
        connections[REPLICA].close()
        is_current = False
    if is_current:
        _outage.record_success()
    else:
        leave_replica_alone()
    return is_current


def leave_replica_alone() -> None:
    """Read from the primary for the next second."""
    _outage.record_failure()


def _wait_until_replayed(position: str, log: str) -> bool:
    deadline = time.monotonic() + CATCH_UP_SECONDS
    with connections[REPLICA].cursor() as cursor:
        while True:
            cursor.execute(HAS_REPLAYED, [position, log])
            (has_replayed,) = cursor.fetchone()
            if has_replayed or time.monotonic() > deadline:
                return bool(has_replayed)
            time.sleep(PAUSE_SECONDS)


@contextmanager
def read_from_replica() -> Iterator[None]:
    """What this thread asks the database inside, by models or in SQL, the replica answers; writing fails."""
    primary = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = connections[REPLICA]
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = primary


def iterate_on_replica(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces, each of which is made of what the replica answers."""
    iterator = iter(pieces)
    while True:
        with read_from_replica():
            piece = next(iterator, None)
        if piece is None:
            return
        yield piece
