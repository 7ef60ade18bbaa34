"""Annotations that authors and curators made elsewhere, imported from files to be compared with servers."""

from django.db import models
from django.db.models.functions import Now

from annotations.articles.models import Corpus
from annotations.results.models import RESULT_KIND_CHOICES, Producer


class ManualAnnotationSet(models.Model):
    """The annotations of one kind by some authors or curators in a corpus.

    source, checksum and brought are those of the last file. If a later file has an article again, its earlier
    annotations are kept as superseded.
    """

    challenge = models.ForeignKey("evaluation.Challenge", on_delete=models.CASCADE, related_name="by_hand")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=14, choices=RESULT_KIND_CHOICES)
    producer = models.ForeignKey(Producer, on_delete=models.PROTECT, related_name="by_hand")
    source = models.CharField(max_length=300)
    checksum = models.CharField(max_length=64, help_text="SHA-256 in hexadecimal")
    brought = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["producer", "kind"], name="by_hand_once")]

    def __str__(self) -> str:
        return str(self.producer)
