"""Whether the site does its work: the states of its parts, each "ok" or a word for what is wrong."""

import shutil
import tempfile
from collections.abc import Sequence
from datetime import timedelta

import redis
from django.db import DatabaseError, connection
from django.db.models import F
from django.db.models.functions import Now

from bcms.health.heartbeats import SCHEDULER, Heartbeat, connect_to_broker, list_heartbeats
from servers.calls.queues.wake_ups import list_waiting_servers_by_time

OK, UNREACHABLE, MISSING, LATE, FULL = "ok", "unreachable", "missing", "late", "full"
QUEUES = ("asking", "scoring", "work")
# A server with due calls is woken every two seconds, and waits for a slot for some minutes if all are taken.
LATE_SECONDS = 900.0
LEAST_FREE_SHARE = 0.05
EXPLANATIONS = {
    UNREACHABLE: "The {} cannot be reached.",
    MISSING: "No {} is running.",
    LATE: f"The {{}} of a server are more than {LATE_SECONDS / 60:.0f} minutes late, because no worker makes them.",
    FULL: f"The {{}} for temporary files has less than {100 * LEAST_FREE_SHARE:.0f} % of its space left.",
}


def probe_services() -> dict[str, str]:
    """The states of the database and the broker."""
    return {"database": _probe_database(), "broker": _probe_broker()}


def probe_readiness() -> dict[str, str]:
    """The states of the database, the broker, the workers of each queue, the scheduler, the calls and the disk."""
    states = {**probe_services(), "disk": _probe_disk()}
    if states["broker"] == OK:
        states |= judge_heartbeats(list_heartbeats())
    if states["database"] == OK:
        states["calls"] = LATE if get_longest_wait_seconds() > LATE_SECONDS else OK
    return states


def explain_fault(part: str, state: str) -> str:
    """What does not work, as a sentence; part and state are from probe_readiness, the state is not OK."""
    return EXPLANATIONS[state].format(part.replace("workers of ", "worker of the queue "))


def judge_heartbeats(heartbeats: Sequence[Heartbeat]) -> dict[str, str]:
    """The states of the queues, by whether a worker serves them, and of the scheduler."""
    fresh = [each for each in heartbeats if each.fresh]
    served = {queue for each in fresh for queue in each.queues}
    states = {f"workers of {queue}": OK if queue in served else MISSING for queue in QUEUES}
    return states | {"scheduler": OK if SCHEDULER in {each.name for each in fresh} else MISSING}


def get_longest_wait_seconds() -> float:
    """For how long a server with due calls has not been called although it could be; 0.0 if none waits."""
    waits = list_waiting_servers_by_time().values_list(Now() - F("waiting_since"), flat=True)
    longest: timedelta = waits.first() or timedelta()
    return max(longest.total_seconds(), 0.0)


def _probe_database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return UNREACHABLE
    return OK


def _probe_broker() -> str:
    try:
        with connect_to_broker() as broker:
            broker.ping()
    except redis.RedisError:
        return UNREACHABLE
    return OK


def _probe_disk() -> str:
    return FULL if measure_free_share_of_disk() < LEAST_FREE_SHARE else OK


def measure_free_share_of_disk() -> float:
    """Of the disk for temporary files, with uploads and exports; that of the database is another host's."""
    disk = shutil.disk_usage(tempfile.gettempdir())
    return disk.free / disk.total
