"""The outbox: mail that waits to be sent."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Mail(models.Model):
    """A message in the outbox; the row is deleted once the mail server has accepted it."""

    sender = models.CharField(max_length=320)
    recipient = models.CharField(max_length=320)
    subject = models.CharField(max_length=998)
    body = models.TextField()
    # Headers besides From, To and Subject: {name: value}
    headers = models.JSONField(default=dict, blank=True)
    created = models.DateTimeField(db_default=Now())
    due = models.DateTimeField(db_default=Now())
    tries = models.PositiveSmallIntegerField(default=0)
    # The last error, and when sending was given up.
    error = models.TextField(blank=True)
    failed = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["due"], condition=Q(failed__isnull=True), name="mail_by_due")]
