"""Figures about a data set: its size, and the agreement of its sources."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count

from annotations.data_sets.models import DataSet
from annotations.results.models import Producer, Result
from annotations.schema import Kind
from evaluation.agreement.comparison import compute_agreement_of_producers
from evaluation.analyses.producer_agreement import ProducerAgreement


def count_results_and_annotations(data_set: DataSet) -> dict[str, list[int]]:
    """{kind: [articles with a Result, annotations]}, as DataSet.sizes: 1 query."""
    current = Result.objects.filter(producer=data_set.producer_id, superseded__isnull=True)
    rows = current.values_list("kind").annotate(Count("pk", distinct=True), Count("annotations"))
    return {kind: [articles, annotations] for kind, articles, annotations in rows.order_by("kind")}


def compute_agreement_by_kind(data_set: DataSet) -> list[dict[str, Any]]:
    """The agreement of the sources for each kind, as DataSet.agreement; a fixed number of queries for each.

    A kind is left out if fewer than two sources annotated any article that all of those with Results annotated. types:
    the agreement of the sources that report a type, for each type that two of them report.
    """
    figures = []
    for kind in map(Kind, data_set.kinds):
        annotating = data_set.sources.filter(results__kind=kind, results__superseded__isnull=True).distinct()
        sources = list(annotating.order_by("name", "pk"))
        if len(sources) < 2:
            continue
        agreement, by_type = compute_agreement_of_producers(data_set, kind, [(own.pk, own.name) for own in sources])
        if not agreement.articles:
            continue
        of_types = [
            {"type": own.name, **_describe_agreement(own.agreement, [sources[position] for position in own.producers])}
            for own in by_type
            if own.agreement.articles
        ]
        figures.append({"kind": kind.value, **_describe_agreement(agreement, sources), "types": of_types})
    return figures


def _describe_agreement(agreement: ProducerAgreement, sources: Sequence[Producer]) -> dict[str, Any]:
    return {
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
