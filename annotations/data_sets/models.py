"""Data sets: consensus annotations that are kept as those of a producer, with the recipe that they were made by."""

from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.articles.models import Article, Corpus
from annotations.results.models import RESULT_KIND_CHOICES, Producer


class DataSetState(models.TextChoices):
    """BUILDING: a worker stores annotations. OUTDATED: Results, articles or cut-offs have changed since then."""

    BUILDING = "building"
    CURRENT = "current"
    OUTDATED = "outdated"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


class Licence(models.TextChoices):
    """Licences of annotations, by their SPDX identifiers."""

    CC0 = "CC0-1.0", "CC0 1.0 (public domain)"
    CC_BY = "CC-BY-4.0", "CC BY 4.0 (attribution)"
    CC_BY_SA = "CC-BY-SA-4.0", "CC BY-SA 4.0 (attribution, share alike)"
    CC_BY_NC = "CC-BY-NC-4.0", "CC BY-NC 4.0 (attribution, no commercial use)"


class DataSet(models.Model):
    """A consensus of several producers over a corpus or a search, stored as the current Results of its own producer.

    It has only articles that everybody sees. It reveals what its sources report, so it is shown to its owner only
    while the owner sees all of them (evaluation/visibility.py), and public only while all of them are
    (annotations/results/producers.py).
    """

    # Its annotations are public while the producer is.
    producer = models.OneToOneField(Producer, on_delete=models.PROTECT, related_name="data_set")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="data_sets")
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    licence = models.CharField(max_length=20, choices=Licence.choices)
    # The recipe: articles of the corpus or, without one, of the search with this query string.
    corpus = models.ForeignKey(Corpus, null=True, blank=True, on_delete=models.SET_NULL, related_name="data_sets")
    search = models.TextField(blank=True)
    sources: "models.ManyToManyField[Producer, Any]" = models.ManyToManyField(Producer, related_name="data_sets")
    kinds: "models.Field[list[str], list[str]]" = ArrayField(
        models.CharField(max_length=14, choices=RESULT_KIND_CHOICES)
    )
    # A consensus method with its parameters (annotations/results/consensus/methods.py); threshold: None by default.
    method = models.CharField(max_length=16)
    threshold = models.FloatField(null=True, blank=True)
    spans = models.CharField(max_length=12)
    match = models.CharField(max_length=12, default="position", db_default="position")
    # {id of a source: weight of its votes}
    weights = models.JSONField(default=dict, blank=True)
    # [[id of a source, kind, "confidence" or "rank", value], ...]: the cut-offs that were in force when it was built.
    cuts = models.JSONField(default=list, blank=True)
    state = models.CharField(max_length=9, choices=DataSetState.choices, default=DataSetState.BUILDING)
    # Why it failed, or is no longer published.
    problem = models.CharField(max_length=500, blank=True)
    # Articles to build in this update, and those that are built.
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    # How often in a row a worker started and did not finish its share.
    tries = models.PositiveSmallIntegerField(default=0)
    # What was compared when it was found to be current (annotations/data_sets/changes.py), and when.
    watermark = models.CharField(max_length=64, blank=True)
    checked = models.DateTimeField(null=True, blank=True)
    # Size: {kind: [articles with a Result, annotations]}; agreement of the sources: bcms/data_sets/figures.py.
    sizes = models.JSONField(default=dict, blank=True)
    agreement = models.JSONField(default=list, blank=True)
    created = models.DateTimeField(db_default=Now())
    built = models.DateTimeField(null=True, blank=True)
    # When its owner asked to publish it, and when a reviewer did.
    proposed = models.DateTimeField(null=True, blank=True)
    published = models.DateTimeField(null=True, blank=True)
    withdrawn = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state=DataSetState.WITHDRAWN, withdrawn__isnull=False, published__isnull=True)
                | ~Q(state=DataSetState.WITHDRAWN) & Q(withdrawn__isnull=True),
                name="data_set_withdrawn",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0

    @property
    def number_of_articles(self) -> int:
        """The largest number of articles with a Result of one kind."""
        return max((articles for articles, _ in self.sizes.values()), default=0)

    @property
    def number_of_annotations(self) -> int:
        return sum(annotations for _, annotations in self.sizes.values())


class DataSetArticle(models.Model):
    """An article of a data set. fingerprint: of the Results that its consensus was built from; None: build it anew."""

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="members")
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    fingerprint = models.BigIntegerField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["data_set", "article"], name="data_set_has_article_once")]

    def __str__(self) -> str:
        return f"{self.article_id} in {self.data_set_id}"
