"""Curators label the articles of a corpus as relevant or not, and are timed: this makes a gold standard for ACT.

Every label is kept. A label that is undone or replaced is superseded. The current labels of first readings are also
Results of the curator's producer, so that a curator can be compared with servers.
"""

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.articles.models import Article, Corpus
from annotations.results.models import Producer


class Labelling(models.Model):
    """The labelling of one corpus for a challenge."""

    class Order(models.TextChoices):
        GIVEN = "given", "in the order of the corpus"
        LIKELY = "likely", "likely relevant articles first"

    class SecondReading(models.IntegerChoices):
        NEVER = 0, "none"
        TWENTIETH = 20, "every 20th (5 %)"
        TENTH = 10, "every 10th (10 %)"

    challenge = models.ForeignKey("evaluation.Challenge", on_delete=models.CASCADE, related_name="labellings")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="labellings")
    order = models.CharField(max_length=6, choices=Order.choices, default=Order.GIVEN)
    # Every how many articles one is read a second time; curators do not know which. 0: none.
    again_every = models.PositiveSmallIntegerField(choices=SecondReading.choices, default=SecondReading.TWENTIETH)
    guideline = models.TextField(blank=True, help_text="what counts as relevant; shown beside every article")
    begun = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "corpus"], name="labelling_once")]

    def __str__(self) -> str:
        return f"Labelling of {self.corpus}"


class Labeller(models.Model):
    """A curator of a labelling, with the article being read and its timer.

    running: when the timer was started, None while it is stopped; before: the time counted until then; again: this is
    the second reading. showing is increased each time that an article is shown, so that requests of an outdated page
    have no effect.
    """

    labelling = models.ForeignKey(Labelling, on_delete=models.CASCADE, related_name="labellers")
    # None if restored from an archive, which has no accounts.
    user = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.PROTECT, related_name="labellers")
    producer = models.OneToOneField(Producer, on_delete=models.PROTECT, related_name="labeller")
    # Released by the organizers: existing labels count, new ones are not accepted.
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
    """A curator's label of an article at the first or the second reading (again); relevant is None if skipped.

    seconds: how long the article was visible, by the server's clock; capped: it was visible longer.
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
    """An organizer's decision on an article that curators labelled differently."""

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
