"""A pytest plugin, loaded by `-p tests.services` before the settings are read: real services for the tests."""

import atexit
import os
import signal
from contextlib import ExitStack

import pytest

from bcms.local import services
from bcms.local.errors import StartError
from evaluation.sealing import new_pair

SETTINGS = {
    "SECRET_KEY": "only-for-tests",
    "ALLOWED_NETWORKS": "127.0.0.0/8",
    "DEBUG": "0",
    "ASK_REGISTRIES": "0",
}
STARTED = ExitStack()


def start() -> None:
    os.environ["GOLD_PUBLIC_KEY"], os.environ["GOLD_PRIVATE_KEY"] = new_pair(bits=2048)
    try:
        os.environ.update(STARTED.enter_context(services.temporary()))
    except StartError as error:
        raise pytest.UsageError(str(error)) from error
    os.environ.update(SETTINGS)


def stop_early(*_: object) -> None:
    raise KeyboardInterrupt("terminated")


start()
# Not a hook: pytest calls none when it fails before its own start is through.
atexit.register(STARTED.close)
signal.signal(signal.SIGTERM, stop_early)
