"""How far a curator is, and how fast."""

from dataclasses import dataclass
from statistics import median

from django.db.models import Count, Q

from annotations.models import CorpusArticle
from evaluation.labelling.models import Labeller
from evaluation.labelling.reading import current, twice_in

# The pace is that of the last so many labels: a curator gets faster.
LAST = 100


@dataclass(frozen=True, slots=True)
class Progress:
    """Articles of the corpus, those labelled and skipped; readings still to come, second ones too; pace: the median of
    seconds a reading, None before the first."""

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
        """In words, empty when nothing can be said yet."""
        if self.seconds_left is None or not self.left:
            return ""
        minutes = max(1, round(self.seconds_left / 60))
        return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def progress_of(own: Labeller) -> Progress:
    """Four queries."""
    labels = current(own)
    first = Q(again=False)
    counts = labels.aggregate(
        labelled=Count("pk", first & Q(relevant__isnull=False)),
        skipped=Count("pk", first & Q(relevant__isnull=True)),
        second=Count("pk", ~first),
    )
    articles = CorpusArticle.objects.filter(corpus=own.labelling.corpus_id).count()
    left = articles - counts["labelled"] + twice_in(own.labelling).count() - counts["second"]
    said = labels.filter(capped=False, relevant__isnull=False).order_by("-pk")
    seconds = said.values_list("seconds", flat=True)[:LAST]
    return Progress(articles, counts["labelled"], counts["skipped"], left, median(seconds) if seconds else None)
