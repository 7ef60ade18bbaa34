"""A replica of the test database: a standby that follows it, as PostgreSQL makes it, on loopback."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2

from bcms.local.child_processes import ChildProcesses
from bcms.local.ports import LOOPBACK, pick_free_ports
from bcms.local.postgres import SERVER_OPTIONS, PostgresCluster, get_or_copy_postgres_programs, wait_for_postgres
from bcms.local.service_account import get_nobody_account_if_root, make_folder_or_reachable_counterpart


@contextmanager
def run_standby(folder: Path) -> Iterator[int]:
    """The port of a standby of the cluster in DATABASE_URL; accounts and databases are those of the cluster."""
    account = get_nobody_account_if_root()
    folder = make_folder_or_reachable_counterpart(folder, account)
    cluster = PostgresCluster(folder, get_or_copy_postgres_programs(account), account)
    cluster.data.mkdir(mode=0o700)
    account.change_owner(cluster.data)
    primary = urlsplit(os.environ["DATABASE_URL"])
    connection = f"postgresql://{primary.netloc}/replication"
    copy = [cluster.programs / "pg_basebackup", "-d", connection, "-D", cluster.data]
    copy += ["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
    subprocess.run(copy, check=True, cwd="/", **account.popen_options())
    port = pick_free_ports(1)[0]
    options = [part for item in (SERVER_OPTIONS | {"fsync": "off"}).items() for part in ("-c", "=".join(item))]
    children = ChildProcesses(folder)
    try:
        command = [cluster.programs / "postgres", "-D", cluster.data, "-p", str(port), *options]
        child = children.start_child("postgres", command, account=account, stop_signal=signal.SIGINT)
        wait_for_postgres(child, cluster)
        yield port
    finally:
        children.stop_children()


def control_replay(port: int, function: str) -> None:
    """Call pg_wal_replay_pause or pg_wal_replay_resume on the standby."""
    primary = urlsplit(os.environ["DATABASE_URL"])
    account = {"user": primary.username, "password": primary.password, "dbname": primary.path[1:]}
    connection = psycopg2.connect(host=LOOPBACK, port=port, **account)
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}()")
        connection.commit()
    finally:
        connection.close()
