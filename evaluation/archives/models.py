"""Archives of challenges that organizers requested, and the archives that challenges were restored from."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class ChallengeArchive(models.Model):
    """The latest requested archive of a challenge: a worker makes it and stores it in pieces."""

    challenge = models.OneToOneField("evaluation.Challenge", on_delete=models.CASCADE, related_name="archive")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    asked = models.DateTimeField(db_default=Now())
    # How often making it began; it is not repeated for ever after crashes.
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


class DraftArchive(models.Model):
    """An archive that somebody uploaded to create a draft of it, until a worker has done so or has rejected it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=250, help_text="of the file")
    # What the draft is called; empty for what the archive says.
    challenge_name = models.CharField(max_length=200, blank=True)
    challenge_slug = models.CharField(max_length=50, blank=True)
    size = models.PositiveIntegerField(help_text="bytes as it was sent")
    # Sealed (evaluation/gold/sealing.py), as it may have the gold standard of a test; null once it is read.
    content = models.BinaryField(null=True, blank=True)
    uploaded = models.DateTimeField(db_default=Now())
    # How often a worker began with it: archives that crash the worker are rejected.
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    finished = models.DateTimeField(null=True, blank=True)
    # [[line, column, rule, message], ...], the first of all_faults; line 0 stands for a whole file.
    faults = models.JSONField(default=list, blank=True)
    all_faults = models.PositiveIntegerField(default=0, db_default=0)
    # Why it was rejected, besides the faults.
    refusal = models.TextField(blank=True, db_default="")
    # Sentences on what the draft has not, although the archive has it, or has otherwise.
    notes = models.JSONField(default=list, blank=True)
    challenge = models.ForeignKey(
        "evaluation.Challenge", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(finished__isnull=True), name="draft_archive_waiting_once"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def state(self) -> str:
        """Waiting, rejected or finished."""
        if self.finished is None:
            return "waiting"
        return "rejected" if self.faults or self.refusal else "finished"


class ArchivePiece(models.Model):
    archive = models.ForeignKey(ChallengeArchive, on_delete=models.CASCADE, related_name="pieces")
    number = models.PositiveIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["archive", "number"], name="archive_piece_once")]


class RestoredChallenge(models.Model):
    """A challenge restored from an archive. checksum: the SHA-256 of the archive's manifest."""

    challenge = models.OneToOneField("evaluation.Challenge", on_delete=models.CASCADE, related_name="restored")
    checksum = models.CharField(max_length=64)
    at = models.DateTimeField(db_default=Now())
