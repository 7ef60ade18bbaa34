"""Tokens for programs that use the API: created on the account page, shown once and stored as a digest.

Their owner can revoke each of them, and can let them expire.
"""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import cast

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from bcms.accounts.models import ApiToken
from bcms.accounts.scopes import Scope
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User

# A prefix lets secret scanners recognize leaked tokens.
TOKEN_PREFIX = "bcms_"
# The precision of the time of last use: a write for each request would cost more than the request.
USE_RECORD_INTERVAL = timedelta(hours=1)


def create_api_token_including_read_scope(
    user: User, name: str, scopes: Collection[str], days: int | None = None
) -> str:
    """Create a token with these scopes and READ, valid for this number of days or until revoked (None).

    Returns the token itself, of which only a digest is stored.
    """
    token = TOKEN_PREFIX + secrets.token_urlsafe(32)
    granted = [scope.value for scope in Scope if scope == Scope.READ or scope in scopes]
    expires = None if days is None else timezone.now() + timedelta(days=days)
    with transaction.atomic():
        ApiToken.objects.create(
            user_id=cast(int, user.pk), name=name, digest=_hash_token(token), scopes=granted, expires=expires
        )
        after = {"scopes": granted, "expires": expires}
        record_audit_event(AuditAction.ACCOUNT_TOKEN_CREATED, name, after=after, person=user)
    return token


def find_token_even_expired_recording_valid_use(plain_token: str) -> ApiToken | None:
    """The token's row with its user, even if it has expired; at most 2 queries."""
    row = ApiToken.objects.select_related("user").filter(digest=_hash_token(plain_token), user__is_active=True).first()
    if row and not row.expired:
        _record_token_use(row)
    return row


def _record_token_use(token: ApiToken) -> None:
    """Record the time of use, and the first use of a day (UTC) in the audit trail."""
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    if token.used is None or token.used < midnight:
        _record_first_token_use_of_day(token, midnight)
    else:
        ApiToken.objects.filter(pk=token.pk, used__lt=Now() - USE_RECORD_INTERVAL).update(used=Now())


@transaction.atomic
def _record_first_token_use_of_day(token: ApiToken, midnight: datetime) -> None:
    """Nothing happens if another request was the first one."""
    unused_today = ApiToken.objects.filter(Q(used__isnull=True) | Q(used__lt=midnight), pk=token.pk)
    if unused_today.update(used=Now()):
        record_audit_event(AuditAction.ACCOUNT_TOKEN_USED, token.name, actor=token.user, person=token.user)


def list_tokens(user: User) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user.pk).order_by("created", "pk")


@transaction.atomic
def delete_own_token(user: User, token_id: int) -> bool:
    """Revoke a token of the user; False if there is none with this id."""
    token = list_tokens(user).filter(pk=token_id).first()
    if token is None:
        return False
    record_audit_event(AuditAction.ACCOUNT_TOKEN_REVOKED, token.name, person=user)
    token.delete()
    return True


def _hash_token(token: str) -> str:
    """The digest of a token, unsalted, since a token has 256 random bits and cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()
