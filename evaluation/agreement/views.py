"""The page that compares producers over a corpus, with the producers that its reader may see."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotations.articles.models import Corpus
from annotations.results.models import Producer
from annotations.schema import KIND_LABELS, Kind
from bcms.lib.rest.limits import TooManyRequests
from evaluation.agreement.candidates import ComparisonCandidate, list_comparison_candidates
from evaluation.agreement.comparison import (
    MOST_COMPARISONS_AT_ONCE,
    ProducerComparison,
    get_cached_comparison,
)
from evaluation.agreement.comparison_choice import (
    MAX_COMPARED_PRODUCERS,
    ComparisonChoice,
    choose_producers_unasked,
    read_comparison_choice_counting_unknown,
)
from evaluation.agreement.matrix import AgreementMatrixRow, build_agreement_matrix
from evaluation.agreement.overlap_plot import build_overlap_plot
from evaluation.analyses.significance.agreement_intervals import IntervalsByFigure
from evaluation.measures.agreement import PairwiseAgreement
from evaluation.visibility import list_producers_on_page, list_visible_corpora

# Crawlers that visit all corpora must not keep readers from a comparison that they have asked for.
MOST_UNASKED_AT_ONCE = MOST_COMPARISONS_AT_ONCE - 1
# A matrix of more producers has no room for intervals in its cells.
MOST_WITH_INTERVALS = 5


@dataclass(frozen=True, slots=True)
class KindTab:
    """A kind of annotation; producers: number of candidates of the kind."""

    kind: Kind
    label: str
    producers: int


@dataclass(frozen=True, slots=True)
class TypeRow:
    """A type, the address of its comparison, and what its producers report of it."""

    name: str
    url: str
    comparison: ProducerComparison


@dataclass(frozen=True, slots=True)
class AgreementRow:
    names: tuple[str, str]
    agreement: PairwiseAgreement
    intervals: IntervalsByFigure


@never_cache
@require_safe
def show_producer_comparison_on_corpus(request: HttpRequest, slug: str) -> HttpResponse:
    corpus = get_object_or_404(list_visible_corpora(request.user), slug=slug)
    candidates = list_comparison_candidates(corpus, list_producers_on_page(request))
    choice = read_comparison_choice_counting_unknown(request.GET, candidates)
    of_kind = [candidate for candidate in candidates if candidate.kind == choice.kind]
    if "producer" not in request.GET:
        choice = replace(choice, producers=choose_producers_unasked(of_kind))
    comparison = _compare_chosen_producers(corpus, choice, asked="producer" in request.GET)
    chosen_type = comparison.find_type(choice.kind, choice.type) if comparison and choice.kind and choice.type else None
    shown = comparison.by_type[chosen_type] if comparison and chosen_type else comparison
    context = {
        "corpus": corpus,
        "articles": corpus.articles.count(),
        "tabs": _list_kind_tabs(candidates),
        "candidates": of_kind,
        "golds": [candidate for candidate in of_kind if candidate.sort == Producer.Type.GOLD],
        "asked": choice,
        "chosen": {producer.id for producer in choice.producers},
        "most": MAX_COMPARED_PRODUCERS,
        "found": shown,
        "type": chosen_type,
        "types": _list_type_rows(request, comparison),
        "all_types": _format_type_url(request, ""),
        "pairs": _list_agreement_rows(shown),
        "matrix": _build_matrix(choice, shown),
        "most_with_intervals": MOST_WITH_INTERVALS,
        "by_kappa": choice.kind == Kind.CLASSIFICATION,
        "overlap_plot": build_overlap_plot(choice, shown, chosen_type) if shown else None,
    }
    return render(request, "evaluation/agreement/comparison.html", context)


def _compare_chosen_producers(corpus: Corpus, choice: ComparisonChoice, *, asked: bool) -> ProducerComparison | None:
    """None if none or too many are chosen, or the reader has not asked for it and the site computes others.

    TooManyRequests if the reader has asked.
    """
    if not choice.kind or not 0 < len(choice.producers) <= MAX_COMPARED_PRODUCERS:
        return None
    try:
        most = MOST_COMPARISONS_AT_ONCE if asked else MOST_UNASKED_AT_ONCE
        return get_cached_comparison(corpus, choice.kind, choice.producers, choice.gold, most)
    except TooManyRequests:
        if asked:
            raise
        return None


def _list_kind_tabs(candidates: Sequence[ComparisonCandidate]) -> list[KindTab]:
    kinds = [candidate.kind for candidate in candidates]
    return [KindTab(kind, KIND_LABELS[kind], kinds.count(kind)) for kind in dict.fromkeys(kinds)]


def _list_agreement_rows(comparison: ProducerComparison | None) -> list[AgreementRow]:
    """Every two producers with their agreement; none if fewer than two were compared."""
    if comparison is None or comparison.agreements is None:
        return []
    names, intervals = comparison.agreements.names, comparison.agreements.intervals
    return [
        AgreementRow((names[a], names[b]), pair, intervals[a, b])
        for (a, b), pair in comparison.agreements.pairs.items()
    ]


def _build_matrix(choice: ComparisonChoice, comparison: ProducerComparison | None) -> list[AgreementMatrixRow]:
    """Of two or more producers. Classes are compared by kappa, as many articles have the same one by chance."""
    if comparison is None or comparison.agreements is None:
        return []
    agreements = comparison.agreements
    return build_agreement_matrix(
        agreements.names, agreements.pairs, agreements.intervals, by_kappa=choice.kind == Kind.CLASSIFICATION
    )


def _list_type_rows(request: HttpRequest, comparison: ProducerComparison | None) -> list[TypeRow]:
    by_type = comparison.by_type if comparison else {}
    return [TypeRow(name, _format_type_url(request, name), own) for name, own in by_type.items()]


def _format_type_url(request: HttpRequest, name: str) -> str:
    """The page with another type, "" for all."""
    query = request.GET.copy()
    query.pop("type", None)
    if name:
        query["type"] = name
    return f"{request.path}?{query.urlencode()}"
