"""Announcements of the organizers of a challenge."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from evaluation.challenges.models import Challenge


class AnnouncementAudience(models.TextChoices):
    """Who gets an announcement by mail. Everybody who sees the challenge can read it there."""

    FOLLOWERS = "followers", "all teams and everybody who follows the challenge"
    TEAMS = "teams", "all teams that take part or asked to"
    ENTERED = "entered", "teams that take part"
    WITHOUT_RUN = "without-run", "teams that have no run yet"
    WITH_RUN = "with-run", "teams that have a run"
    UNAPPROVED = "unapproved", "teams that wait for approval"


class Announcement(models.Model):
    """News of the organizers, in Markdown, on the page of the challenge, in its feed, and by mail."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="announcements")
    title = models.CharField(max_length=200)
    text = models.TextField(max_length=20_000)
    audience = models.CharField(
        max_length=11, choices=AnnouncementAudience.choices, default=AnnouncementAudience.FOLLOWERS
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField(db_default=Now())
    # When a worker wrote its mails, and how many.
    mailed = models.DateTimeField(null=True, blank=True)
    mails = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(fields=["challenge", "-at"], name="announcements_of_challenge"),
            models.Index(fields=["at"], condition=Q(mailed__isnull=True), name="announcements_to_mail"),
        ]

    def __str__(self) -> str:
        return self.title
