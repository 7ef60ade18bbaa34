"""Tokens by which programs use the API: made on the account page, shown once, kept as a digest, revoked one by one.

They expire by themselves, if their owner says so.
"""

import hashlib
import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from bcms.accounts.scopes import Scope
from bcms.models import ApiToken

# A leaked token is recognized for what it is by its beginning.
BEGINNING = "bcms_"
# How exactly it is kept when a token was last used: a write for each request would cost more than the request.
GRAIN = timedelta(hours=1)


def make(user: Any, name: str, scopes: Collection[str], days: int | None = None) -> str:
    """A new token, with these scopes and that of reading; only what is returned opens anything, and is not kept.

    days: how long it opens anything; None: until it is revoked.
    """
    token = BEGINNING + secrets.token_urlsafe(32)
    opened = [scope.value for scope in Scope if scope == Scope.READ or scope in scopes]
    expires = None if days is None else timezone.now() + timedelta(days=days)
    ApiToken.objects.create(user=user, name=name, digest=digest_of(token), scopes=opened, expires=expires)
    return token


def find(token: str) -> ApiToken | None:
    """The token's row with its user, also when it has expired: 2 queries."""
    found = ApiToken.objects.select_related("user").filter(digest=digest_of(token), user__is_active=True).first()
    if found and not found.expired:
        note_use(found)
    return found


def note_use(found: ApiToken) -> None:
    long_ago = Q(used__isnull=True) | Q(used__lt=Now() - GRAIN)
    ApiToken.objects.filter(long_ago, pk=found.pk).update(used=Now())


def tokens_of(user: Any) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user).order_by("created", "pk")


def digest_of(token: str) -> str:
    """A token has 256 random bits, so that a plain digest cannot be turned round."""
    return hashlib.sha256(token.encode()).hexdigest()
