"""Curators label the articles of a corpus as relevant or not, and the time is taken: how an ACT gold standard is made.

Every label is kept. One that is taken back or given anew is superseded; the current ones of first readings are also the
Results of the curator's producer, so that a curator is compared with servers like any of them.
"""

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.models import Article, Corpus, Producer


class Labelling(models.Model):
    """One corpus to be labelled, for the organizers of a challenge."""

    class Order(models.TextChoices):
        GIVEN = "given", "as the corpus has them"
        LIKELY = "likely", "those first that the servers call relevant"

    class Every(models.IntegerChoices):
        NEVER = 0, "none"
        TWENTIETH = 20, "every 20th (5 %)"
        TENTH = 10, "every 10th (10 %)"

    challenge = models.ForeignKey("evaluation.Challenge", on_delete=models.CASCADE, related_name="labellings")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="labellings")
    order = models.CharField(max_length=6, choices=Order.choices, default=Order.GIVEN)
    # Which articles of the corpus each curator reads a second time, without being told.
    again_every = models.PositiveSmallIntegerField(choices=Every.choices, default=Every.TWENTIETH)
    guideline = models.TextField(blank=True, help_text="what counts as relevant; stands beside every article")
    begun = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "corpus"], name="labelling_once")]

    def __str__(self) -> str:
        return f"Labelling of {self.corpus}"


class Labeller(models.Model):
    """A curator of a labelling, where the curator stands in it, and the clock of the article that is being read.

    running is None while the clock stands; before is the time on it until then. showing goes up with each time that an
    article is shown, so that what a page says that is not shown any more changes nothing.
    """

    labelling = models.ForeignKey(Labelling, on_delete=models.CASCADE, related_name="labellers")
    # None where it came out of an archive, which names no account.
    user = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.PROTECT, related_name="labellers")
    producer = models.OneToOneField(Producer, on_delete=models.PROTECT, related_name="labeller")
    # Released by the organizers: the labels stay, no more are taken.
    released = models.DateTimeField(null=True, blank=True)
    article = models.ForeignKey(Article, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    again = models.BooleanField(default=False)
    before = models.DurationField(default=timedelta(0))
    running = models.DateTimeField(null=True, blank=True)
    paused = models.BooleanField(default=False)
    showing = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["labelling", "user"], name="labeller_once")]

    def __str__(self) -> str:
        return self.user.get_username() if self.user else self.producer.name


class Label(models.Model):
    """What a curator said of an article, at the first reading or the second (again); relevant is None when skipped.

    seconds are those that the article was in sight, by the server's clock; capped: there were more of them.
    """

    labeller = models.ForeignKey(Labeller, on_delete=models.CASCADE, related_name="labels")
    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="+")
    again = models.BooleanField(default=False)
    relevant = models.BooleanField(null=True, blank=True)
    seconds = models.FloatField()
    capped = models.BooleanField(default=False)
    at = models.DateTimeField(db_default=Now())
    superseded = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["labeller", "article", "again"],
                condition=Q(superseded__isnull=True),
                name="one_current_label",
            )
        ]


class Ruling(models.Model):
    """What an organizer decided where curators differ."""

    labelling = models.ForeignKey(Labelling, on_delete=models.CASCADE, related_name="rulings")
    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="+")
    relevant = models.BooleanField()
    by = models.ForeignKey("auth.User", null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(db_default=Now())
    superseded = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["labelling", "article"], condition=Q(superseded__isnull=True), name="one_current_ruling"
            )
        ]
