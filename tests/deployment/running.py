"""A deployment on this machine: the services of docker-compose.yml, started by Debian's programs instead of images.

Commands, environments and configurations are those of the compose file. Only addresses and folders are replaced: each
address of the compose network by a free port on loopback, each folder of a container by one of the test.
"""

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bcms.lib.sealing import generate_public_and_private_key
from bcms.local.child_processes import ChildProcess, ChildProcesses, try_signal_process_group
from bcms.local.ports import LOOPBACK, is_port_listening, pick_free_ports
from bcms.local.postgres import UNSAFE_OPTIONS, PostgresCluster, wait_for_postgres
from bcms.local.service_account import ServiceAccount, get_nobody_account_if_root, make_folder_or_reachable_counterpart
from bcms.local.services import delete_folder_and_shared_counterpart
from tests.compose_file import OURS, ROOT, SERVICES, count_replicas, fill_environment, fill_variables, write_secrets
from tests.deployment.name_server import WEB_ADDRESSES, run_name_server
from tests.deployment.programs import SEARCH_PATH, require_programs

READY_SECONDS = 120.0
# As long as the longest stop_grace_period.
STOP_SECONDS = 40.0
# The addresses of the compose network.
ADDRESSES = ("database:5432", "pooler:6432", "broker:6379", "web:8000", "proxy:8080", "proxy:8443", "prometheus:9090")
PROGRAMS = {"valkey-server": "redis-server"}
# Configurations, and where the containers have them.
CONFIGURATIONS = {
    "nginx": "/etc/nginx/site",
    "pgbouncer": "/etc/pgbouncer/site",
    "prometheus": "/etc/prometheus/site",
}
# More of them than docker-compose.yml starts: nothing may be done twice.
BEATS = 2


def list_parts() -> list[str]:
    """The names of all long-running processes of ours, such as asking-2."""
    numbers = {name: count_replicas(name) for name in OURS if name != "migrate"} | {"beat": BEATS}
    return [f"{name}-{number}" for name, count in numbers.items() for number in range(1, count + 1)]


