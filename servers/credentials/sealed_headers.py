"""Seal the header that authenticates calls to a server, and open it in an asking worker.

The origin is sealed together with the header: somebody who changes the server's URL cannot have the header sent to
another host.
"""

from collections.abc import Mapping

from bcms.lib.http.messages import format_url_origin
from servers.calls import diagnosis
from servers.credentials.models import CallCredentials
from servers.credentials.sealed_values import open_sealed_values, seal_values
from servers.registry.models import Server


def seal_header(origin: str, name: str, value: str) -> bytes:
    """The sealed header. CredentialsKeyError if the site has no key for credentials."""
    return seal_values({"origin": origin, "name": name, "value": value})


def open_secret_headers_for_url(server: Server, url: str) -> Mapping[str, str]:
    """The header for a call to the URL, {} if the server has no credentials.

    CallError if they were set for another origin; CredentialsKeyError in a process without the matching key.
    """
    credentials: CallCredentials | None = getattr(server, "call_credentials", None)
    return {} if credentials is None else open_sealed_header_for_url(bytes(credentials.sealed), url)


def open_sealed_header_for_url(sealed: bytes, url: str) -> Mapping[str, str]:
    """The sealed header, CallError if it is for another origin than that of the URL.

    CredentialsKeyError in a process without the matching key.
    """
    header = open_sealed_values(sealed)
    if header["origin"] != format_url_origin(url):
        raise diagnosis.diagnose_credentials_of_other_origin(header["origin"])
    return {header["name"]: header["value"]}
