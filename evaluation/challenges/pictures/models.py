"""The pictures that organizers upload for the description of their challenge."""

import re

from django.db import models
from django.db.models.functions import Now

from evaluation.challenges.models import Challenge


class ChallengePicture(models.Model):
    """A picture as pages show it, WebP without metadata. Its name is a hash of its content, so it never changes."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="pictures")
    name = models.CharField(max_length=40)
    file_name = models.CharField(max_length=100, help_text="of the uploaded file")
    alternative_text = models.CharField(
        max_length=500, blank=True, db_default="", help_text="what the picture shows, for the Markdown to copy"
    )
    width = models.PositiveIntegerField(help_text="pixels")
    height = models.PositiveIntegerField(help_text="pixels")
    size = models.PositiveIntegerField(help_text="bytes")
    content = models.BinaryField()
    uploaded = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "name"], name="challenge_picture_once")]

    def __str__(self) -> str:
        return self.file_name

    @property
    def markdown(self) -> str:
        """What shows the picture in a description."""
        text = re.sub(r"([\\\[\]`*_<&])", r"\\\1", self.alternative_text)
        return f"![{text}]({self.name})"
