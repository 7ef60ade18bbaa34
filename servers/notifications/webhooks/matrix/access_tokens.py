"""Seal the access token of a room's webhook when it is entered, and open it in an asking worker.

The origin of the homeserver is sealed together with the token: somebody who changes the homeserver cannot have the
token sent to another host.
"""

from collections.abc import Mapping

from bcms.lib.http.messages import format_url_origin
from servers.credentials.sealed_headers import seal_header
from servers.credentials.sealed_values import open_sealed_values
from servers.notifications.models import Webhook


class AccessTokenOriginError(Exception):
    """The access token was entered for another homeserver; the message says what to do."""


def seal_access_token(homeserver: str, token: str) -> bytes:
    """The sealed header with the token. CredentialsKeyError if the site has no key for credentials."""
    return seal_header(format_url_origin(homeserver), "Authorization", f"Bearer {token}")


def open_authorization_header(webhook: Webhook) -> Mapping[str, str]:
    """The header with the token, for requests to the webhook's homeserver.

    AccessTokenOriginError if it was entered for another one; CredentialsKeyError in a process without the matching key.
    """
    header = open_sealed_values(bytes(webhook.sealed_token))
    if header["origin"] != format_url_origin(webhook.url):
        raise AccessTokenOriginError(f"The access token was entered for {header['origin']}. Enter it again.")
    return {header["name"]: header["value"]}
