"""Which producers a comparison is about, as the query of an address chooses them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict

from annotations.results.models import Producer
from annotations.schema import Kind
from evaluation.agreement.candidates import ComparisonCandidate

MAX_COMPARED_PRODUCERS = 10
# More annotated articles, of all producers together, are compared only when a reader asks for it.
MAX_ANSWERS_UNASKED = 20_000


@dataclass(frozen=True, slots=True)
class ComparisonChoice:
    """The chosen producers of one kind; lost: number of requested producers that are not among the candidates. type: in
    any spelling, "" for all types.
    """

    kind: Kind | None
    producers: Sequence[ComparisonCandidate]
    gold: ComparisonCandidate | None
    lost: int
    type: str = ""


def read_comparison_choice_counting_unknown(
    query: QueryDict, candidates: Sequence[ComparisonCandidate]
) -> ComparisonChoice:
    """The choice in a query: kind (default: that of most candidates), ids of producers, id of a gold standard, and a
    type, which kinds without types ignore.
    """
    kinds = [candidate.kind for candidate in candidates]
    wanted = query.get("kind", "")
    kind = Kind(wanted) if wanted in set(kinds) else max(dict.fromkeys(kinds), key=kinds.count, default=None)
    known = {str(candidate.id): candidate for candidate in candidates if candidate.kind == kind}
    ids = set(query.getlist("producer"))
    gold = known.get(query.get("gold", ""))
    if gold is not None and gold.sort != Producer.Type.GOLD:
        gold = None
    # In the order of the candidates: other orders would be computed and cached anew.
    chosen = [candidate for pk, candidate in known.items() if pk in ids]
    return ComparisonChoice(kind, chosen, gold, len(ids) - len(chosen), query.get("type", "").strip())


def choose_producers_unasked(candidates: Sequence[ComparisonCandidate]) -> list[ComparisonCandidate]:
    """Which producers of one kind to compare for a reader who has chosen none: servers with at least half as many
    annotated articles as the one with the most, as only articles that all have answered are compared. None if these
    are fewer than two, or the comparison would take long.
    """
    servers = [candidate for candidate in candidates if candidate.sort == Producer.Type.SERVER]
    most = max((server.articles for server in servers), default=0)
    chosen = [server for server in servers if 2 * server.articles >= most][:MAX_COMPARED_PRODUCERS]
    few = sum(server.articles for server in chosen) <= MAX_ANSWERS_UNASKED
    return chosen if len(chosen) > 1 and few else []
