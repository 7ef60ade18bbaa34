"""What the database's clock has shown."""

from django.db import models


class ClockReading(models.Model):
    """The latest time that the clock of the database showed: one row."""

    at = models.DateTimeField()
