"""The processes that ask, as a deployment runs them: two of the queue "asking", one of "work", beat."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bcms.local import plan, services

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def process(command: Sequence[str | Path]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of this project until the block ends."""
    with tempfile.TemporaryFile() as log:
        started = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield started
        finally:
            started.send_signal(signal.SIGTERM)
            started.wait(25)


@contextmanager
def django_on_services() -> Iterator[None]:
    """Private services, whatever the environment names, and Django set up on them, its tables made."""
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    with services.temporary() as found:
        os.environ |= found
        os.environ |= {"SECRET_KEY": "benchmark", "ALLOWED_NETWORKS": "127.0.0.0/8", "LOG_LEVEL": "WARNING"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "bcms.settings"
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, check=True)
        import django

        django.setup()
        yield


@contextmanager
def asking_group() -> Iterator[list[subprocess.Popen[bytes]]]:
    """All of them, ready for work; yields the two that ask."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        os.environ["BEAT_SCHEDULE_FILE"] = str(folder / "beat")
        commands = plan.workers()
        started = {
            name: stack.enter_context(process([sys.executable, *commands[name]]))
            for name in ("asking-1", "asking-2", "work", "beat")
        }
        wait_for_workers(3)
        yield [started["asking-1"], started["asking-2"]]


def wait_for_workers(number: int) -> None:
    """Until so many answer."""
    from bcms.celery import app

    while len(app.control.ping(timeout=1.0)) < number:
        pass
