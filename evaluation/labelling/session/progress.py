"""The progress and pace of a curator, and the labellings that wait for one."""

from dataclasses import dataclass
from statistics import median

from django.db.models import Count, OuterRef, Q, Subquery

from annotations.articles.models import CorpusArticle
from evaluation.labelling.lookup import list_open_labellers
from evaluation.labelling.models import Labeller
from evaluation.labelling.session.reading_order import filter_current_labels, list_articles_to_read_twice
from servers.teams.permissions import User

# Curators get faster, so only the last labels count for the pace.
LABELS_FOR_PACE = 100


@dataclass(frozen=True, slots=True)
class OwnLabelling:
    """done: articles that the curator has labelled or skipped; total: articles of the corpus."""

    labeller: Labeller
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class LabellingProgress:
    """articles: in the corpus; left: readings still to do, including second ones; pace: median seconds per reading.

    pace is None before the first label.
    """

    articles: int
    labelled: int
    skipped: int
    left: int
    pace: float | None

    @property
    def percent(self) -> int:
        return 100 * self.labelled // self.articles if self.articles else 100

    @property
    def seconds_left(self) -> float | None:
        return None if self.pace is None else self.pace * self.left

    @property
    def time_left(self) -> str:
        """The estimated time left, in minutes or hours; empty if unknown or done."""
        if self.seconds_left is None or not self.left:
            return ""
        minutes = max(1, round(self.seconds_left / 60))
        return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def load_labelling_counts_and_pace(labeller: Labeller) -> LabellingProgress:
    """Load the progress in four queries."""
    labels = filter_current_labels(labeller)
    first = Q(again=False)
    counts = labels.aggregate(
        labelled=Count("pk", first & Q(relevant__isnull=False)),
        skipped=Count("pk", first & Q(relevant__isnull=True)),
        second=Count("pk", ~first),
    )
    articles = CorpusArticle.objects.filter(corpus=labeller.labelling.corpus_id).count()
    left = articles - counts["labelled"] + list_articles_to_read_twice(labeller.labelling).count() - counts["second"]
    timed_labels = labels.filter(capped=False, relevant__isnull=False).order_by("-pk")
    seconds = timed_labels.values_list("seconds", flat=True)[:LABELS_FOR_PACE]
    return LabellingProgress(
        articles, counts["labelled"], counts["skipped"], left, median(seconds) if seconds else None
    )


def list_own_labellings(user: User) -> list[OwnLabelling]:
    """The labellings that the user can continue, oldest first, in one query."""
    articles = CorpusArticle.objects.filter(corpus=OuterRef("labelling__corpus")).order_by().values("corpus")
    rows = list_open_labellers(user).select_related("labelling__corpus", "labelling__challenge")
    counted = rows.annotate(
        done=Count("labels", filter=Q(labels__superseded__isnull=True, labels__again=False)),
        total=Subquery(articles.annotate(number=Count("pk")).values("number")),
    )
    return [OwnLabelling(each, each.done, each.total or 0) for each in counted.order_by("pk")]
