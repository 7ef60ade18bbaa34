"""The stored paired tests of a leaderboard."""

from django.db import models

from evaluation.challenges.models import Phase, Task


class Ranking(models.Model):
    """Paired tests between all runs of a leaderboard by one measure in one scenario, and the ensemble of the best."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="rankings")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="rankings")
    scenario = models.CharField(max_length=32)
    measure = models.CharField(max_length=32)
    scores = models.JSONField(default=list, help_text="ids of the compared scores")
    # For each pair (0, 1), (0, 2), ..., (1, 2), ...: number of samples with a difference at least as large as observed.
    counts = models.JSONField(default=list)
    untested = models.CharField(max_length=300, blank=True, help_text="why there are no tests")
    samples = models.PositiveIntegerField(default=0)
    seed = models.PositiveIntegerField(default=0)
    ensemble = models.JSONField(
        null=True, blank=True, help_text="the EnsembleScore without its table, and p of the test against the best run"
    )
    version = models.CharField(max_length=32, blank=True, help_text="version of the software")
    # Tests for teams before publication: their number of samples must not reveal how many other runs there are.
    readers = models.JSONField(default=list, help_text="list of ReaderTests")
    # Progress of the worker with the next tests, in samples; both 0 if no worker is at it.
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    computed = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "phase", "scenario", "measure"], name="one_ranking_of_a_board")
        ]

    def __str__(self) -> str:
        return f"{self.task} {self.phase} {self.scenario} by {self.measure}"
