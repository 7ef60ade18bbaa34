"""What can go wrong around a site, and how it ends."""

import signal
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import redis

from tests.crashes.site import BEHIND_RELAYS, wait_until
from tests.faults.site import FaultySite

HOUR = 3600
POISON = (
    b"no message",
    b'{"body": "bm8gSlNPTg==", "headers": {}, "properties": {}}',
    b'{"body": "W1tdLCB7fSwge31d", "content-encoding": "utf-8", "content-type": "application/json", "headers": {"lang":'
    b' "py", "task": "no.such.task", "id": "1"}, "properties": {"body_encoding": "base64", "delivery_info": {"exchange"'
    b': "", "routing_key": "asking"}, "delivery_tag": "1", "correlation_id": "1"}}',
)


class Fault(NamedTuple):
    """begin, and what ends it; seconds: how long it lasts."""

    begin: Callable[[FaultySite], None]
    end: Callable[[FaultySite], None]
    seconds: float = 20


def do_nothing(site: FaultySite) -> None:
    """It ends by itself."""


def stop_database(site: FaultySite) -> None:
    site.parts["database"].process.send_signal(signal.SIGINT)
    site.parts["database"].process.wait()


def stop_broker(site: FaultySite) -> None:
    site.kill("broker")


def send_poison(site: FaultySite) -> None:
    broker = redis.Redis.from_url(site.env["REDIS_URL"])
    queues = ("asking", "work", "scoring")
    for queue in queues:
        broker.lpush(queue, *POISON)

    def are_taken() -> bool:
        site.restart_ended_workers()
        return not any(message in POISON for queue in queues for message in broker.lrange(queue, 0, -1))

    wait_until(are_taken, "the workers took the messages")


def restart_ended_workers(site: FaultySite) -> None:
    site.restart_ended_workers()


def free_disk(site: FaultySite) -> None:
    site.free_disk()
    # An administrator, or the supervisor, starts a database that ended.
    time.sleep(2)
    site.restart_database_after_fault()


def move(name: str, seconds: int) -> Callable[[FaultySite], None]:
    return lambda site: site.move_clock(name, seconds)


def signal_part(name: str, number: signal.Signals) -> Callable[[FaultySite], None]:
    return lambda site: site.signal(name, number)


def pause(name: str) -> Callable[[FaultySite], None]:
    return lambda site: site.relays[name].pause()


def resume(name: str) -> Callable[[FaultySite], None]:
    return lambda site: site.relays[name].resume()


FAULTS: Mapping[str, Fault] = {
    "database stopped": Fault(stop_database, FaultySite.restart_database_after_fault),
    "disk of the database full": Fault(FaultySite.fill_disk, free_disk),
    "clock of the database an hour ahead": Fault(move("database", HOUR), do_nothing),
    "clock of the database an hour back": Fault(move("database", 0), do_nothing),
    "clock of an asking worker an hour ahead": Fault(move("worker", HOUR), do_nothing),
    "clock of an asking worker an hour back": Fault(move("worker", 0), do_nothing),
    "broker stopped": Fault(stop_broker, FaultySite.start_broker),
    "host name of all annotation servers unknown": Fault(
        lambda site: site.know_names(False), lambda site: site.know_names(True)
    ),
    "mail server stopped": Fault(lambda site: site.mailbox.stop(), lambda site: site.mailbox.start()),
    "one of two asking workers suspended (SIGSTOP)": Fault(
        signal_part(BEHIND_RELAYS, signal.SIGSTOP), signal_part(BEHIND_RELAYS, signal.SIGCONT), 35
    ),
    "one of two asking workers cut off from the database": Fault(pause("DATABASE_URL"), resume("DATABASE_URL"), 35),
    "one of two asking workers cut off from the broker": Fault(pause("REDIS_URL"), resume("REDIS_URL"), 35),
    "messages in the broker that no worker can read": Fault(send_poison, restart_ended_workers),
}
