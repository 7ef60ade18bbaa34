"""Authentication of API requests: by token, or by name and password for accounts without a second factor."""

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
from bcms.accounts.models import ApiToken
from bcms.api.scopes import check_token_scope
from bcms.lib.rest.limits import TooManyRequests
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.people import find_account_by_login
from servers.teams.permissions import User

# The number of failed log-ins from one IP address allowed in this time, with one name and in total.
FAILURE_WINDOW_SECONDS = 300
MOST_FAILURES_OF_NAME = 10
MOST_FAILURES_OF_ADDRESS = 50
SECOND_FACTOR = (
    "This account uses two-factor authentication, so a password is not enough. Create a token on your account page and "
    "send it as Authorization: Bearer TOKEN."
)
UNCONFIRMED_ADDRESS = "Confirm your email address first: log in with your browser, and follow the link in the email."
WRONG_PASSWORD = "The name or the password is incorrect."
TOO_MANY_FAILURES = "Too many failed log-ins from your IP address."
UNKNOWN_TOKEN = "This token does not exist or was revoked. Create a new one on your account page."
# "Token" is accepted for programs written for other sites.
SCHEMES = (b"bearer", b"token")


class PasswordAuthentication(BasicAuthentication):
    """HTTP Basic, for accounts with a confirmed address and no second factor."""

    www_authenticate_realm = "BCMS"

    def authenticate_credentials(self, userid: str, password: str, request: Any = None) -> Any:
        if "\0" in userid or "\0" in password:
            raise AuthenticationFailed(WRONG_PASSWORD)
        counters = list(_iter_failure_counters(request, userid))
        if any(cache.get(key, 0) >= most for key, most in counters):
            raise TooManyRequests(TOO_MANY_FAILURES, FAILURE_WINDOW_SECONDS)
        try:
            authenticated = super().authenticate_credentials(userid, password, request)
        except AuthenticationFailed:
            for key, _ in counters:
                cache.add(key, 0, FAILURE_WINDOW_SECONDS)
                cache.incr(key)
            record_audit_event(AuditAction.ACCOUNT_LOGIN_FAILED, person=find_account_by_login(userid))
            raise AuthenticationFailed(WRONG_PASSWORD) from None
        _check_password_suffices(authenticated[0])
        return authenticated


def _iter_failure_counters(request: Any, name: str) -> Iterator[tuple[str, int]]:
    """The cache key of each failure counter, and the number at which log-ins are refused."""
    address = get_adapter().get_client_ip(request)
    yield f"basic:{address}", MOST_FAILURES_OF_ADDRESS
    yield f"basic:{address}:{sha256(name.encode()).hexdigest()}", MOST_FAILURES_OF_NAME


def _check_password_suffices(user: User) -> None:
    """Raise AuthenticationFailed if the account has a second factor or no confirmed email address."""
    if Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists():
        raise AuthenticationFailed(SECOND_FACTOR)
    if not EmailAddress.objects.filter(user=user, verified=True).exists():
        raise AuthenticationFailed(UNCONFIRMED_ADDRESS)


class TokenAuthentication(BaseAuthentication):
    """Authorization: Bearer TOKEN (RFC 6750), or Token TOKEN."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        scheme, _, token = get_authorization_header(request).partition(b" ")
        if scheme.lower() not in SCHEMES:
            return None
        api_token = tokens.find_token_even_expired_recording_valid_use(token.decode("latin-1").strip())
        if api_token is None:
            raise AuthenticationFailed(UNKNOWN_TOKEN)
        if api_token.expires and api_token.expired:
            raise AuthenticationFailed(
                f"The token “{api_token.name}” expired on {api_token.expires:%-d %B %Y}. Create a new one on your "
                "account page."
            )
        check_token_scope(api_token, request)
        return api_token.user, api_token


class PasswordScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = PasswordAuthentication
    name = "basicAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "basic"}


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = TokenAuthentication
    name = "tokenAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
