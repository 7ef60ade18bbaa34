"""What authors and curators said of articles elsewhere, brought in as files, to be compared with what systems say."""

from django.db import models
from django.db.models.functions import Now

from annotations.models import KIND_CHOICES, Corpus, Producer


class ByHand(models.Model):
    """What some authors or curators say of one kind in the articles of a corpus; source, checksum and brought are of
    the last file. An article that a later file names, too, keeps what the earlier one said of it, superseded."""

    challenge = models.ForeignKey("evaluation.Challenge", on_delete=models.CASCADE, related_name="by_hand")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=14, choices=KIND_CHOICES)
    producer = models.ForeignKey(Producer, on_delete=models.PROTECT, related_name="by_hand")
    source = models.CharField(max_length=300)
    checksum = models.CharField(max_length=64, help_text="SHA-256 in hex")
    brought = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["producer", "kind"], name="by_hand_once")]

    def __str__(self) -> str:
        return str(self.producer)
