"""The producers that have annotated articles of a corpus, and whether their annotations have changed."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, F, Max, QuerySet, Sum

from annotations.articles.models import Corpus
from annotations.results.models import Producer, Result
from annotations.schema import Kind
from evaluation.labelling.models import Label

KIND_ORDER = tuple(Kind)


@dataclass(frozen=True, slots=True)
class ComparisonCandidate:
    """A producer with current Results of a kind in a corpus; articles: their number."""

    id: int
    name: str
    sort: str
    kind: Kind
    articles: int


def list_comparison_candidates(corpus: Corpus, visible_producers: QuerySet[Producer]) -> list[ComparisonCandidate]:
    """Those of the visible producers that can be compared, by kind and name, gold standards last; 1 query.

    Names that several have are completed: by the queue of a server, and by the number where that is not enough.
    """
    rows = Result.objects.filter(superseded__isnull=True, article__corpora=corpus, producer__in=visible_producers)
    columns = ("producer", "producer__name", "producer__sort", "kind", "producer__queue__mode", "producer__queue__name")
    counts = list(rows.values_list(*columns).annotate(Count("pk")))
    names = Counter((name, kind) for _, name, _, kind, *_ in counts)
    # Servers of two teams may have the same name, and queues of the same mode and name.
    queues = Counter((name, kind, mode, queue) for _, name, _, kind, mode, queue, _ in counts if mode)
    candidates = []
    for pk, name, sort, kind, mode, queue, number in counts:
        details = [f"{mode} {queue}".strip()] if mode else []
        if queues[name, kind, mode, queue] != 1:
            details.append(f"no. {pk}")
        unique_name = name if names[name, kind] == 1 else f"{name} ({', '.join(details)})"
        candidates.append(ComparisonCandidate(pk, unique_name, sort, Kind(kind), number))
    return sorted(candidates, key=lambda one: (KIND_ORDER.index(one.kind), one.sort == "gold", one.name, one.id))


def compute_answers_fingerprint(corpus: Corpus, kind: Kind, producer_ids: Collection[int]) -> object:
    """A value that changes whenever the annotations of these producers in the corpus change; 2 queries."""
    results = _filter_comparable_results(corpus, kind, producer_ids)
    rows = results.values_list("producer", "producer__renewed").order_by("producer")
    counts = rows.annotate(Count("pk"), Max("pk"), Count("superseded"), Sum("article"))
    labels = Label.objects.filter(labeller__producer__in=producer_ids, article__corpora=corpus)
    return list(counts), labels.aggregate(Count("pk"), Max("pk"), Max("superseded"))


def _filter_comparable_results(corpus: Corpus, kind: Kind, producers: Collection[int]) -> QuerySet[Result]:
    """The current and earlier Results of producers (ids) in the corpus that can be compared."""
    rows = Result.objects.filter(producer__in=producers, kind=kind, article__corpora=corpus)
    # Positions of mentions are only valid in the version of the text that they were found in.
    return rows.filter(text_version=F("article__text_version")) if kind == Kind.MENTION else rows