@dataclass
class Deployment:
    """folder: reachable by the account of the services; given: the variables that the operator gives."""

    folder: Path
    account: ServiceAccount
    programs: Mapping[str, str]
    children: ChildProcesses
    name_server_port: int
    ports: dict[str, int] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    password: str = ""
    parts: dict[str, ChildProcess] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.given["SITE_URL"]

    def start(self, dump: Path) -> None:
        """Start everything. dump: of a migrated database, with which `migrate` has nothing left to do."""
        self.given = self._make_variables()
        self._create_database()
        self.start_part("database")
        self.query("postgres", "--command=CREATE DATABASE bcms")
        self.query("bcms", "--single-transaction", f"--file={dump}")
        self.copy_configuration("pgbouncer", "pooler")
        self.start_part("pooler")
        self.start_part("broker")
        self.run("migrate", SERVICES["migrate"]["command"])
        self.collect_static_files()
        for part in list_parts():
            self.start_part(part)
        self.start_proxy()

    def start_proxy(self) -> None:
        self.make_certificate()
        self.copy_configuration("nginx", "proxy")
        self.start_part("proxy")

    def _make_variables(self) -> dict[str, str]:
        """The variables that the operator gives; the secrets are in files."""
        pairs = {name: generate_public_and_private_key(key_bits=2048) for name in ("GOLD", "CREDENTIALS")}
        self.password = secrets.token_hex(20)
        values = {f"{name.lower()}_private_key": pair[1] for name, pair in pairs.items()}
        values |= {"secret_key": secrets.token_urlsafe(50), "postgres_password": self.password}
        write_secrets(self.make_folder("secrets"), values | {"email_url": self.make_folder("mail").as_uri()})
        return {
            **{f"{name}_PUBLIC_KEY": pair[0] for name, pair in pairs.items()},
            "SITE_URL": f"https://localhost:{self.ports['proxy:8443']}",
            "ALLOWED_NETWORKS": "127.0.0.0/8",
            "ASK_REGISTRIES": "0",
        }

    @property
    def certificate(self) -> str:
        return str(self.folder / "tls" / "fullchain.pem")

    def make_folder(self, name: str) -> Path:
        """A folder that the services may write to."""
        path = self.folder / name
        if not path.exists():
            path.mkdir(mode=0o755)
            self.account.change_owner(path)
        return path

    def relocate(self, text: str, part: str) -> str:
        """The text of the compose file or of a configuration with the addresses and folders of this machine."""
        for address, port in self.ports.items():
            host, _, inner_port = address.partition(":")
            here = WEB_ADDRESSES.get(host, LOOPBACK)
            if get_service(part) == host:
                places = rf"\b(?:0\.0\.0\.0|127\.0\.0\.1):{inner_port}\b|(?<=listen ){inner_port}\b"
                text = re.sub(places, f"{here}:{port}", text)
            # The proxy asks the name server for the addresses of the web servers.
            named = host if part == "proxy" and host in WEB_ADDRESSES else here
            text = re.sub(rf"\b{host}:{inner_port}\b", f"{named}:{port}", text)
            # As psql and PgBouncer write them.
            text = text.replace(f"host={host} port={inner_port}", f"host={LOOPBACK} port={port}")
            text = text.replace(f"-h 127.0.0.1 -p {inner_port}", f"-h {LOOPBACK} -p {port}")
            text = text.replace(f"listen_port = {inner_port}", f"listen_port = {port}")
        text = text.replace("resolver 127.0.0.11 ", f"resolver {LOOPBACK}:{self.name_server_port} ")
        text = text.replace(",web2,", f",{WEB_ADDRESSES['web2']},")
        folders = self._map_folders(part)
        inner = "|".join(sorted(map(re.escape, folders), key=len, reverse=True))
        text = re.sub(rf"(?<![\w/])(?:{inner})(?![\w.-])", lambda found: str(folders[found[0]]), text)
        # Each container is a host of its own.
        return text.replace("%h", part).replace("$(hostname)", part)

    def _map_folders(self, part: str) -> dict[str, Path]:
        temporary = self.make_folder(f"{part}.tmp")
        configurations = {inner: self.folder / name for name, inner in CONFIGURATIONS.items()}
        shared = {
            "/run/secrets": "secrets",
            "/srv": "srv",
            "/etc/tls": "tls",
            "/var/cache/bodies": "bodies",
            "/var/lib/bcms": part,
            "/prometheus": "metrics",
        }
        return {
            **configurations,
            **{inner: self.make_folder(name) for inner, name in shared.items()},
            "/tmp": temporary,
            "/dev/stdout": temporary / "stdout",
        }

    def copy_configuration(self, name: str, part: str) -> None:
        """Copy a folder of deploy/ with the addresses and folders of this machine."""
        for path in (ROOT / "deploy" / name).iterdir():
            (self.make_folder(name) / path.name).write_text(self.relocate(path.read_text(), part))

    def make_certificate(self) -> None:
        """A certificate of localhost, signed by itself."""
        folder = self.make_folder("tls")
        key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
        options = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        options += ["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate]
        subprocess.run(["openssl", "req", "-x509", *options], check=True, capture_output=True)
        self.account.change_owner(key)

    def collect_static_files(self) -> None:
        """Run the line of the Dockerfile that does it."""
        lines = (ROOT / "Dockerfile").read_text().replace("\\\n", "")
        words = next(line.split() for line in lines.splitlines() if "collectstatic" in line)[1:]
        settings = dict(word.split("=", 1) for word in words if "=" in word)
        settings["STATIC_ROOT"] = str(self.make_folder("srv") / "static")
        command = [word for word in words if "=" not in word]
        environment = {"PATH": SEARCH_PATH, **settings}
        subprocess.run([sys.executable, *command[1:]], cwd=ROOT, env=environment, check=True)

    def build_environment(self, part: str) -> dict[str, str]:
        values = fill_environment(get_service(part), self.given)
        environment = {name: self.relocate(value, part) for name, value in values.items()}
        return {**environment, "PATH": SEARCH_PATH, "TMPDIR": str(self.make_folder(f"{part}.tmp"))}

    def build_command(self, part: str, words: list[str]) -> list[str]:
        program, *arguments = [self.relocate(fill_variables(word, self.given), part) for word in words]
        if program == "python":
            return [sys.executable, *arguments]
        if program == "sh":
            return ["sh", *(re.sub(r"^python\b", sys.executable, argument) for argument in arguments)]
        name = PROGRAMS.get(program, program)
        return [self.programs.get(name, name), *arguments]

    def run(self, part: str, words: list[str], **more: str) -> str:
        """Run a command of a service to its end, with more variables; returns its output."""
        environment = self.build_environment(part) | more
        command = self.build_command(part, words)
        finished = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert finished.returncode == 0, f"{part}: {finished.stdout}{finished.stderr}"
        return finished.stdout

    def start_part(self, part: str) -> None:
        """Start a process and wait until it listens, if it does."""
        service = get_service(part)
        if service == "database":
            self._start_database()
            return
        command = self.build_command(part, SERVICES[service]["command"])
        if service == "broker":
            command += ["--bind", LOOPBACK, "--port", str(self.ports["broker:6379"])]
        account = ServiceAccount() if service in OURS else self.account
        environment = self.build_environment(part)
        stop_signal = signal.Signals[SERVICES[service].get("stop_signal", "SIGTERM")]
        child = self.children.start_child(
            part, command, env=environment, cwd=ROOT, account=account, stop_signal=stop_signal
        )
        self.parts[part] = child
        for address, port in self.ports.items():
            if address.startswith(f"{service}:"):
                self._wait_until_listening(child, port, WEB_ADDRESSES.get(service, LOOPBACK))
        self.children.check_children()

    def _wait_until_listening(self, child: ChildProcess, port: int, host: str) -> None:
        wait_until(lambda: is_port_listening(port, host) or child.has_died(), f"{child.name} listens")

    def stop_part(self, part: str, seconds: float = STOP_SECONDS) -> bool:
        """Stop a process as `docker compose stop` does: politely, and after these seconds by force. Returns whether it
        ended by itself.
        """
        child = self.parts.pop(part)
        child.process.send_signal(child.stop_signal)
        try:
            child.process.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            return False
        finally:
            try_signal_process_group(child.process.pid, signal.SIGKILL)
            child.process.wait()
            self.children.remove_ended_child(child)
            # The next start overwrites the log.
            with (self.folder / "stopped.log").open("ab") as kept:
                kept.write(child.log.read_bytes())

    def restart_part(self, part: str, seconds: float = STOP_SECONDS) -> bool:
        """Stop and start a process; returns whether it ended by itself within these seconds."""
        ended = self.stop_part(part, seconds)
        self.start_part(part)
        return ended

    def read_logs(self) -> str:
        logs = [self.folder / "stopped.log", *(child.log for child in self.parts.values())]
        return "".join(log.read_text(errors="replace") for log in logs if log.exists())

    def query(self, database: str, *options: str, port: int | None = None) -> str:
        """What psql prints, without headings; port: of the pooler instead of the database."""
        program = Path(self.programs["initdb"]).with_name("psql")
        place = ["-h", LOOPBACK, "-p", str(port or self.ports["database:5432"])]
        command = [program, *place, "-U", "bcms", "-XqAt", "-v", "ON_ERROR_STOP=1", *options]
        environment = {**os.environ, "PGPASSWORD": self.password}
        finished = subprocess.run([*command, database], env=environment, capture_output=True, text=True)
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    def _get_cluster(self) -> PostgresCluster:
        return PostgresCluster(self.folder, Path(self.programs["initdb"]).parent, self.account)

    def _create_database(self) -> None:
        """A cluster with the account and database of the compose file, sorted as there."""
        cluster = self._get_cluster()
        self.make_folder("postgres").chmod(0o700)
        cluster.password_file.write_text(self.password)
        self.account.change_owner(cluster.password_file)
        options = ["-U", "bcms", "-A", "scram-sha-256", "--pwfile", cluster.password_file, "--no-sync"]
        command = [cluster.programs / "initdb", "-D", cluster.data, *options, "-E", "UTF8", "--locale=C.UTF-8"]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, **self.account.popen_options())

    def _start_database(self) -> None:
        cluster = self._get_cluster()
        words = SERVICES["database"]["command"][1:]
        port = self.ports["database:5432"]
        native = {**UNSAFE_OPTIONS, "unix_socket_directories": "", "listen_addresses": LOOPBACK, "port": str(port)}
        options = [part for name, value in native.items() for part in ("-c", f"{name}={value}")]
        command = [cluster.programs / "postgres", "-D", cluster.data, *words, *options]
        child = self.children.start_child("database", command, account=self.account, stop_signal=signal.SIGINT)
        self.parts["database"] = child
        wait_for_postgres(child, cluster)


def get_service(part: str) -> str:
    """The service of a process: asking of asking-2."""
    return re.sub(r"-\d+$", "", part)


def wait_until(condition: Callable[[], object], what: str, seconds: float = READY_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.3)


@contextmanager
def prepare_deployment(folder: Path, *programs: str) -> Iterator[Deployment]:
    """A deployment in which nothing runs yet; what is started ends with the block. Skips the test without a program."""
    paths = require_programs(*programs)
    account = get_nobody_account_if_root()
    reachable = make_folder_or_reachable_counterpart(folder, account)
    ports = dict(zip(ADDRESSES, pick_free_ports(len(ADDRESSES)), strict=True))
    # They differ by their addresses.
    ports["web2:8000"] = ports["web:8000"]
    with run_name_server() as name_server_port:
        deployment = Deployment(reachable, account, paths, ChildProcesses(folder), name_server_port, ports)
        try:
            yield deployment
        finally:
            deployment.children.stop_children(should_hurry=lambda: True)
            delete_folder_and_shared_counterpart(folder)
