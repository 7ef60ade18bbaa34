"""Archives of challenges that organizers asked for, and which challenges came out of one."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class ChallengeArchive(models.Model):
    """The archive of a challenge that an organizer asked for last: a worker makes it, then it is kept in pieces."""

    challenge = models.OneToOneField("evaluation.Challenge", on_delete=models.CASCADE, related_name="archive")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    asked = models.DateTimeField(db_default=Now())
    # How often a worker began: one that dies leaves it to the next, but not for ever.
    begun = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    finished = models.DateTimeField(null=True, blank=True)
    failed = models.BooleanField(default=False)
    size = models.PositiveBigIntegerField(default=0, help_text="bytes")
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        indexes = [models.Index(fields=["id"], condition=Q(finished__isnull=True), name="archive_to_make")]

    def __str__(self) -> str:
        return f"archive of {self.challenge}"

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0


class ArchivePiece(models.Model):
    archive = models.ForeignKey(ChallengeArchive, on_delete=models.CASCADE, related_name="pieces")
    number = models.PositiveIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["archive", "number"], name="archive_piece_once")]


class Restored(models.Model):
    """A challenge came out of the archive whose list of files has this SHA-256."""

    challenge = models.OneToOneField("evaluation.Challenge", on_delete=models.CASCADE, related_name="restored")
    checksum = models.CharField(max_length=64)
    at = models.DateTimeField(db_default=Now())
