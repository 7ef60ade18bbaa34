"""What a provider says about itself (OpenID Connect Discovery 1.0), and its keys. Both are kept for some minutes.

All requests to providers go through fetch_json: no redirects, one deadline, a limit of bytes, permitted addresses only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.cache import cache

from bcms.accounts.providers.configuration import LoginProvider, is_provider_url
from bcms.accounts.providers.errors import ProviderError
from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.errors import HttpError
from bcms.lib.json_input import JsonInputError, parse_bounded_json

DEADLINE_SECONDS = 5.0
MOST_BYTES = 200_000
LONGEST_URL = 1000
KEPT_SECONDS = 600
WELL_KNOWN = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True)
class ProviderMetadata:
    """names_issuer: whether the provider adds its issuer to its answers (RFC 9207)."""

    authorization_url: str
    token_url: str
    keys_url: str
    posts_secret: bool
    names_issuer: bool


def fetch_json(
    method: str,
    url: str,
    *,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    secret_headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The JSON object that the provider answers with status 200, else ProviderError without a word of the answer."""
    try:
        reply = request_permitted_url(
            method,
            url,
            body=body,
            headers={"Accept": "application/json", **(headers or {})},
            secret_headers=secret_headers,
            deadline_seconds=DEADLINE_SECONDS,
            max_bytes=MOST_BYTES,
            extra_networks=settings.ALLOWED_NETWORKS,
        )
    except HttpError as error:
        raise ProviderError(f"{method} {url}: {error.message}") from None
    if reply.status != 200:
        raise ProviderError(f"{method} {url}: HTTP status {reply.status}")
    try:
        answer = parse_bounded_json(reply.body)
    except JsonInputError:
        raise ProviderError(f"{method} {url}: the answer is not JSON") from None
    if not isinstance(answer, dict):
        raise ProviderError(f"{method} {url}: the answer is not a JSON object")
    return answer


def load_metadata(provider: LoginProvider) -> ProviderMetadata:
    """The addresses of the provider, kept or fetched. Raises ProviderError."""
    key = f"login-provider:{provider.issuer}"
    kept = cache.get(key)
    if kept is None:
        kept = fetch_json("GET", provider.issuer.rstrip("/") + WELL_KNOWN)
        _read_metadata(kept, provider)
        cache.set(key, kept, KEPT_SECONDS)
    return _read_metadata(kept, provider)


def _read_metadata(found: dict[str, Any], provider: LoginProvider) -> ProviderMetadata:
    if found.get("issuer") != provider.issuer:
        raise ProviderError(f"{provider.issuer} does not name itself as the issuer")
    methods = found.get("token_endpoint_auth_methods_supported")
    return ProviderMetadata(
        authorization_url=_read_url(found, "authorization_endpoint", provider.issuer),
        token_url=_read_url(found, "token_endpoint", provider.issuer),
        keys_url=_read_url(found, "jwks_uri", provider.issuer),
        posts_secret=isinstance(methods, list) and "client_secret_basic" not in methods,
        names_issuer=found.get("authorization_response_iss_parameter_supported") is True,
    )


def _read_url(found: dict[str, Any], name: str, issuer: str) -> str:
    url = found.get(name)
    if not isinstance(url, str) or len(url) > LONGEST_URL or "#" in url or not is_provider_url(url, issuer=issuer):
        raise ProviderError(f"The {name} of {issuer} is not an address that is accepted")
    return url


def load_keys(provider: LoginProvider, *, again: bool = False) -> list[dict[str, Any]]:
    """The keys of the provider, kept or fetched; again: fetched in any case. Raises ProviderError."""
    cache_key = f"login-provider-keys:{provider.issuer}"
    kept = None if again else cache.get(cache_key)
    if kept is None:
        keys = fetch_json("GET", load_metadata(provider).keys_url).get("keys")
        if not isinstance(keys, list):
            raise ProviderError(f"{provider.issuer} has no list of keys")
        kept = [each for each in keys if isinstance(each, dict)]
        cache.set(cache_key, kept, KEPT_SECONDS)
    found: list[dict[str, Any]] = kept
    return found
