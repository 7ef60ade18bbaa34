"""How programs say who they are: by token, or by name and password where these alone are enough."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, BasicAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from bcms.accounts import tokens
from bcms.api.limits import TooMany
from bcms.api.scopes import demand_scope
from bcms.models import ApiToken

# Log-ins that may fail from one address in this time, with one name and with any.
SECONDS = 300
WITH_ONE_NAME = 10
WITH_ANY = 50
SECOND_FACTOR = (
    "This account has a second factor, and a password alone does not open it: make a token on your account page, and "
    "send it as Authorization: Bearer TOKEN."
)
NOT_CONFIRMED = "Confirm your e-mail address first: log in with your browser, and follow the link in the mail."
WRONG = "No account has this name and this password: check both."
TOO_MANY = "Too many log-ins from your address failed."
NO_TOKEN = "This token is not known, or was revoked: make another one on your account page."
# Programs written for other sites send the second.
SCHEMES = (b"bearer", b"token")


class PasswordAuthentication(BasicAuthentication):
    """HTTP Basic, for accounts with a confirmed address and no second factor."""

    www_authenticate_realm = "BCMS"

    def authenticate_credentials(self, userid: str, password: str, request: Any = None) -> Any:
        counters = list(counters_of(request, userid))
        if any(cache.get(key, 0) >= most for key, most in counters):
            raise TooMany(TOO_MANY, SECONDS)
        try:
            found = super().authenticate_credentials(userid, password, request)
        except AuthenticationFailed:
            for key, _ in counters:
                cache.add(key, 0, SECONDS)
                cache.incr(key)
            raise AuthenticationFailed(WRONG) from None
        demand_password_enough(found[0])
        return found


def counters_of(request: Any, name: str) -> Iterator[tuple[str, int]]:
    """Where failures are counted, and how many are too many."""
    address = get_adapter().get_client_ip(request)
    yield f"basic:{address}", WITH_ANY
    yield f"basic:{address}:{sha256(name.encode()).hexdigest()}", WITH_ONE_NAME


def demand_password_enough(user: Any) -> None:
    if Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists():
        raise AuthenticationFailed(SECOND_FACTOR)
    if not EmailAddress.objects.filter(user=user, verified=True).exists():
        raise AuthenticationFailed(NOT_CONFIRMED)


class TokenAuthentication(BaseAuthentication):
    """Authorization: Bearer TOKEN (RFC 6750), or Token TOKEN."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        scheme, _, token = get_authorization_header(request).partition(b" ")
        if scheme.lower() not in SCHEMES:
            return None
        found = tokens.find(token.decode("latin-1").strip())
        if found is None:
            raise AuthenticationFailed(NO_TOKEN)
        if found.expires and found.expired:
            raise AuthenticationFailed(
                f"The token “{found.name}” expired on {found.expires:%-d %B %Y}: make another one on your account page."
            )
        demand_scope(found, request)
        return found.user, found


class PasswordScheme(OpenApiAuthenticationExtension):
    target_class = PasswordAuthentication
    name = "basicAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "basic"}


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = TokenAuthentication
    name = "tokenAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
