"""PostgreSQL of Debian, which is older than the one of the wheel: started for one test, in a folder of its own."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bcms.local.child_processes import ChildProcesses
from bcms.local.ports import LOOPBACK, pick_free_ports
from bcms.local.postgres import SERVER_OPTIONS, UNSAFE_OPTIONS, PostgresCluster, wait_for_postgres
from bcms.local.service_account import get_nobody_account_if_root, make_folder_or_reachable_counterpart
from tests.deployment.programs import require_programs


@contextmanager
def run_debian_postgres(folder: Path) -> Iterator[str]:
    """The DATABASE_URL of a new cluster, as Debian 12 can make it with the order of C.UTF-8."""
    programs = Path(require_programs("initdb")["initdb"]).parent
    account = get_nobody_account_if_root()
    cluster = PostgresCluster(make_folder_or_reachable_counterpart(folder, account), programs, account)
    cluster.data.mkdir(mode=0o700)
    account.change_owner(cluster.data)
    initdb = [programs / "initdb", "-D", cluster.data, "-U", "bcms", "-A", "trust", "--no-sync"]
    initdb += ["-E", "UTF8", "--locale=C.UTF-8"]
    subprocess.run(initdb, check=True, cwd="/", stdout=subprocess.DEVNULL, **account.popen_options())
    port = pick_free_ports(1)[0]
    options = [part for item in (SERVER_OPTIONS | UNSAFE_OPTIONS).items() for part in ("-c", "=".join(item))]
    children = ChildProcesses(folder)
    try:
        command = [programs / "postgres", "-D", cluster.data, "-p", str(port), *options]
        wait_for_postgres(children.start_child("postgres", command, account=account), cluster)
        yield f"postgresql://bcms:none@{LOOPBACK}:{port}/postgres"
    finally:
        children.stop_children()
