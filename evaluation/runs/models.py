"""The model of a run."""

from django.db import models

from annotations.results.models import Producer
from evaluation.challenges.models import Phase, Task
from servers.teams.models import Team


class Run(models.Model):
    """One producer's answers to one task in one phase."""

    class Source(models.TextChoices):
        ONLINE = "online"
        UPLOAD = "upload"
        BASELINE = "baseline"
        # Of a run in the archive from which an organizer created the challenge; nobody here has made it.
        IMPORTED = "imported"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="runs")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="runs")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT, related_name="runs")
    producer = models.ForeignKey(Producer, on_delete=models.PROTECT, related_name="runs")
    name = models.CharField(max_length=200)
    sort = models.CharField(max_length=8, choices=Source.choices)
    # Of an imported run, the name that its team has in the archive: no team of this site.
    imported_team = models.CharField(max_length=200, blank=True, default="", db_default="")
    # Marked by an organizer as a baseline; runs of the source BASELINE are baselines without the mark. Imported runs
    # have it if a site made them as baselines.
    baseline = models.BooleanField(default=False, db_default=False)
    # Tagged by its team as one of its final runs.
    final = models.BooleanField(default=False, db_default=False)
    # What its team says about it; leaderboards show it where they name the team.
    method_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    abstract = models.TextField(max_length=4000, blank=True, default="", db_default="")
    paper = models.URLField(max_length=500, blank=True, default="", db_default="")
    code = models.URLField(max_length=500, blank=True, default="", db_default="")
    environment = models.TextField(max_length=1000, blank=True, default="", db_default="")
    # No longer scored or listed, and visible only to its team, organizers and staff.
    withdrawn = models.DateTimeField(null=True, blank=True)
    # It has its first score, and its team was not mailed about that yet.
    first_score_mail_due = models.BooleanField(default=False, db_default=False)
    # When organizers were mailed that calls of its server failed because of the meta-server.
    errors_mailed = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "phase", "producer"], name="run_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_baseline(self) -> bool:
        """Whether it has no rank on leaderboards: the site made it as a baseline, or an organizer marked it as one."""
        return self.baseline or self.sort == Run.Source.BASELINE

    @property
    def board_sort(self) -> str:
        """Where the run comes from, as leaderboards mark it: that it was imported comes before what it is."""
        return Run.Source.BASELINE if self.is_baseline and self.sort != Run.Source.IMPORTED else self.sort

    @property
    def imported_label(self) -> str:
        """What is shown in place of its team; empty for a run that is not imported."""
        return f"{self.imported_team} (imported)".lstrip() if self.sort == Run.Source.IMPORTED else ""
