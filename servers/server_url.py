"""Whether a URL can be a server's: said at its registration, in one sentence, before anything is asked there."""

import socket
from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from bcms.lib.addresses import refusal

PORTS = {"http": 80, "https": 443}


def fault_of(url: str, networks: Sequence[str]) -> str:
    """What is wrong with the URL and how to mend it, empty when nothing is. Looks its name up in the DNS.

    The address is judged again at each call, so that a name that leads elsewhere later gains nothing.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        return "This is not a URL: write it as https://example.org/annotate, and a port, if any, from 1 to 65535."
    return fault_of_parts(url, parts) or fault_of_place(parts.hostname or "", port, networks)


def fault_of_parts(url: str, parts: SplitResult) -> str:
    if parts.scheme not in PORTS:
        return "The URL must begin with http:// or https://, as in https://example.org/annotate."
    if not parts.hostname:
        return "The URL names no host: write it as https://example.org/annotate."
    if parts.username is not None or parts.password is not None:
        return "The URL holds a log-in, which would be stored and sent in the open: take out everything before the @."
    if not url.isprintable() or " " in url:
        return "The URL has a space or a character that cannot be printed: write it percent-encoded, a space as %20."
    return ""


def fault_of_place(host: str, port: int, networks: Sequence[str]) -> str:
    """What is wrong with where the URL leads; every address of the name must be allowed."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        return f"The name {host} was not found in the DNS: check its spelling, and that it is a public name."
    addresses = dict.fromkeys(str(info[4][0]) for info in found)
    refused = next((words for address in addresses if (words := refusal(address, port, networks))), "")
    return f"{refused} Give a URL that everybody on the internet can reach." if refused else ""
