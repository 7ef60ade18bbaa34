"""`make demo`: run services, data import, reference annotators, workers and web server until it is stopped."""

import http.client
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bcms.demo.annotators import ANNOTATORS
from bcms.demo.content import MANUSCRIPT_TOKEN_FILE, PEOPLE
from bcms.demo.data_archives import DataArchiveError, DemoFiles, download_and_unpack_missing_demo_files
from bcms.local import process_commands, services
from bcms.local.child_processes import ChildProcess, ChildProcesses
from bcms.local.errors import StartError
from bcms.local.mail_watcher import MailFolderWatcher
from bcms.local.ports import LOOPBACK, is_port_free, is_port_listening
from bcms.local.stop_requests import STEP_SECONDS, StopSignals, print_or_stop_on_broken_pipe

# Slow or busy machines take minutes; failures are reported at once.
START_SECONDS = 300.0


@dataclass
class DemoLauncher:
    """One run of the demo. The folder keeps its database, passwords and logs from run to run."""

    port: int
    folder: Path
    children: ChildProcesses
    signals: StopSignals
    # Whether the web server and the workers restart when code changes (`make dev`).
    reload: bool = False
    env: dict[str, str] = field(default_factory=dict)

    def run(self) -> None:
        """Start everything, print the URL, and wait. Raises StopRequested, or StartError when a child dies."""
        started = time.monotonic()
        check_demo_port_valid_and_free(self.port)
        archives = _download_demo_files()
        print_or_stop_on_broken_pipe("Starting PostgreSQL and Valkey")
        urls = services.start_services_missing_from_environment(self.children, self.folder)
        self.env = {**os.environ, **process_commands.create_and_save_demo_settings(self.folder, self.port, urls)}
        if self.reload:
            self.env["DEBUG"] = "1"
        self.prepare_data()
        self.start_servers(archives)
        self.start_workers()
        token = (Path(self.env["DEMO_FOLDER"]) / MANUSCRIPT_TOKEN_FILE).read_text(encoding="ascii")
        print_or_stop_on_broken_pipe(
            _format_demo_greeting(self.port, self.env["DEMO_PASSWORD"], time.monotonic() - started, token)
        )
        mailbox = MailFolderWatcher(process_commands.get_mail_folder_path(self.folder))
        while True:
            self.check_children_and_wait()
            for line in mailbox.list_new_messages():
                print_or_stop_on_broken_pipe(line)

    def prepare_data(self) -> None:
        """Migrate the database and load the demo's data."""
        self.children.begin_stage()
        print_or_stop_on_broken_pipe("Migrating the database")
        migrate = self.start_demo_child("migrate", ["manage.py", "migrate", "--verbosity", "0"], may_end=True)
        self.await_condition(lambda: migrate.process.poll() == 0)
        self.children.remove_ended_child(migrate)
        data = self.start_demo_child("data", ["manage.py", "demo_data"], shows_output=True, may_end=True)
        while data.process.poll() is None:
            self.signals.wait_or_raise_if_asked()
        if data.process.returncode:
            self.children.check_disk_space()
            raise StartError("The demo's data could not be loaded: see the error above.")
        self.children.remove_ended_child(data)

    def start_servers(self, archives: DemoFiles) -> None:
        """Start the web server and the reference annotators, and wait until all of them answer."""
        self.children.begin_stage()
        print_or_stop_on_broken_pipe(f"Starting the web server and {len(ANNOTATORS)} annotation servers")
        build_web = (
            process_commands.build_runserver_arguments if self.reload else process_commands.build_gunicorn_arguments
        )
        self.start_demo_child("web", build_web(self.port))
        ports = process_commands.parse_demo_port_by_slug(self.env)
        tables = {"hgnc": archives.hgnc, "mgi": archives.mgi, "rgd": archives.rgd, "mesh": archives.mesh}
        for annotator in ANNOTATORS:
            command = annotator.build_command(
                ports[annotator.slug], training=process_commands.get_training_file_path(self.folder), **tables
            )
            self.start_demo_child(annotator.slug, command)
        self.await_condition(
            lambda: all(is_port_listening(port) for port in ports.values()) and _is_site_healthy(self.port)
        )

    def start_workers(self) -> None:
        """Start the workers, after the servers, so that their first calls are answered."""
        self.children.begin_stage()
        for name, command in process_commands.build_worker_arguments_by_process_name().items():
            may_end = name in process_commands.SELF_ENDING_PROCESSES
            reloads = self.reload and not may_end
            self.start_demo_child(
                name,
                process_commands.wrap_worker_command_in_watchfiles(command) if reloads else command,
                may_end=may_end,
            )

    def start_demo_child(
        self, name: str, command: Sequence[str], *, shows_output: bool = False, may_end: bool = False
    ) -> ChildProcess:
        command = [process_commands.PYTHON, *command]
        env = {**self.env, **process_commands.get_private_key_settings(name, self.folder)}
        return self.children.start_child(
            name, command, env=env, cwd=process_commands.ROOT, shows_output=shows_output, may_end=may_end
        )

    def await_condition(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise StartError(
                    f"The demo is not ready after {START_SECONDS:.0f} s: see the logs in {self.children.logs}."
                )
            self.check_children_and_wait()

    def check_children_and_wait(self) -> None:
        self.children.check_children()
        self.signals.wait_or_raise_if_asked(STEP_SECONDS)


def check_demo_port_valid_and_free(port: int) -> None:
    if not 0 < port < 65536:
        raise StartError(f"{port} is not a valid port: choose one from 1 to 65535, as in `make demo PORT=8001`.")
    try:
        free = is_port_free(port)
    except PermissionError:
        raise StartError(
            f"Only root may use port {port}: choose one above 1023, as in `make demo PORT=8001`."
        ) from None
    if not free:
        raise StartError(
            f"Another program uses port {port}: stop it, or choose another port, as in `make demo PORT={port + 1}`."
        )


def _download_demo_files() -> DemoFiles:
    try:
        return download_and_unpack_missing_demo_files(print_or_stop_on_broken_pipe)
    except DataArchiveError as error:
        raise StartError(str(error)) from error


def _is_site_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _format_demo_greeting(port: int, password: str, seconds: float, manuscript_token: str) -> str:
    """The message with the URL, a table of the logins, and the link for the author of the manuscript."""
    width = max(len(person.name) for person in PEOPLE)
    people = "\n".join(f"    {person.name:<{width}}  {password}  {person.role_description}" for person in PEOPLE)
    return (
        f"\nThe demo is ready after {seconds:.0f} s:  http://{LOOPBACK}:{port}/\n\n"
        f"Log in at http://{LOOPBACK}:{port}/login/ as\n{people}\n\n"
        f"A manuscript waits for its author, who needs no account:\n"
        f"    http://{LOOPBACK}:{port}/manuscripts/open/{manuscript_token}/\n\n"
        f"Mail is written to .run/mail/ and announced here.\n"
        f"Press Ctrl-C to stop. Logs are in .run/log/, settings in .run/environment.\n"
    )
