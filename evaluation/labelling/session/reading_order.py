"""The order in which a curator reads the articles of a corpus."""

from dataclasses import dataclass

from django.db.models import QuerySet
from django.db.models.functions import Coalesce, Mod

from annotations.articles.models import CorpusArticle
from evaluation.labelling.models import Label, Labeller, Labelling

# The number of labels between two readings of an article, so that the curator does not remember the first.
LABELS_BEFORE_SECOND_READING = 25


@dataclass(frozen=True, slots=True)
class ReadingTurn:
    """An article to read, by key, for the first or the second time (again)."""

    article: int
    again: bool


def find_next_reading(labeller: Labeller) -> ReadingTurn | None:
    """Return the next article to read, None if the curator is done.

    First come second readings of articles that were labelled long enough ago, then new articles, then skipped ones,
    then all other second readings.
    """
    to_repeat, first_readings = _list_labels_to_repeat(labeller), filter_current_labels(labeller).filter(again=False)
    labelled_before = (
        filter_current_labels(labeller)
        .order_by("-pk")
        .values_list("pk", flat=True)[LABELS_BEFORE_SECOND_READING - 1 : LABELS_BEFORE_SECOND_READING]
    )
    if labelled_before and (label := to_repeat.filter(pk__lte=labelled_before[0]).first()):
        return ReadingTurn(label.article_id, again=True)
    unread = _sort_articles_to_label(labeller.labelling).exclude(article__in=first_readings.values("article"))
    if (article := unread.values_list("article", flat=True).first()) is not None:
        return ReadingTurn(article, again=False)
    if skipped := first_readings.filter(relevant__isnull=True).order_by("pk").first():
        return ReadingTurn(skipped.article_id, again=False)
    label = to_repeat.first()
    return None if label is None else ReadingTurn(label.article_id, again=True)


def filter_current_labels(labeller: Labeller) -> QuerySet[Label]:
    return Label.objects.filter(labeller=labeller, superseded__isnull=True)


def _list_labels_to_repeat(labeller: Labeller) -> QuerySet[Label]:
    """The labels of first readings whose second reading is still to do, oldest first."""
    labels = filter_current_labels(labeller)
    first_readings = labels.filter(
        again=False,
        relevant__isnull=False,
        article__in=list_articles_to_read_twice(labeller.labelling).values("article"),
    )
    return first_readings.exclude(article__in=labels.filter(again=True).values("article")).order_by("pk")


def list_articles_to_read_twice(labelling: Labelling) -> QuerySet[CorpusArticle]:
    """The articles to read twice, chosen by position in the corpus, so that they are the same for all curators."""
    rows = CorpusArticle.objects.filter(corpus=labelling.corpus_id)
    if not labelling.again_every:
        return rows.none()
    return rows.annotate(rest=Mod("position", labelling.again_every)).filter(rest=labelling.again_every // 2)


def _sort_articles_to_label(labelling: Labelling) -> QuerySet[CorpusArticle]:
    rows = CorpusArticle.objects.filter(corpus=labelling.corpus_id)
    if labelling.order == Labelling.Order.LIKELY:
        return rows.order_by(Coalesce("article__standing__balance", -1.0).desc(), "position")
    return rows.order_by("position")
