"""docker-compose.yml as the one source of what a deployment runs: services, variables, commands and environments."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
# Those that run the image of this project.
OURS = sorted(name for name, service in SERVICES.items() if service.get("image") == "bcms")
SECRET = "a-Secret-key_of-50-characters-or-more-and-many-different-ones"
# What the operator gives: variables, and files of secrets.
GIVEN: dict[str, str] = {}
SECRETS = {"postgres_password": "secret", "secret_key": SECRET, "email_url": "smtp+tls://u:p@mail\n"}
SECRETS_FOLDER = "/run/secrets"
PUBLIC = {
    "SITE_HOST": "bcms.example.org",
    "SITE_URL": "https://bcms.example.org",
    "HTTPS_ONLY": "1",
    "DEFAULT_FROM_EMAIL": "bcms@example.org",
}


def fill_variables(text: str, given: Mapping[str, str] = GIVEN) -> str:
    """${NAME:-default}, ${NAME-default} and ${NAME:?message} as compose fills them in, the inner ones first."""
    inner = r"\$\{(\w+)(:-|-|:\?)([^${}]*)\}"
    while re.search(inner, text):
        text = re.sub(inner, lambda m: _fill_variable(m, given), text)
    return text


def _fill_variable(found: re.Match[str], given: Mapping[str, str]) -> str:
    name, operator, default = found.groups()
    value = given.get(name)
    if operator == ":?":
        return value or ""
    return default if value is None or (operator == ":-" and not value) else value


def write_secrets(folder: Path, values: Mapping[str, str] = SECRETS) -> None:
    """Write the file of each secret, empty if it has no value."""
    for name in COMPOSE["secrets"]:
        (folder / name).write_text(values.get(name, ""))


def fill_environment(service: str, given: Mapping[str, str] = GIVEN) -> dict[str, str]:
    """The environment of a process of the service, which inherits nothing but the path of programs."""
    values = SERVICES[service].get("environment", {})
    return {"PATH": os.environ["PATH"], **{name: fill_variables(value, given) for name, value in values.items()}}


def count_replicas(service: str) -> int:
    return int(SERVICES[service].get("deploy", {}).get("replicas", 1))


def get_health_command(service: str) -> list[str]:
    """The command that says whether a container of the service is healthy."""
    kind, *rest = SERVICES[service]["healthcheck"]["test"]
    return rest if kind == "CMD" else ["sh", "-c", rest[0].replace("$$", "$")]
