"""Whether a URL can be a server's: said at its registration, in words, before anything is asked there."""

from collections.abc import Sequence

from bcms.lib.connections import RESOLVE_SECONDS, resolve
from bcms.lib.exchanges import Deadline, Exchange, HttpError, HttpFault
from bcms.lib.http import parse_url

MENDS = {
    HttpFault.BAD_URL: "Write it as https://example.org/annotate.",
    HttpFault.NAME_NOT_FOUND: "Check its spelling, and that it is a public name.",
    HttpFault.BLOCKED_ADDRESS: "Give a URL that everybody on the internet can reach.",
}


def fault_of(url: str, networks: Sequence[str]) -> str:
    """What is wrong with the URL and how to mend it, empty when nothing is. Looks its name up, within 10 s.

    The address is judged again at each call, so that a name that leads elsewhere later gains nothing.
    """
    try:
        target = parse_url(url)
        resolve(target.host, target.port, networks, Deadline(2 * RESOLVE_SECONDS), Exchange())
    except HttpError as error:
        return f"{error} {MENDS[error.kind]}"
    return ""
