"""What the demo runs: the settings and the command line of each process."""

import os
import secrets
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from bcms.demo.annotators import ANNOTATORS
from bcms.local.ports import LOOPBACK, free_ports
from evaluation.sealing import new_pair

ROOT = Path(__file__).resolve().parent.parent.parent
RUN = ROOT / ".run"
PYTHON = sys.executable
CELERY = ["-m", "celery", "-A", "bcms.celery"]
WORKER = [*CELERY, "worker", "--without-gossip", "--without-mingle", "--loglevel", "INFO"]
# The worker that opens sealed gold standards, and that talks to no team.
SCORING = "scoring"
# Those that end when their work is done.
PASSING = {"playing"}


def environment(folder: Path, port: int, services: Mapping[str, str]) -> dict[str, str]:
    """The settings of every process of the demo, also kept in a file for commands by hand."""
    ports = zip(ANNOTATORS, free_ports(len(ANNOTATORS)), strict=True)
    settings = {
        **services,
        "SECRET_KEY": kept_secret(folder / "secret-key"),
        "GOLD_PUBLIC_KEY": gold_keys(folder)[0],
        "DEBUG": "0",
        "ALLOWED_NETWORKS": "127.0.0.0/8",
        "SITE_URL": f"http://{LOOPBACK}:{port}",
        "EMAIL_URL": mail_folder(folder).resolve().as_uri(),
        "DEFAULT_FROM_EMAIL": "BCMS <bcms@example.org>",
        # The demo works without a network; whoever has one may let it ask.
        "ASK_REGISTRIES": os.environ.get("ASK_REGISTRIES", "0"),
        "BEAT_SCHEDULE_FILE": str(folder / "celerybeat-schedule"),
        "DEMO_FOLDER": str(demo_folder(folder)),
        "DEMO_PASSWORD": kept_secret(folder / "password", 9),
        "DEMO_PORTS": ",".join(f"{annotator.slug}={port}" for annotator, port in ports),
    }
    demo_folder(folder).mkdir(exist_ok=True)
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in settings.items()]
    write_private(folder / "environment", "".join(lines))
    return settings


def ports_of(env: Mapping[str, str]) -> dict[str, int]:
    """The port of each annotator by its slug, as DEMO_PORTS says it: slug=port,slug=port."""
    pairs = (pair.split("=") for pair in env["DEMO_PORTS"].split(","))
    return {slug: int(port) for slug, port in pairs}


def demo_folder(folder: Path) -> Path:
    """Where `manage.py demo_data` keeps what it cuts out of the archives."""
    return folder / "demo"


def mail_folder(folder: Path) -> Path:
    """Where the demo's mail ends, a file for each message."""
    return folder / "mail"


def training_file(folder: Path) -> Path:
    return demo_folder(folder) / "training.jsonl"


def gold_keys(folder: Path) -> tuple[str, str]:
    """The public and the private key of sealed gold standards; the private one is for the scoring worker alone."""
    path = folder / "gold-keys"
    if not path.is_file():
        write_private(path, "\n".join(new_pair()))
    public, private = path.read_text().split()
    return public, private


def only_for(name: str, folder: Path) -> dict[str, str]:
    """What one process is told and no other."""
    return {"GOLD_PRIVATE_KEY": gold_keys(folder)[1]} if name == SCORING else {}


def kept_secret(path: Path, length: int = 40) -> str:
    if not path.is_file():
        write_private(path, secrets.token_urlsafe(length))
    return path.read_text().strip()


def write_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text)


def workers() -> dict[str, list[str]]:
    """What follows the interpreter, by the name of the process."""
    return {
        "asking-1": asking("asking-1"),
        "asking-2": asking("asking-2"),
        "work": [*WORKER, "-n", "work@%h", "-Q", "work", "-P", "prefork", "-c", "2"],
        SCORING: [*WORKER, "-n", "scoring@%h", "-Q", "scoring", "-P", "prefork", "-c", "1"],
        "beat": [*CELERY, "beat", "--loglevel", "INFO", "--pidfile="],
        "playing": ["manage.py", "demo_play"],
    }


def web(port: int) -> list[str]:
    threads = ["--worker-class", "gthread", "--workers", "2", "--threads", "8", "--keep-alive", "5", "--preload"]
    stop = ["--graceful-timeout", "5", "--no-control-socket"]
    return ["-m", "gunicorn", "bcms.wsgi:application", "--bind", f"{LOOPBACK}:{port}", *threads, *stop]


def asking(name: str) -> list[str]:
    return [*WORKER, "-n", f"{name}@%h", "-Q", "asking", "-P", "threads", "-c", "100"]
