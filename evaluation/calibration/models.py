"""The calibration of a server, learned from its run in a training phase."""

from django.db import models
from django.db.models.functions import Now


class Calibration(models.Model):
    """Curve and FAP cut-off, learned from an online run and the gold standard of its training phase.

    It is replaced when either changes. evaluation/visibility.py decides who may see it.
    """

    class FitMethod(models.TextChoices):
        ISOTONIC = "isotonic", "isotonic regression"
        PLATT = "platt", "Platt's sigmoid"
        NONE = "none"

    class CutCriterion(models.TextChoices):
        CONFIDENCE = "confidence"
        RANK = "rank"

    run = models.OneToOneField("evaluation.Run", on_delete=models.CASCADE, related_name="calibration")
    gold = models.ForeignKey("evaluation.GoldStandard", on_delete=models.CASCADE, related_name="calibrations")
    checksum = models.CharField(max_length=64, help_text="of the gold standard at that time")
    way = models.CharField(max_length=8, choices=FitMethod.choices)
    why_none = models.CharField(max_length=300, blank=True)
    knots = models.JSONField(
        default=list, help_text="[[confidence, share of correct answers], ...], joined by straight lines"
    )
    number = models.PositiveIntegerField(help_text="answers with a confidence, for articles of the gold standard")
    right = models.PositiveIntegerField(help_text="correct ones of these")
    brier = models.FloatField(null=True, blank=True)
    log_loss = models.FloatField(null=True, blank=True)
    # Losses of confidences by curves that were not learned from the answer.
    brier_fitted = models.FloatField(null=True, blank=True)
    log_loss_fitted = models.FloatField(null=True, blank=True)
    # [[results, mean confidence, share of correct results], ...] for each tenth of the confidence, raw and by such
    # curves.
    tenths = models.JSONField(default=list)
    tenths_fitted = models.JSONField(default=list)
    # The FAP cut-off; empty when there are no lists or nothing in them counts.
    cut_by = models.CharField(max_length=10, choices=CutCriterion.choices, blank=True)
    cut_value = models.FloatField(null=True, blank=True)
    cut_fap = models.FloatField(null=True, blank=True)
    # Fingerprint of the inputs, to detect newer ones.
    seen = models.CharField(max_length=150)
    fitted = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.way} of {self.run}"
