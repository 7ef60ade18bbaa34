"""A pytest plugin, loaded by `-p tests.services` before the settings are read: real services for the tests."""

import atexit
import os
import signal
from contextlib import ExitStack

import pytest

from bcms.lib.sealing import generate_public_and_private_key
from bcms.local import services
from bcms.local.errors import StartError

SETTINGS = {
    "SECRET_KEY": "only-for-tests",
    "ALLOWED_NETWORKS": "127.0.0.0/8",
    "DEBUG": "0",
    "ASK_REGISTRIES": "0",
    # Nobody is the operator, whatever their role.
    "METRICS_NETWORKS": "192.0.2.0/24",
    # The machine may be busy.
    "DATABASE_SECONDS": "60",
}
STARTED = ExitStack()
OURS = "SERVICES_OF_TESTS"


def start() -> None:
    for name in ("GOLD", "CREDENTIALS"):
        keys = generate_public_and_private_key(key_bits=2048)
        os.environ[f"{name}_PUBLIC_KEY"], os.environ[f"{name}_PRIVATE_KEY"] = keys
    forget_inherited()
    given = set(os.environ)
    try:
        found = STARTED.enter_context(services.run_temporary_services())
    except StartError as error:
        raise pytest.UsageError(str(error)) from error
    os.environ.update(found)
    os.environ[OURS] = " ".join(found.keys() - given)
    os.environ.update(SETTINGS)


def forget_inherited() -> None:
    """Processes that share the tests have services each: with one broker they would take each other's work."""
    for name in os.environ.pop(OURS, "").split():
        del os.environ[name]


def stop_early(*_: object) -> None:
    raise KeyboardInterrupt("terminated")


# Not hooks: pytest calls none when it fails before its own start is through.
signal.signal(signal.SIGTERM, stop_early)
atexit.register(STARTED.close)
start()
