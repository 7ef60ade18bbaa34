"""The ways to strike a site, each of which ends with the part struck started again."""

import random
import signal
import time
from collections.abc import Callable, Mapping

from django.db import connection, transaction

from tests.crashes.progress import wait_for_all
from tests.crashes.site import WORKERS, Site, wait_until

# Sessions that wait for a lock on a server's row while they write what came of a call.
BLOCKED = """
SELECT count(*) FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%UPDATE servers_server SET%'
"""


def kill_worker(site: Site, chance: random.Random) -> None:
    name = chance.choice(WORKERS)
    site.kill(name)
    site.start(name)


def kill_work(site: Site, chance: random.Random) -> None:
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


def kill_before_the_store(site: Site, chance: random.Random) -> None:
    """Kill both workers while answers that came wait to be stored: here the servers' rows are held."""
    with transaction.atomic():
        hold_servers()
        for name in WORKERS:
            site.kill(name)
    for name in WORKERS:
        site.start(name)


def restart_before_the_store(site: Site, chance: random.Random) -> None:
    """Restart the database while answers that came wait to be stored."""
    with transaction.atomic():
        hold_servers()
        site.kill("database")
        connection.close()
    connection.close()
    site.start_database_again()


def freeze_worker(site: Site, chance: random.Random) -> None:
    """Stop a worker until others have taken its servers over, and let it thaw."""
    name = chance.choice(WORKERS)
    site.signal(name, signal.SIGSTOP)
    wait_for_all()
    site.signal(name, signal.SIGCONT)


def hold_servers() -> None:
    """Keep every loop from writing, and wait until one has an answer to write."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM servers_server ORDER BY id FOR NO KEY UPDATE")

        def somebody_waits() -> bool:
            # Within one transaction it would always tell the same.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(BLOCKED)
            return cursor.fetchone()[0] > 0

        wait_until(somebody_waits, "an answer waits to be stored")


BLOWS: Mapping[str, Callable[[Site, random.Random], None]] = {
    "kill -9 of a worker": kill_worker,
    "kill -9 of the broker": kill_broker,
    "kill -9 of the web server": kill_web,
    "restart of the database": restart_database,
    "kill -9 of both workers before the store": kill_before_the_store,
    "freeze of a worker past its lease": freeze_worker,
    "kill -9 of the database": kill_database,
    "kill -9 of the database before the store": restart_before_the_store,
    "kill -9 of the worker that sweeps": kill_work,
}
