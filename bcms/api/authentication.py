"""Authentication of API requests: by token, or by name and password for accounts without a second factor."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from time import sleep
from typing import Any

from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, BasicAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from bcms.accounts import tokens
from bcms.accounts.models import ApiToken
from bcms.accounts.second_factors import has_second_factor
from bcms.api.scopes import check_token_scope
from bcms.lib.rest.limits import TooManyRequests, identify_network
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.people import find_account_by_login
from servers.teams.permissions import User

# The number of failed log-ins from one IP address allowed in this time, with one name and in total.
FAILURE_WINDOW_SECONDS = 300
MOST_FAILURES_OF_NAME = 10
MOST_FAILURES_OF_ADDRESS = 50
# The same of one account, from all addresses.
MOST_FAILURES_OF_ACCOUNT = 100
# How long the cache remembers that a log-in was recorded: longer than its day.
LOG_IN_REMEMBERED_SECONDS = 25 * 3600
# How long an attempt waits for others that are being checked.
WAITS_FOR_OTHERS = 50
SECONDS_BETWEEN_WAITS = 0.1
SECOND_FACTOR = (
    "This account uses two-factor authentication, so a password is not enough. Create a token on your account page and "
    "send it as Authorization: Bearer TOKEN."
)
UNCONFIRMED_ADDRESS = "Confirm your email address first: log in with your browser, and follow the link in the email."
WRONG_PASSWORD = "The name or the password is incorrect."
TOO_MANY_FAILURES = "Too many failed log-ins from your IP address, or with this name. Use a token, or wait."
UNKNOWN_TOKEN = "This token does not exist or was revoked. Create a new one on your account page."
# "Token" is accepted for programs written for other sites.
SCHEMES = (b"bearer", b"token")


class PasswordAuthentication(BasicAuthentication):
    """HTTP Basic, for accounts with a confirmed address and no second factor."""

    www_authenticate_realm = "BCMS"

    def authenticate_credentials(self, userid: str, password: str, request: Any = None) -> Any:
        if "\0" in userid or "\0" in password:
            raise AuthenticationFailed(WRONG_PASSWORD)
        account = find_account_by_login(userid)
        counters = list(_iter_attempt_counters(request, userid, account))
        _count_attempt(counters)
        try:
            authenticated = super().authenticate_credentials(userid, password, request)
        except AuthenticationFailed:
            _keep_failure(counters)
            record_audit_event(AuditAction.ACCOUNT_LOGIN_FAILED, person=account)
            raise AuthenticationFailed(WRONG_PASSWORD) from None
        _take_back_attempt(counters)
        _check_password_suffices(authenticated[0])
        _record_first_log_in_of_day(authenticated[0])
        return authenticated


def _record_first_log_in_of_day(user: User) -> None:
    """Record the first log-in of an account in a day (UTC); another one if the cache has lost that it is recorded."""
    if cache.add(f"basic-log-in:{user.pk}:{timezone.now():%Y-%m-%d}", True, LOG_IN_REMEMBERED_SECONDS):
        record_audit_event(AuditAction.ACCOUNT_LOGGED_IN, "API, by name and password", actor=user, person=user)


def _iter_attempt_counters(request: Any, name: str, account: User | None) -> Iterator[tuple[str, int]]:
    """The cache key of each counter, and how many attempts it allows: of the network, of both, of the account."""
    address = identify_network(request)
    tried = str(account.pk) if account else sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    yield f"basic:{address}", MOST_FAILURES_OF_ADDRESS
    yield f"basic:{address}:{tried}", MOST_FAILURES_OF_NAME
    yield f"basic::{tried}", MOST_FAILURES_OF_ACCOUNT


def _count_attempt(counters: Sequence[tuple[str, int]]) -> None:
    """Count an attempt before its password is checked, so that no more are checked at once than are allowed.

    While attempts of others are being checked, which may prove right, this one waits for their end. TooManyRequests
    if too many have failed.
    """
    for _ in range(WAITS_FOR_OTHERS):
        for key, _most in counters:
            cache.add(key, 0, FAILURE_WINDOW_SECONDS)
        # Every counter is raised, also after one that is full, as every one is lowered below.
        numbers = [_add_to_counter(key, 1) for key, _ in counters]
        if all(number <= most for number, (_, most) in zip(numbers, counters, strict=True)):
            return
        _take_back_attempt(counters)
        if any(cache.get(f"{key}:failed", 0) >= most for key, most in counters):
            break
        sleep(SECONDS_BETWEEN_WAITS)
    raise TooManyRequests(TOO_MANY_FAILURES, FAILURE_WINDOW_SECONDS)


def _keep_failure(counters: Sequence[tuple[str, int]]) -> None:
    """Count the failures apart, too: an attempt that finds only these does not wait."""
    for key, _ in counters:
        cache.add(f"{key}:failed", 0, FAILURE_WINDOW_SECONDS)
        _add_to_counter(f"{key}:failed", 1)


def _take_back_attempt(counters: Sequence[tuple[str, int]]) -> None:
    for key, _ in counters:
        _add_to_counter(key, -1)


def _add_to_counter(key: str, number: int) -> int:
    """The new value; 0 if the window has just ended."""
    try:
        return int(cache.incr(key, number))
    except ValueError:
        return 0


def _check_password_suffices(user: User) -> None:
    """Raise AuthenticationFailed if the account has a second factor or no confirmed email address."""
    if has_second_factor(user):
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
