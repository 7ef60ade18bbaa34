"""Heartbeats of the workers and of the scheduler, in Redis, so that each web host sees all of them.

A worker writes its own. The scheduler (celery beat) has none, but enqueues a task that writes it: it shows that the
scheduler, the broker and a worker of the queue "work" do their part.
"""

import json
import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import redis
from celery import bootsteps
from django.conf import settings

HEARTBEATS_KEY = "heartbeats"
INTERVAL_SECONDS = 15
# A process that wrote nothing for so long is taken for dead; a day later it is forgotten.
FRESH_SECONDS = 60
KEPT_SECONDS = 86_400
SCHEDULER = "beat"
BROKER_TIMEOUT_SECONDS = 2
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """name: of the worker, such as asking@host, or SCHEDULER; queues: that it serves; seconds: since it was written."""

    name: str
    queues: tuple[str, ...]
    seconds: float

    @property
    def fresh(self) -> bool:
        return self.seconds < FRESH_SECONDS


def connect_to_broker() -> redis.Redis:
    """A connection that gives up after BROKER_TIMEOUT_SECONDS; it must be closed."""
    limits = {"socket_timeout": BROKER_TIMEOUT_SECONDS, "socket_connect_timeout": BROKER_TIMEOUT_SECONDS}
    return redis.Redis.from_url(settings.REDIS_URL, **limits)


def write_heartbeat(name: str, queues: Iterable[str] = ()) -> None:
    """Store that this process is alive; redis.RedisError if the broker cannot be reached."""
    with connect_to_broker() as broker:
        broker.hset(HEARTBEATS_KEY, name, json.dumps({"at": time.time(), "queues": sorted(queues)}))


def remove_heartbeat(name: str) -> None:
    """Forget a process that ends by itself; redis.RedisError if the broker cannot be reached."""
    with connect_to_broker() as broker:
        broker.hdel(HEARTBEATS_KEY, name)


def list_heartbeats() -> list[Heartbeat]:
    """The heartbeats by name, of processes that ended without a word for a day; redis.RedisError without a broker."""
    now = time.time()
    with connect_to_broker() as broker:
        stored = broker.hgetall(HEARTBEATS_KEY)
        written = {name.decode(): json.loads(value) for name, value in stored.items()}
        forgotten = [name for name, beat in written.items() if now - beat["at"] > KEPT_SECONDS]
        if forgotten:
            broker.hdel(HEARTBEATS_KEY, *forgotten)
    return [
        Heartbeat(name, tuple(beat["queues"]), max(now - beat["at"], 0.0))
        for name, beat in sorted(written.items())
        if name not in forgotten
    ]


class HeartbeatStep(bootsteps.StartStopStep):
    """The part of a Celery worker that writes its heartbeat."""

    requires = ("celery.worker.components:Timer",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self.entry: Any = None

    def start(self, parent: Any) -> None:
        self.write(parent)
        self.entry = parent.timer.call_repeatedly(INTERVAL_SECONDS, self.write, (parent,), priority=10)

    def write(self, parent: Any) -> None:
        try:
            write_heartbeat(parent.hostname, parent.app.amqp.queues.consume_from)
        except redis.RedisError as error:
            log.warning("The heartbeat of %s could not be stored: %s", parent.hostname, error)

    def stop(self, parent: Any) -> None:
        if self.entry is not None:
            self.entry.cancel()
        try:
            remove_heartbeat(parent.hostname)
        except redis.RedisError as error:
            log.warning("The heartbeat of %s could not be removed: %s", parent.hostname, error)
