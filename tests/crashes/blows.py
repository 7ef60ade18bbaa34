"""The ways to interrupt a site; each ends when the part concerned is back."""

import random
import signal
import time
from collections.abc import Callable, Mapping

from django.db import connection, transaction

from tests.crashes.progress import wait_for_new_answers
from tests.crashes.site import BEHIND_RELAYS, WORKERS, Site, wait_until

# Sessions that wait for a lock on a server's row while they store the outcome of a call.
BLOCKED = """
SELECT count(*) FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%EXECUTE hold_lease %'
"""


def kill_worker(site: Site, chance: random.Random) -> None:
    name = chance.choice(WORKERS)
    site.kill(name)
    site.start(name)


def kill_sweeping_worker(site: Site, chance: random.Random) -> None:
    site.kill("work")
    site.start("work")


def kill_broker(site: Site, chance: random.Random) -> None:
    site.kill("broker")
    time.sleep(chance.uniform(0, 2))
    site.start_broker()


def kill_web(site: Site, chance: random.Random) -> None:
    site.kill("web")
    time.sleep(chance.uniform(0, 2))
    site.start("web")


def kill_database(site: Site, chance: random.Random) -> None:
    connection.close()
    site.kill("database")
    site.start_database_again()


def restart_database(site: Site, chance: random.Random) -> None:
    connection.close()
    site.restart_database()


def kill_workers_before_storing(site: Site, chance: random.Random) -> None:
    """Kill both workers while received answers wait to be stored, because the servers' rows are locked."""
    with transaction.atomic():
        lock_servers()
        for name in WORKERS:
            site.kill(name)
    for name in WORKERS:
        site.start(name)


def kill_database_before_storing(site: Site, chance: random.Random) -> None:
    """Kill the database while received answers wait to be stored."""
    with transaction.atomic():
        lock_servers()
        site.kill("database")
        connection.close()
    connection.close()
    site.start_database_again()


def freeze_worker(site: Site, chance: random.Random) -> None:
    """Suspend a worker until others have taken over its servers, then resume it."""
    name = chance.choice(WORKERS)
    site.signal(name, signal.SIGSTOP)
    wait_for_new_answers()
    site.signal(name, signal.SIGCONT)


def cut_worker_off(site: Site, *names: str, kills: bool = False) -> None:
    """Let nothing through between a worker and these services until others have taken over its servers."""
    for name in names:
        site.relays[name].pause()
    wait_for_new_answers()
    if kills:
        site.kill(BEHIND_RELAYS)
        site.start(BEHIND_RELAYS)
    for name in names:
        site.relays[name].resume()


def cut_worker_off_database(site: Site, chance: random.Random) -> None:
    cut_worker_off(site, "DATABASE_URL")


def cut_worker_off_broker(site: Site, chance: random.Random) -> None:
    cut_worker_off(site, "REDIS_URL")


def cut_worker_off_network_and_kill_it(site: Site, chance: random.Random) -> None:
    """It is started again before it reaches anything."""
    cut_worker_off(site, "DATABASE_URL", "REDIS_URL", kills=True)


def lock_servers() -> None:
    """Keep every worker from writing, and wait until one has an answer to write."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM servers_server ORDER BY id FOR NO KEY UPDATE")

        def is_answer_waiting() -> bool:
            # Within one transaction it would always return the same.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(BLOCKED)
            return cursor.fetchone()[0] > 0

        wait_until(is_answer_waiting, "an answer waits to be stored")


BLOWS: Mapping[str, Callable[[Site, random.Random], None]] = {
    "kill -9 of a worker": kill_worker,
    "kill -9 of the broker": kill_broker,
    "kill -9 of the web server": kill_web,
    "restart of the database": restart_database,
    "kill -9 of both workers before the store": kill_workers_before_storing,
    "freeze of a worker past its lease": freeze_worker,
    "a worker cut off from the database": cut_worker_off_database,
    "a worker cut off from the broker": cut_worker_off_broker,
    "kill -9 of a worker cut off from both": cut_worker_off_network_and_kill_it,
    "kill -9 of the database": kill_database,
    "kill -9 of the database before the store": kill_database_before_storing,
    "kill -9 of the worker that sweeps": kill_sweeping_worker,
}
