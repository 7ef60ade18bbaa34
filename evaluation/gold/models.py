"""Gold standards, and the accepted alternatives of those of mentions."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.results.models import Producer
from evaluation.challenges.models import Phase, Task


class Alternatives(models.Model):
    """The spans that a gold standard of mentions accepts instead of the genes that they overlap.

    They are sealed as long as the gold standard is.
    """

    gold = models.OneToOneField("evaluation.GoldStandard", on_delete=models.CASCADE, related_name="alternatives")
    places = models.BinaryField(help_text="JSON, {article id: [[start, end], ...]}")
    checksum = models.CharField(max_length=64, help_text="SHA-256 of the file; of a sealed one, a keyed checksum")
    source = models.CharField(max_length=300)

    def __str__(self) -> str:
        return self.source


class GoldManager(models.Manager["GoldStandard"]):
    """Does not load sealed files and the names in them by default: only the code that opens one needs them."""

    def get_queryset(self) -> models.QuerySet["GoldStandard"]:
        return super().get_queryset().defer("sealed", "opaque_by_document")


class GoldStandard(models.Model):
    """The correct annotations of the articles of a phase in a task: the Results of its producer.

    The gold standard of a test is a sealed file (evaluation/gold/sealing.py) and has no producer until it is published.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="golds")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="golds")
    producer = models.OneToOneField(Producer, null=True, blank=True, on_delete=models.PROTECT, related_name="gold")
    sealed = models.BinaryField(null=True, blank=True)
    # Of a sealed file from an archive, or that the articles are from: {name in the file: opaque id of its article, null
    # if the document is left out}. Null for other files, which name articles by the names that they have on the site.
    opaque_by_document = models.JSONField(null=True, blank=True)
    # From then on everybody sees the leaderboard of the task; also set when the whole phase is published.
    published = models.DateTimeField(null=True, blank=True)
    publish_asked = models.DateTimeField(null=True, blank=True)
    # Keyed, too, if the file has more that stays secret (evaluation/gold/checksums.py).
    checksum = models.CharField(max_length=64, help_text="SHA-256 of the file; of a sealed one, a keyed checksum")
    source = models.CharField(max_length=300, blank=True)
    imported = models.DateTimeField(db_default=Now())

    objects = GoldManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "phase"], name="gold_once"),
            models.CheckConstraint(
                condition=Q(producer__isnull=True, sealed__isnull=False)
                | Q(producer__isnull=False, sealed__isnull=True),
                name="gold_sealed_or_stored",
            ),
        ]
