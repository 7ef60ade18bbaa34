"""What is right of mentions besides the places of genes."""

from django.db import models


class Alternatives(models.Model):
    """The places that count for the genes that they overlap, in a gold standard of mentions.

    They are sealed as long as the gold standard is.
    """

    gold = models.OneToOneField("evaluation.GoldStandard", on_delete=models.CASCADE, related_name="alternatives")
    places = models.BinaryField(help_text="JSON, {article: [[start, end], ...]}")
    checksum = models.CharField(max_length=64, help_text="sha256 of the file that they came from")
    source = models.CharField(max_length=300)

    def __str__(self) -> str:
        return self.source
