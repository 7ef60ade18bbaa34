"""Seal the header that authenticates calls to a server, and open it in an asking worker.

The origin is sealed together with the header: somebody who changes the server's URL cannot have the header sent to
another host.
"""

import json
from collections.abc import Mapping

from django.conf import settings

from bcms.lib import sealing
from bcms.lib.http.messages import format_url_origin
from servers.calls import diagnosis
from servers.credentials.models import CallCredentials
from servers.registry.models import Server


class CredentialsKeyError(Exception):
    """This process cannot open the credentials of calls."""


def seal_header(origin: str, name: str, value: str) -> bytes:
    """The sealed header. CredentialsKeyError if the site has no key for credentials."""
    if settings.CREDENTIALS_PUBLIC_KEY is None:
        raise CredentialsKeyError("CREDENTIALS_PUBLIC_KEY is not set.")
    content = json.dumps({"origin": origin, "name": name, "value": value}).encode()
    return sealing.encrypt_content(content, settings.CREDENTIALS_PUBLIC_KEY)


def open_secret_headers_for_url(server: Server, url: str) -> Mapping[str, str]:
    """The header for a call to the URL, {} if the server has no credentials.

    CallError if they were set for another origin; CredentialsKeyError in a process without the matching key.
    """
    credentials: CallCredentials | None = getattr(server, "call_credentials", None)
    if credentials is None:
        return {}
    if settings.CREDENTIALS_PRIVATE_KEY is None:
        raise CredentialsKeyError("CREDENTIALS_PRIVATE_KEY is not set. Start the asking workers with it.")
    try:
        opened = sealing.decrypt_content(bytes(credentials.sealed), settings.CREDENTIALS_PRIVATE_KEY)
    except sealing.DamagedContentError:
        raise CredentialsKeyError(f"The credentials of {server} were sealed with another key.") from None
    header = json.loads(opened)
    if header["origin"] != format_url_origin(url):
        raise diagnosis.diagnose_credentials_of_other_origin(header["origin"])
    return {header["name"]: header["value"]}
