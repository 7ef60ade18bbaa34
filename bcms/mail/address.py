"""Where mail goes, as one URL: to an SMTP server, or into a folder as files."""

from dataclasses import dataclass
from email.utils import parseaddr
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

SMTP = "django.core.mail.backends.smtp.EmailBackend"
FOLDER = "bcms.mail.backends.FolderBackend"
TIMEOUT = 30
# The port of each scheme when the URL names none, and how the connection is encrypted.
SCHEMES: dict[str, tuple[int, dict[str, bool]]] = {
    "smtp": (25, {}),
    "smtp+tls": (587, {"use_tls": True}),
    "smtps": (465, {"use_ssl": True}),
}
HOW = (
    "give smtp+tls://USER:PASSWORD@HOST:587 (STARTTLS), smtps://USER:PASSWORD@HOST:465, smtp://HOST:25, "
    "or file:///FOLDER to write mail into files"
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A mail backend and what it is made with."""

    backend: str
    options: dict[str, Any]


def delivery_of(url: str) -> Delivery:
    """The delivery that a URL means; raises ImproperlyConfigured, with how to mend it but never the password."""
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.path.startswith("/") and not parts.netloc:
        return Delivery(FOLDER, {"folder": unquote(parts.path)})
    if parts.scheme not in SCHEMES:
        raise ImproperlyConfigured(f"EMAIL_URL has no scheme that is known: {HOW}.")
    usual, encryption = SCHEMES[parts.scheme]
    try:
        port = parts.port or usual
    except ValueError:
        raise ImproperlyConfigured(f"The port in EMAIL_URL is no number from 1 to 65535: {HOW}.") from None
    if not parts.hostname or parts.path.strip("/") or parts.query:
        raise ImproperlyConfigured(f"EMAIL_URL is not one mail server: {HOW}.")
    who = {"username": unquote(parts.username or ""), "password": unquote(parts.password or "")}
    return Delivery(SMTP, {"host": parts.hostname, "port": port, "timeout": TIMEOUT, **who, **encryption})


def sender_of(text: str) -> str:
    """The text again, when it is an address that mail can come from: bcms@example.org or BCMS <bcms@example.org>."""
    try:
        validate_email(parseaddr(text)[1])
    except ValidationError:
        raise ImproperlyConfigured(
            f"DEFAULT_FROM_EMAIL is {text!r}: give an e-mail address, such as bcms@example.org."
        ) from None
    return text
