"""The sites by which people can log in: LOGIN_PROVIDERS, a list in JSON.

[{"id": "orcid", "name": "ORCID", "issuer": "https://orcid.org", "client_id": "APP-1", "secret": "..."}]
"""

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from bcms.lib.json_input import JsonInputError, parse_bounded_json

FIELDS = ("id", "name", "issuer", "client_id", "secret")
PROVIDER_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?", re.ASCII)
# As long as the columns of the database for them, and as the button for the name.
LONGEST = {"id": 30, "name": 40, "issuer": 200, "client_id": 191, "secret": 1000}
ORCID_ISSUER = "https://orcid.org"
USAGE = (
    'LOGIN_PROVIDERS is a list in JSON such as [{"id": "orcid", "name": "ORCID", "issuer": "https://orcid.org", '
    '"client_id": "APP-1", "secret": "..."}]'
)


@dataclass(frozen=True, slots=True)
class LoginProvider:
    """A site of others that says by OpenID Connect who somebody is. id: in addresses of this site."""

    id: str
    name: str
    issuer: str
    client_id: str
    secret: str = field(repr=False)


def parse_login_providers(text: str) -> tuple[LoginProvider, ...]:
    """The providers, none for an empty text. Raises ImproperlyConfigured with a hint, never with a secret."""
    if not text:
        return ()
    try:
        rows = parse_bounded_json(text.encode())
    except JsonInputError:
        raise _make_error("it is not JSON") from None
    if not isinstance(rows, list):
        raise _make_error("it is not a list")
    providers = tuple(_parse_provider(row, number) for number, row in enumerate(rows, start=1))
    for name in ("id", "name", "issuer"):
        if len({getattr(each, name) for each in providers}) < len(providers):
            raise _make_error(f"two providers have the same {name}")
    return providers


def _parse_provider(row: Any, number: int) -> LoginProvider:
    if not isinstance(row, dict) or set(row) != set(FIELDS):
        raise _make_error(f"provider {number} does not have exactly the members {', '.join(FIELDS)}")
    for name, value in row.items():
        if not isinstance(value, str) or not value.strip() or len(value) > LONGEST[name] or not value.isprintable():
            raise _make_error(f"the {name} of provider {number} is not a text of 1 to {LONGEST[name]} characters")
    if not PROVIDER_ID.fullmatch(row["id"]):
        raise _make_error(f"the id of provider {number} has others than small letters, digits and hyphens")
    if not is_issuer(row["issuer"]):
        raise _make_error(f"the issuer of provider {number} is not an address that begins with https://")
    return LoginProvider(**row)


def _make_error(reason: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{USAGE}; {reason}.")


def is_issuer(url: str) -> bool:
    """Whether the URL names a provider as OpenID Connect asks: https, no query, no fragment, no log-in."""
    return is_provider_url(url) and not {"?", "#"}.intersection(url)


def is_provider_url(url: str, *, issuer: str = "") -> bool:
    """Whether secrets may be sent there: https; http only to a loopback address, for a provider that is itself there.

    An issuer with https never leads to http, whatever its metadata say.
    """
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018
    except ValueError:
        return False
    if not parts.hostname or "@" in parts.netloc or not url.isascii() or not url.isprintable() or " " in url:
        return False
    if parts.scheme == "https":
        return True
    return parts.scheme == "http" and _is_loopback(parts.hostname) and not issuer.lower().startswith("https:")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
