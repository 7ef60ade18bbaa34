"""Parse EMAIL_URL, which names an SMTP server, or a folder to write mail into."""

from dataclasses import dataclass
from email.utils import parseaddr
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

SMTP = "django.core.mail.backends.smtp.EmailBackend"
FOLDER = "bcms.mail.backends.FolderBackend"
TIMEOUT = 30
# The default port and the encryption options of each scheme.
SCHEMES: dict[str, tuple[int, dict[str, bool]]] = {
    "smtp": (25, {}),
    "smtp+tls": (587, {"use_tls": True}),
    "smtps": (465, {"use_ssl": True}),
}
USAGE = (
    "use smtp+tls://USER:PASSWORD@HOST:587 (STARTTLS), smtps://USER:PASSWORD@HOST:465, smtp://HOST:25, "
    "or file:///FOLDER to write mail into files"
)


@dataclass(frozen=True, slots=True)
class MailTransport:
    """A Django mail backend and its options."""

    backend: str
    options: dict[str, Any]


def parse_mail_url(url: str) -> MailTransport:
    """The transport for a URL. Raises ImproperlyConfigured with a hint, never with the password."""
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.path.startswith("/") and not parts.netloc:
        return MailTransport(FOLDER, {"folder": unquote(parts.path)})
    if parts.scheme not in SCHEMES:
        raise ImproperlyConfigured(f"EMAIL_URL has an unknown scheme: {USAGE}.")
    default_port, encryption = SCHEMES[parts.scheme]
    try:
        port = parts.port or default_port
    except ValueError:
        raise ImproperlyConfigured(f"The port in EMAIL_URL is not a number from 1 to 65535: {USAGE}.") from None
    if not parts.hostname or parts.path.strip("/") or parts.query:
        raise ImproperlyConfigured(f"EMAIL_URL must name one mail server: {USAGE}.")
    login = {"username": unquote(parts.username or ""), "password": unquote(parts.password or "")}
    return MailTransport(SMTP, {"host": parts.hostname, "port": port, "timeout": TIMEOUT, **login, **encryption})


def validate_and_return_sender_address(sender: str) -> str:
    """The sender, if it is one such as BCMS <bcms@example.org>. Raises ImproperlyConfigured if it is not."""
    try:
        validate_email(parseaddr(sender)[1])
    except ValidationError:
        raise ImproperlyConfigured(
            f"DEFAULT_FROM_EMAIL is not an e-mail address such as bcms@example.org: {sender!r}."
        ) from None
    return sender
