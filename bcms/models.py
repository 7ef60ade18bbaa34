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
