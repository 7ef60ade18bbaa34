from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Mail(models.Model):
    """A message in the outbox (bcms/mail/): the row goes when the mail server has taken it."""

    sender = models.CharField(max_length=320)
    recipient = models.CharField(max_length=320)
    subject = models.CharField(max_length=998)
    body = models.TextField()
    created = models.DateTimeField(db_default=Now())
    due = models.DateTimeField(db_default=Now())
    tries = models.PositiveSmallIntegerField(default=0)
    # What the last try said, and when it was given up.
    error = models.TextField(blank=True)
    failed = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["due"], condition=Q(failed__isnull=True), name="mail_by_due")]


class ApiToken(models.Model):
    """What a program shows in place of its owner's password (bcms/accounts/tokens.py)."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(db_default=Now())
    used = models.DateTimeField(null=True, blank=True)
