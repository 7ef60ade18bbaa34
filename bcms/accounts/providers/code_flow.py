"""The two steps of a log-in by a provider: the address there, and what the provider says when the person is back.

Each log-in has its own state, nonce and PKCE verifier, which only the session of the visitor has.
"""

import base64
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote_plus, urlencode, urljoin, urlsplit

from django.conf import settings
from django.urls import reverse

from bcms.accounts.providers.configuration import ORCID_ISSUER, LoginProvider
from bcms.accounts.providers.errors import ProviderError
from bcms.accounts.providers.id_tokens import LEEWAY, verify_id_token
from bcms.accounts.providers.metadata import fetch_json, load_metadata

SCOPES = "openid profile email"
# ORCID knows no others, and answers others with an error.
SCOPES_OF_ORCID = "openid"
LONGEST_CODE = 4000


@dataclass(frozen=True, slots=True)
class LoginSecrets:
    """What binds an answer to the log-in that it is for."""

    nonce: str
    verifier: str


def make_login_secrets() -> LoginSecrets:
    return LoginSecrets(secrets.token_urlsafe(32), secrets.token_urlsafe(48))


def get_callback_url(provider: LoginProvider) -> str:
    """Where the provider sends people back, as it has to be registered there: each provider has its own."""
    site_url: str = settings.SITE_URL
    return urljoin(site_url, reverse("provider-callback", args=[provider.id]))


def build_authorization_url(
    provider: LoginProvider, state: str, login_secrets: LoginSecrets, *, asks_again: bool
) -> str:
    """Where the person logs in. asks_again: even if they are logged in there. Raises ProviderError."""
    url = load_metadata(provider).authorization_url
    challenge = base64.urlsafe_b64encode(sha256(login_secrets.verifier.encode()).digest()).rstrip(b"=").decode()
    parameters = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": get_callback_url(provider),
        "scope": choose_scopes(provider),
        "state": state,
        "nonce": login_secrets.nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        **({"prompt": "login", "max_age": "0"} if asks_again else {}),
    }
    return f"{url}{'&' if urlsplit(url).query else '?'}{urlencode(parameters)}"


def choose_scopes(provider: LoginProvider) -> str:
    return SCOPES_OF_ORCID if provider.issuer == ORCID_ISSUER else SCOPES


def check_answering_issuer(provider: LoginProvider, answer: Mapping[str, str]) -> None:
    """Refuse an answer that names another provider, or none where the provider names itself. Raises ProviderError."""
    named = answer.get("iss")
    if named is None and not load_metadata(provider).names_issuer:
        return
    if named != provider.issuer:
        raise ProviderError(f"An answer at the address of {provider.issuer} is from another provider")


def redeem_code(provider: LoginProvider, code: str, login_secrets: LoginSecrets) -> dict[str, Any]:
    """The verified claims about the person for whom the provider gave the code. Raises ProviderError."""
    if not 0 < len(code) <= LONGEST_CODE:
        raise ProviderError(f"An answer at the address of {provider.issuer} has no code")
    metadata = load_metadata(provider)
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": get_callback_url(provider),
        "code_verifier": login_secrets.verifier,
    }
    login = {"client_id": provider.client_id, "client_secret": provider.secret} if metadata.posts_secret else {}
    answer = fetch_json(
        "POST",
        metadata.token_url,
        body=urlencode(form | login).encode(),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        secret_headers={} if login else {"Authorization": _format_basic_login(provider)},
    )
    token = answer.get("id_token")
    if not isinstance(token, str):
        raise ProviderError(f"{provider.issuer} sends no id_token")
    return verify_id_token(token, provider, login_secrets.nonce)


def _format_basic_login(provider: LoginProvider) -> str:
    """RFC 6749, section 2.3.1: both parts are encoded as in a form first."""
    login = f"{quote_plus(provider.client_id)}:{quote_plus(provider.secret)}"
    return "Basic " + base64.b64encode(login.encode()).decode()


def was_asked_again(claims: Mapping[str, Any], started: float, now: float) -> bool:
    """Whether the person has logged in at the provider since `started`; times are in seconds of Unix time.

    A time in the future proves nothing: some programs write milliseconds.
    """
    said = claims.get("auth_time")
    if not isinstance(said, int | float) or isinstance(said, bool):
        return False
    return started - LEEWAY <= said <= now + LEEWAY
