from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone


class Mail(models.Model):
    """A message in the outbox (bcms/mail/): the row goes when the mail server has taken it."""

    sender = models.CharField(max_length=320)
    recipient = models.CharField(max_length=320)
    subject = models.CharField(max_length=998)
    body = models.TextField()
    # Those beside From, To and Subject: {name: value}
    headers = models.JSONField(default=dict, blank=True)
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
    # What it opens (bcms/accounts/scopes.py).
    scopes: "models.Field[list[str], list[str]]" = ArrayField(models.CharField(max_length=8))
    created = models.DateTimeField(db_default=Now())
    used = models.DateTimeField(null=True, blank=True)
    # None: it opens until it is revoked.
    expires = models.DateTimeField(null=True, blank=True)

    @property
    def expired(self) -> bool:
        return self.expires is not None and self.expires <= timezone.now()


class Upload(models.Model):
    """Files of articles that somebody sent in together: all of them are stored, or none (bcms/uploading.py)."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="article_uploads")
    created = models.DateTimeField(db_default=Now())
    # How often reading it began: a file that kills its reader is given up.
    tries = models.PositiveSmallIntegerField(default=0)
    finished = models.DateTimeField(null=True, blank=True)
    stored = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=Q(finished__isnull=True), name="article_upload_open")]


class UploadedFile(models.Model):
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=250)
    # The format and the name of its one article, where they were given; the format that was found.
    format = models.CharField(max_length=16, blank=True)
    ident = models.CharField(max_length=250, blank=True)
    size = models.PositiveIntegerField(help_text="bytes as it was sent")
    # Until it is read.
    content = models.BinaryField(null=True, blank=True)
    read = models.DateTimeField(null=True, blank=True)
    # What bcms.uploading.Report holds.
    report = models.JSONField(default=dict, blank=True)
