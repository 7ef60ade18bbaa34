"""The discussion of a challenge: threads and their posts."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from evaluation.challenges.models import Challenge


class DiscussionThread(models.Model):
    """A question or topic. Nobody can reply to a locked thread; pinned ones come first."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="threads")
    title = models.CharField(max_length=200)
    begun_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created = models.DateTimeField(db_default=Now())
    last_post = models.DateTimeField(db_default=Now())
    locked = models.BooleanField(default=False)
    pinned = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["challenge", "-pinned", "-last_post"], name="threads_of_challenge")]

    def __str__(self) -> str:
        return self.title


class DiscussionPost(models.Model):
    """A post in Markdown. What was hidden by an organizer stays for the organizers; what its author removed is gone."""

    thread = models.ForeignKey(DiscussionThread, on_delete=models.CASCADE, related_name="posts")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    text = models.TextField(max_length=20_000)
    at = models.DateTimeField(db_default=Now())
    removed = models.DateTimeField(null=True, blank=True)
    hidden = models.DateTimeField(null=True, blank=True)
    hidden_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    hidden_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["thread", "at"], name="posts_of_thread"),
            models.Index(fields=["author", "-at"], name="posts_of_author"),
        ]

    def __str__(self) -> str:
        return f"post {self.pk} in {self.thread}"
