"""The scores of runs."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run


class Score(models.Model):
    """The figures of a run in one scenario, with what they were computed from.

    A run has one current score in each scenario. When the gold standard, the software or the counted articles change,
    it is superseded and kept; when only new answers have arrived, it is replaced.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scores")
    gold = models.ForeignKey(GoldStandard, on_delete=models.CASCADE, related_name="scores")
    scenario = models.CharField(max_length=32, default="all", db_default="all")
    # Why the run cannot be scored in this scenario; then there are no figures.
    absent = models.CharField(max_length=300, blank=True, db_default="")
    figures = models.JSONField(help_text="{measure name: value, or null when undefined}")
    intervals = models.JSONField(default=dict, help_text="{measure name: [low, high]}, 95 % confidence intervals")
    curve = models.JSONField(default=list, help_text="[[recall, precision], ...] in list order")
    articles = models.PositiveIntegerField(help_text="number of articles of the gold standard")
    answered = models.PositiveIntegerField(help_text="of these, articles with a Result, which may be empty")
    confidence = models.FloatField(null=True, blank=True, help_text="mean of the annotations of these articles")
    # Time per timed answer.
    seconds_mean = models.FloatField(null=True, blank=True)
    seconds_median = models.FloatField(null=True, blank=True)
    seconds_slowest = models.FloatField(null=True, blank=True)
    # The hits, item by item without names, for paired tests of runs (evaluation/analyses/tables/packing.py).
    table = models.BinaryField(default=bytes)
    samples = models.PositiveIntegerField(
        default=0, db_default=0, help_text="number of bootstrap samples for the intervals"
    )
    seed = models.PositiveIntegerField(default=0, db_default=0)
    checksum = models.CharField(max_length=64, blank=True, db_default="", help_text="of the gold standard at that time")
    version = models.CharField(max_length=32, blank=True, db_default="", help_text="of the software")
    # Measures, scenario, gold standard and software version, so that two scores can be compared.
    signature = models.CharField(max_length=700)
    # Fingerprint of the inputs, to detect newer ones.
    seen = models.CharField(max_length=150)
    computed = models.DateTimeField(db_default=Now())
    took = models.FloatField(default=0, db_default=0, help_text="seconds of computation, for all scenarios of the run")
    superseded = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "scenario"], condition=Q(superseded__isnull=True), name="one_current_score"
            )
        ]

    def __str__(self) -> str:
        return f"{self.run} {self.scenario}"
