"""Who gets mail about a challenge, by their own choice."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from evaluation.challenges.models import Challenge


class ChallengeFollower(models.Model):
    """What a user chose for mail about a challenge. Without a row, only managers of teams in it get announcements."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="followers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    announcements = models.BooleanField(help_text="a mail for every announcement")
    discussion = models.BooleanField(default=False, help_text="one mail a day about new posts")
    # Posts up to then are in a mail already, or were there before the user asked for mail.
    digested = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "user"], name="follower_once")]
        indexes = [models.Index(fields=["digested"], condition=Q(discussion=True), name="followers_by_digest")]
