"""Check the URL of a server or webhook when a user enters it, before anything is sent there."""

from collections.abc import Sequence

from bcms.lib.http.connections import (
    RESOLVE_SECONDS,
    keep_addresses_for_plain_http,
    resolve_permitted_addresses,
)
from bcms.lib.http.deadline import Deadline
from bcms.lib.http.errors import HttpError, HttpFault
from bcms.lib.http.exchange import Exchange
from bcms.lib.http.messages import parse_http_url

URL_ADVICE = {
    HttpFault.BAD_URL: "Write it as https://example.org/annotate.",
    HttpFault.NAME_NOT_FOUND: "Check the spelling, and that the host name is public.",
    HttpFault.UNENCRYPTED: "Enter a URL that begins with https://.",
    HttpFault.BLOCKED_ADDRESS: "Enter a URL that is reachable from the internet.",
}


def resolve_and_explain_unacceptable_url(
    url: str, allowed_private_networks: Sequence[str], *, encrypts_secrets: bool = False
) -> str:
    """An error message with advice, or "" if the URL is acceptable. Resolves the host name, which takes at most 10 s.

    allowed_private_networks are private networks (CIDR) that are allowed. The address is checked again at each call, so
    a name that resolves to another address later bypasses nothing. encrypts_secrets: http is acceptable there only.
    """
    try:
        target = parse_http_url(url)
        addresses = resolve_permitted_addresses(
            target.host, target.port, allowed_private_networks, Deadline(2 * RESOLVE_SECONDS), Exchange()
        )
        if encrypts_secrets and target.scheme != "https":
            keep_addresses_for_plain_http(addresses, allowed_private_networks)
    except HttpError as error:
        return f"{error} {URL_ADVICE[error.kind]}"
    return ""
