"""Who says something of the articles of a corpus and can be compared, and whether it says the same as before."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, F, Max, QuerySet, Sum

from annotations.kinds import Kind
from annotations.models import Corpus, Producer, Result
from evaluation.labelling.models import Label


@dataclass(frozen=True, slots=True)
class Candidate:
    """A producer that has current Results of a kind in a corpus, and of how many articles."""

    id: int
    name: str
    sort: str
    kind: Kind
    articles: int


def candidates_in(corpus: Corpus, seen: QuerySet[Producer]) -> list[Candidate]:
    """By kind and name: one query."""
    rows = Result.objects.filter(superseded__isnull=True, article__corpora=corpus, producer__in=seen)
    counted = rows.values_list("producer", "producer__name", "producer__sort", "kind").annotate(Count("pk"))
    found = [Candidate(pk, name, sort, Kind(kind), number) for pk, name, sort, kind, number in counted]
    return sorted(found, key=lambda own: (list(Kind).index(own.kind), own.sort == "gold", own.name, own.id))


def state_of(corpus: Corpus, kind: Kind, producers: Collection[int]) -> object:
    """Another one whenever these producers say something else of the articles of the corpus: two queries."""
    said = results_in(corpus, kind, producers).values_list("producer", "producer__renewed").order_by("producer")
    counted = said.annotate(Count("pk"), Max("pk"), Count("superseded"), Sum("article"))
    labels = Label.objects.filter(labeller__producer__in=producers, article__corpora=corpus)
    return list(counted), labels.aggregate(Count("pk"), Max("pk"), Max("superseded"))


def results_in(corpus: Corpus, kind: Kind, producers: Collection[int]) -> QuerySet[Result]:
    rows = Result.objects.filter(producer__in=producers, kind=kind, article__corpora=corpus)
    # Places mean something in the text that they were found in alone.
    return rows.filter(text_version=F("article__text_version")) if kind == Kind.MENTION else rows
