"""The settings and command lines of the demo's processes."""

import os
import secrets
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from annotations.nanopublications.key_file import write_new_signing_key
from bcms.demo.annotators import ANNOTATORS
from bcms.lib.private_files import make_private_folder
from bcms.lib.sealing import generate_public_and_private_key
from bcms.local.ports import LOOPBACK, pick_free_ports

ROOT = Path(__file__).resolve().parent.parent.parent
RUN_FOLDER = ROOT / ".run"
PYTHON = sys.executable
CELERY = ["-m", "celery", "-A", "bcms.celery"]
WORKER = [*CELERY, "worker", "--without-gossip", "--without-mingle", "--loglevel", "INFO"]
APP_FOLDERS = ("annotations", "servers", "evaluation", "bcms")
# The worker that opens sealed gold standards; it never contacts servers of teams.
SCORING = "scoring"
# The workers that send requests to servers of teams.
ASKING = ("asking-1", "asking-2")
# Processes that end when their work is done.
SELF_ENDING_PROCESSES = {"playing"}


def create_and_save_demo_settings(folder: Path, port: int, service_urls: Mapping[str, str]) -> dict[str, str]:
    """The settings of all processes of the demo, also written to a file for manual commands."""
    ports = zip(ANNOTATORS, pick_free_ports(len(ANNOTATORS)), strict=True)
    settings = {
        **service_urls,
        "SECRET_KEY": _get_or_create_secret(folder / "secret-key"),
        "GOLD_PUBLIC_KEY": _get_or_create_key_pair(folder / "gold-keys")[0],
        "CREDENTIALS_PUBLIC_KEY": _get_or_create_key_pair(folder / "credentials-keys")[0],
        "NANOPUB_KEY_FILE": str(_get_or_create_signing_key(folder / "signing-key")),
        "DEBUG": "0",
        "ALLOWED_NETWORKS": "127.0.0.0/8",
        "SITE_URL": f"http://{LOOPBACK}:{port}",
        "EMAIL_URL": get_mail_folder_path(folder).resolve().as_uri(),
        "OPERATOR": "the person who started this demo",
        "CONTACT_EMAIL": "operator@example.org",
        "DEFAULT_FROM_EMAIL": "BCMS <bcms@example.org>",
        # Off by default, as the demo must work without a network.
        "ASK_REGISTRIES": os.environ.get("ASK_REGISTRIES", "0"),
        "BEAT_SCHEDULE_FILE": str(folder / "celerybeat-schedule"),
        "DEMO_FOLDER": str(_get_demo_folder(folder)),
        "DEMO_PASSWORD": _get_or_create_secret(folder / "password", 9),
        "DEMO_PORTS": ",".join(f"{annotator.slug}={port}" for annotator, port in ports),
    }
    make_private_folder(_get_demo_folder(folder))
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in settings.items()]
    _write_private_file(folder / "environment", "".join(lines))
    return settings


def parse_demo_port_by_slug(env: Mapping[str, str]) -> dict[str, int]:
    """The port of each annotator by slug, from DEMO_PORTS: slug=port,slug=port."""
    pairs = (pair.split("=") for pair in env["DEMO_PORTS"].split(","))
    return {slug: int(port) for slug, port in pairs}


def _get_demo_folder(folder: Path) -> Path:
    """The folder for the corpora that `manage.py demo_data` selects from the archives."""
    return folder / "demo"


def get_mail_folder_path(folder: Path) -> Path:
    """The folder for the demo's mail, one file per message."""
    return folder / "mail"


def get_training_file_path(folder: Path) -> Path:
    return _get_demo_folder(folder) / "training.jsonl"


def _get_or_create_key_pair(path: Path) -> tuple[str, str]:
    """The public and the private key in a file, which is created if it is missing."""
    if not path.is_file():
        _write_private_file(path, "\n".join(generate_public_and_private_key()))
    public, private = path.read_text().split()
    return public, private


def _get_or_create_signing_key(path: Path) -> Path:
    """The file with the key that signs archives and nanopublications of the demo."""
    if not path.is_file():
        write_new_signing_key(path)
    return path.resolve()


def get_private_key_settings(process_name: str, folder: Path) -> dict[str, str]:
    """The settings that only this process gets: scoring opens gold standards, asking workers open credentials."""
    if process_name == SCORING:
        return {"GOLD_PRIVATE_KEY": _get_or_create_key_pair(folder / "gold-keys")[1]}
    if process_name in ASKING:
        return {"CREDENTIALS_PRIVATE_KEY": _get_or_create_key_pair(folder / "credentials-keys")[1]}
    return {}


def _get_or_create_secret(path: Path, length: int = 40) -> str:
    if not path.is_file():
        _write_private_file(path, secrets.token_urlsafe(length))
    return path.read_text().strip()


def _write_private_file(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text)


def build_worker_arguments_by_process_name() -> dict[str, list[str]]:
    """The command lines after the interpreter, by process name."""
    return {
        **{name: build_asking_arguments(name) for name in ASKING},
        "work": [*WORKER, "-n", "work@%h", "-Q", "work", "-P", "prefork", "-c", "2"],
        SCORING: [*WORKER, "-n", "scoring@%h", "-Q", "scoring", "-P", "prefork", "-c", "1"],
        "beat": [*CELERY, "beat", "--loglevel", "INFO", "--pidfile="],
        "playing": ["manage.py", "demo_play"],
    }


def build_asking_arguments(name: str) -> list[str]:
    """The command line, after the interpreter, of a worker that calls servers; any number can run."""
    return [*WORKER, "-n", f"{name}@%h", "-Q", "asking", "-P", "threads", "-c", "100"]


def build_gunicorn_arguments(port: int) -> list[str]:
    configuration = ["--config", "python:bcms.web_server.configuration"]
    return ["-m", "gunicorn", "bcms.wsgi:application", *configuration, "--bind", f"{LOOPBACK}:{port}"]


def build_runserver_arguments(port: int) -> list[str]:
    """Django's own server, which restarts when code changes and reads templates anew."""
    return ["manage.py", "runserver", f"{LOOPBACK}:{port}"]


def wrap_worker_command_in_watchfiles(command: Sequence[str]) -> list[str]:
    """The command of a worker under watchfiles, which restarts it when code changes."""
    line = shlex.join([PYTHON, *command])
    return ["-m", "watchfiles", "--filter", "python", "--sigint-timeout", "10", line, *APP_FOLDERS]
