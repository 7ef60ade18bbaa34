"""Challenges, what counts as right in them, who takes part, and how good they are."""

from typing import Any

from django.db import models
from django.db.models.functions import Now

from annotations.models import KIND_CHOICES, Corpus, Producer
from servers.models import Team


class Challenge(models.Model):
    name = models.CharField(max_length=200)
    slug = models.SlugField(unique=True)
    description = models.TextField(blank=True)
    organizers: "models.ManyToManyField[Any, Any]" = models.ManyToManyField("auth.User", related_name="challenges")

    def __str__(self) -> str:
        return self.name


class Task(models.Model):
    """What is asked for in a challenge: one kind of annotation under its challenge name (ACT, TX, ...)."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="tasks")
    name = models.CharField(max_length=20)
    title = models.CharField(max_length=200)
    note = models.TextField(blank=True, help_text="what its gold standard is, in words for the leaderboard")
    kind = models.CharField(max_length=14, choices=KIND_CHOICES)
    primary = models.CharField(max_length=32, help_text="name of the measure that orders the leaderboard")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "name"], name="task_once")]

    def __str__(self) -> str:
        return self.name


class Phase(models.Model):
    class Sort(models.TextChoices):
        TRAINING = "training"
        TEST = "test"

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="phases")
    sort = models.CharField(max_length=8, choices=Sort.choices)
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT)
    opens = models.DateTimeField(db_default=Now())
    closes = models.DateTimeField(null=True, blank=True)
    # The leaderboard is seen by all from then on; before, by the organizers, and of training by each team its own.
    published = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "sort"], name="phase_once")]

    def __str__(self) -> str:
        return f"{self.challenge} {self.sort}"


class GoldStandard(models.Model):
    """What is right for the articles of one phase in one task: the Results of its producer."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="golds")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="golds")
    producer = models.OneToOneField(Producer, on_delete=models.PROTECT, related_name="gold")
    checksum = models.CharField(max_length=64, help_text="sha256 of the file it came from")
    source = models.CharField(max_length=300, blank=True)
    imported = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "phase"], name="gold_once")]


class Run(models.Model):
    """One producer's answers to one task in one phase."""

    class Sort(models.TextChoices):
        ONLINE = "online"
        UPLOAD = "upload"
        BASELINE = "baseline"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="runs")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="runs")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT, related_name="runs")
    producer = models.ForeignKey(Producer, on_delete=models.PROTECT, related_name="runs")
    name = models.CharField(max_length=200)
    sort = models.CharField(max_length=8, choices=Sort.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "phase", "producer"], name="run_once")]

    def __str__(self) -> str:
        return self.name


class Score(models.Model):
    """The figures of a run against a gold standard, with what they were computed from."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="score")
    gold = models.ForeignKey(GoldStandard, on_delete=models.CASCADE, related_name="scores")
    figures = models.JSONField(help_text="{measure name: value or null when undefined}")
    curve = models.JSONField(default=list, help_text="[[recall, precision], ...] in list order")
    articles = models.PositiveIntegerField(help_text="of the gold standard")
    answered = models.PositiveIntegerField(help_text="of these, articles with a Result, empty ones too")
    # What the figures mean: measures, scenario, gold checksum, version of the code.
    signature = models.CharField(max_length=500)
    # Which Results were read, so that newer ones are noticed.
    seen = models.CharField(max_length=100)
    computed = models.DateTimeField(db_default=Now())
