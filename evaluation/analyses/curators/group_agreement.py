"""Agreement between groups of people, such as authors and curators, over the articles that both have curated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product

from evaluation.analyses.curators.level_agreement import CuratedArticle, LevelAgreement, compute_level_agreements
from evaluation.analyses.significance.agreement_intervals import WeightSource

# {article: what each member of the group decided who curated it}.
CuratedByGroup = Mapping[int, Sequence[CuratedArticle]]


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """The agreement of two groups, or within one: then first and second are equal.

    articles: how many different ones; pairs: of curations that are compared, of which an article may have several.
    """

    first: str
    second: str
    articles: int
    pairs: int
    levels: Sequence[LevelAgreement]


def compute_group_agreements(groups: Mapping[str, CuratedByGroup], get_weights: WeightSource) -> list[GroupAgreement]:
    """The agreement of every two groups and within each, if they have an article in common, in the order of groups.

    Every curation of one group is compared with every one of the other of the same article. get_weights: to resample
    articles for intervals, each with all of its pairs.
    """
    agreements = []
    for first, second in combinations_with_replacement(groups, 2):
        pairs = list(_iter_pairs(groups[first], groups[second], within=first == second))
        if pairs:
            one = dict(enumerate(pair for _, pair, _ in pairs))
            other = dict(enumerate(pair for _, _, pair in pairs))
            articles = dict(enumerate(article for article, _, _ in pairs))
            levels = compute_level_agreements([one, other], get_weights, articles)
            agreements.append(GroupAgreement(first, second, len(set(articles.values())), len(pairs), levels))
    return agreements


def _iter_pairs(
    first: CuratedByGroup, second: CuratedByGroup, *, within: bool
) -> Iterator[tuple[int, CuratedArticle, CuratedArticle]]:
    """(article, one curation, another)."""
    for article in sorted(first.keys() & second.keys()):
        own = first[article]
        pairs = combinations(own, 2) if within else product(own, second[article])
        yield from ((article, one, other) for one, other in pairs)
