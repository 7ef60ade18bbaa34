"""Figures about a data set: its size, and the agreement of its sources."""

from typing import Any

from django.db.models import Count

from annotations.data_sets.models import DataSet
from annotations.results.models import Result
from annotations.schema import Kind
from evaluation.agreement.comparison import compute_agreement_of_producers


def count_results_and_annotations(data_set: DataSet) -> dict[str, list[int]]:
    """{kind: [articles with a Result, annotations]}, as DataSet.sizes: 1 query."""
    current = Result.objects.filter(producer=data_set.producer_id, superseded__isnull=True)
    rows = current.values_list("kind").annotate(Count("pk", distinct=True), Count("annotations"))
    return {kind: [articles, annotations] for kind, articles, annotations in rows.order_by("kind")}


def compute_agreement_by_kind(data_set: DataSet) -> list[dict[str, Any]]:
    """The agreement of the sources for each kind, as DataSet.agreement; one query for each kind.

    A kind is left out if fewer than two sources annotated any article that all of those with Results annotated.
    """
    figures = []
    for kind in map(Kind, data_set.kinds):
        annotating = data_set.sources.filter(results__kind=kind, results__superseded__isnull=True).distinct()
        sources = list(annotating.order_by("name", "pk"))
        if len(sources) < 2:
            continue
        agreement = compute_agreement_of_producers(data_set, kind, [(own.pk, own.name) for own in sources])
        if not agreement.articles:
            continue
        figures.append(
            {
                "kind": kind.value,
                "articles": agreement.articles,
                "fleiss": agreement.fleiss,
                "pairs": [
                    {
                        "sources": [sources[a].pk, sources[b].pk],
                        "instances": pair.instances,
                        "f1": pair.f1,
                        "kappa": pair.kappa,
                    }
                    for (a, b), pair in agreement.pairs.items()
                ],
            }
        )
    return figures
