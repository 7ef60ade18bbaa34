"""What a training phase teaches of a server: what its confidences are worth, and where its lists are best cut."""

from django.db import models
from django.db.models.functions import Now


class Calibration(models.Model):
    """Learned from the answers of one online run and the gold standard of its training phase; made anew when either
    changes. Who may see it: bcms/visibility.py.
    """

    class Way(models.TextChoices):
        ISOTONIC = "isotonic", "isotonic regression"
        PLATT = "platt", "Platt's sigmoid"
        NONE = "none"

    class CutBy(models.TextChoices):
        CONFIDENCE = "confidence"
        RANK = "rank"

    run = models.OneToOneField("evaluation.Run", on_delete=models.CASCADE, related_name="calibration")
    gold = models.ForeignKey("evaluation.GoldStandard", on_delete=models.CASCADE, related_name="calibrations")
    checksum = models.CharField(max_length=64, help_text="of the gold standard then")
    way = models.CharField(max_length=8, choices=Way.choices)
    why_none = models.CharField(max_length=300, blank=True)
    knots = models.JSONField(default=list, help_text="[[confidence, share that is right], ...], straight lines between")
    number = models.PositiveIntegerField(help_text="answers with a confidence, in articles of the gold standard")
    right = models.PositiveIntegerField(help_text="of these")
    brier = models.FloatField(null=True, blank=True)
    log_loss = models.FloatField(null=True, blank=True)
    # Of confidences by curves that did not see the answer.
    brier_fitted = models.FloatField(null=True, blank=True)
    log_loss_fitted = models.FloatField(null=True, blank=True)
    # By tenths of the confidence [[results, mean confidence, share that is right], ...], raw and by such curves.
    tenths = models.JSONField(default=list)
    tenths_fitted = models.JSONField(default=list)
    # The FAP cut-off: where its lists end best; empty where there are no lists or nothing in them counts.
    cut_by = models.CharField(max_length=10, choices=CutBy.choices, blank=True)
    cut_value = models.FloatField(null=True, blank=True)
    cut_fap = models.FloatField(null=True, blank=True)
    # Which Results were read, so that newer ones are noticed.
    seen = models.CharField(max_length=150)
    fitted = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.way} of {self.run}"
