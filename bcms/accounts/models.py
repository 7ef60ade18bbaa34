"""Tokens for programs that use the API."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone


class ApiToken(models.Model):
    """A token that a program sends instead of its owner's password (bcms/accounts/tokens.py)."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    # Values of Scope (bcms/accounts/scopes.py).
    scopes: "models.Field[list[str], list[str]]" = ArrayField(models.CharField(max_length=16))
    created = models.DateTimeField(db_default=Now())
    used = models.DateTimeField(null=True, blank=True)
    # None: valid until revoked.
    expires = models.DateTimeField(null=True, blank=True)

    @property
    def expired(self) -> bool:
        return self.expires is not None and self.expires <= timezone.now()
