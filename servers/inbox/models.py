"""Notifications of accounts on the site."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class InboxEntry(models.Model):
    """One sentence for one account, stored in the commit in which it happened, and the page that it is about."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="inbox")
    text = models.CharField(max_length=300)
    path = models.CharField(max_length=300, help_text="of the page on this site, such as /runs/5/")
    at = models.DateTimeField(db_default=Now())
    read = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["user", "-id"], name="inbox_of_account"),
            models.Index(fields=["user"], condition=Q(read__isnull=True), name="inbox_unread"),
            models.Index(fields=["at"], name="inbox_by_age"),
        ]

    def __str__(self) -> str:
        return self.text
