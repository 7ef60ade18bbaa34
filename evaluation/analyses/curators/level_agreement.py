"""Agreement of curators on the articles that several of them curated: by entity, relation, method and so on.

An item is in a record or not. Instances of kappa and alpha are the items that a curator accepted or rejected, as what
was rejected by both is the only agreement on "no" that can be counted; without it, kappa and alpha of items would be
meaningless and are not given. Alpha of sets compares whole articles instead, by the distance of Jaccard. Mentions that
overlap are compared by pairs, and character by character.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from math import nan
from typing import TypeVar

from annotations.schema import Span
from evaluation.analyses.curators.krippendorff import jaccard_distance, krippendorff_alpha, nominal_distance
from evaluation.analyses.significance.agreement_intervals import (
    IntervalsByFigure,
    WeightSource,
    bootstrap_nominal_agreement_intervals,
    bootstrap_pair_agreement_intervals,
)
from evaluation.measures.agreement import (
    PairwiseAgreement,
    add_up_counts,
    cohen_kappa_from_counts,
    compute_agreement_from_label_pair_counts,
    convert_nan_to_none,
    joint_probability_from_counts,
)
from evaluation.measures.mentions.spans import list_matching_gold_indexes, pair_most_spans_one_to_one


class AgreementLevel(StrEnum):
    """What is compared; the values are public.

    ARTICLE: whether the article reports interactions. RELATION: with the interaction type. METHOD: the methods of the
    article. OVERLAP: mentions of one type that share a character.
    """

    ARTICLE = "article"
    ORGANISM = "organism"
    ENTITY = "entity"
    PAIR = "pair"
    RELATION = "relation"
    METHOD = "method"
    LABEL = "label"
    MENTION = "mention"
    OVERLAP = "overlap"


ITEM_LEVELS = tuple(level for level in AgreementLevel if level not in (AgreementLevel.ARTICLE, AgreementLevel.OVERLAP))
ItemsByLevel = Mapping[AgreementLevel, frozenset[Hashable]]


@dataclass(frozen=True, slots=True)
class CuratedArticle:
    """What one curator decided on one article.

    accepted, rejected: items by level, no item in both. mentions: the type and the parts of each accepted mention.
    length: of the text in code points.
    """

    relevant: bool
    accepted: ItemsByLevel
    rejected: ItemsByLevel
    mentions: Sequence[tuple[str, tuple[Span, ...]]] = ()
    length: int = 0

    def get_label(self, level: AgreementLevel, item: Hashable) -> bool:
        return item in self.accepted.get(level, ())

    def list_decided(self, level: AgreementLevel) -> frozenset[Hashable]:
        return self.accepted.get(level, frozenset()) | self.rejected.get(level, frozenset())


CuratedArticles = Mapping[int, CuratedArticle]
# What each curator of an article decided.
CuratorGroup = tuple[CuratedArticle, ...]
# An article, and curations of it that are compared; an article may have several such groups.
SharedArticle = tuple[int, CuratorGroup]
Label = TypeVar("Label", bound=Hashable)


@dataclass(frozen=True, slots=True)
class LevelAgreement:
    """The agreement of two or more curators at one level. Figures are None where they are 0/0 or meaningless.

    articles: curated by two or more of them. agreement: of two curators, None for more; the instances of OVERLAP are
    characters. alpha: of items, or of characters. set_alpha: of the sets of items of whole articles. intervals: 95 %
    intervals of the figures of agreement.
    """

    level: AgreementLevel
    articles: int
    agreement: PairwiseAgreement | None
    alpha: float | None
    set_alpha: float | None = None
    intervals: IntervalsByFigure = field(default_factory=dict)


def compute_level_agreements(
    curators: Sequence[CuratedArticles],
    get_weights: WeightSource,
    article_by_key: Mapping[int, int] | None = None,
) -> list[LevelAgreement]:
    """The agreement of these curators, {article: what each decided}, at each level at which there is anything.

    get_weights: to resample articles for intervals. article_by_key: the articles, if curators have other keys because
    some articles are compared several times.
    """
    shared = _list_shared_articles(curators, article_by_key)
    agreements = [
        _compare_relevance(shared, get_weights),
        *(_compare_items(level, shared, get_weights) for level in ITEM_LEVELS),
        _compare_overlaps(shared, get_weights),
    ]
    return [each for each in agreements if each is not None]


def _list_shared_articles(
    curators: Sequence[CuratedArticles], article_by_key: Mapping[int, int] | None
) -> list[SharedArticle]:
    """The articles of two or more curators, in their order."""
    keys = sorted({key for curated in curators for key in curated})
    groups = ((key, tuple(curated[key] for curated in curators if key in curated)) for key in keys)
    return [(article_by_key[key] if article_by_key else key, group) for key, group in groups if len(group) > 1]


def _count_by_article(
    shared: Sequence[SharedArticle], count: Callable[[CuratorGroup], Counter[tuple[Label, ...]]]
) -> list[Counter[tuple[Label, ...]]]:
    """{labels by each curator: number of instances} of each article, with all of its groups."""
    counts = defaultdict[int, Counter[tuple[Label, ...]]](Counter)
    for article, group in shared:
        counts[article].update(count(group))
    return list(counts.values())


def _list_label_pairs(counts: Counter[tuple[Label, ...]]) -> dict[tuple[Label, Label], int]:
    """Those by two curators."""
    return {(labels[0], labels[1]): number for labels, number in counts.items() if len(labels) == 2}


def _compare_relevance(shared: Sequence[SharedArticle], get_weights: WeightSource) -> LevelAgreement | None:
    if not shared:
        return None
    counts = _count_by_article(shared, lambda group: Counter([tuple(curated.relevant for curated in group)]))
    return _build_agreement(AgreementLevel.ARTICLE, len(shared), counts, get_weights, with_kappa=True)


def _compare_items(
    level: AgreementLevel, shared: Sequence[SharedArticle], get_weights: WeightSource
) -> LevelAgreement | None:
    counts = _count_by_article(shared, lambda group: _count_items_by_labels(level, group))
    if not any(counts):
        return None
    has_negatives = any(not any(labels) for of_article in counts for labels in of_article)
    sets = Counter(tuple(curated.accepted.get(level, frozenset()) for curated in group) for _, group in shared)
    set_alpha = convert_nan_to_none(krippendorff_alpha(sets, jaccard_distance, nan))
    return _build_agreement(level, len(shared), counts, get_weights, with_kappa=has_negatives, set_alpha=set_alpha)


def _count_items_by_labels(level: AgreementLevel, group: CuratorGroup) -> Counter[tuple[bool, ...]]:
    decided = frozenset[Hashable]().union(*(curated.list_decided(level) for curated in group))
    return Counter(tuple(curated.get_label(level, item) for curated in group) for item in decided)


def _build_agreement(
    level: AgreementLevel,
    articles: int,
    counts_of_articles: Sequence[Counter[tuple[bool, ...]]],
    get_weights: WeightSource,
    *,
    with_kappa: bool,
    set_alpha: float | None = None,
) -> LevelAgreement:
    counts = add_up_counts(counts_of_articles)
    alpha = convert_nan_to_none(krippendorff_alpha(counts, nominal_distance, nan)) if with_kappa else None
    pairs = _list_label_pairs(counts)
    if len(pairs) < len(counts):
        return LevelAgreement(level, articles, None, alpha, set_alpha)
    agreement = compute_agreement_from_label_pair_counts(pairs, with_kappa=with_kappa)
    intervals = bootstrap_pair_agreement_intervals(counts_of_articles, get_weights, with_kappa=with_kappa)
    return LevelAgreement(level, articles, agreement, alpha, set_alpha, intervals)


def _compare_overlaps(shared: Sequence[SharedArticle], get_weights: WeightSource) -> LevelAgreement | None:
    """Mentions by pairs that overlap, and the types of every character."""
    if not any(curated.mentions for _, group in shared for curated in group):
        return None
    characters = _count_by_article(shared, _count_characters_by_types)
    alpha = convert_nan_to_none(krippendorff_alpha(add_up_counts(characters), nominal_distance, nan))
    if any(len(group) > 2 for _, group in shared):
        return LevelAgreement(AgreementLevel.OVERLAP, len(shared), None, alpha)
    mentions = _count_by_article(shared, _count_mentions_by_overlap)
    by_two = _list_label_pairs(add_up_counts(characters))
    agreement = PairwiseAgreement(
        sum(by_two.values()),
        convert_nan_to_none(joint_probability_from_counts(by_two, nan)),
        convert_nan_to_none(cohen_kappa_from_counts(by_two, nan)),
        compute_agreement_from_label_pair_counts(_list_label_pairs(add_up_counts(mentions)), with_kappa=False).f1,
    )
    # The joint probability is that of characters.
    intervals = {
        **bootstrap_pair_agreement_intervals(mentions, get_weights, with_kappa=False),
        **bootstrap_nominal_agreement_intervals(characters, get_weights),
    }
    return LevelAgreement(AgreementLevel.OVERLAP, len(shared), agreement, alpha, None, intervals)


def _count_mentions_by_overlap(group: CuratorGroup) -> Counter[tuple[bool, ...]]:
    """Number of mentions of two curators by whether each has them; two that are paired count as one that both have."""
    first, second = group
    paired = count_overlapping_pairs(first, second)
    counts: dict[tuple[bool, ...], int] = {
        (True, True): paired,
        (True, False): len(first.mentions) - paired,
        (False, True): len(second.mentions) - paired,
    }
    return Counter(counts)


def count_overlapping_pairs(first: CuratedArticle, second: CuratedArticle) -> int:
    """The largest number of one-to-one pairs of mentions of one type that share a character, gaps included."""
    one, other = (_group_extents(curated) for curated in (first, second))
    return sum(
        len(pair_most_spans_one_to_one(list_matching_gold_indexes(one[type_], other[type_], "overlap")))
        for type_ in one.keys() & other.keys()
    )


def _group_extents(curated: CuratedArticle) -> dict[str, list[Span]]:
    extents: dict[str, list[Span]] = {}
    for type_, parts in curated.mentions:
        extents.setdefault(type_, []).append(Span(parts[0].start, parts[-1].end))
    return {type_: sorted(spans) for type_, spans in extents.items()}


@dataclass(slots=True)
class _OpenTypes:
    """The types that one curator's mentions give the present character, each with how many mentions do."""

    counts: Counter[str] = field(default_factory=Counter)

    def build_value(self) -> frozenset[str]:
        return frozenset(type_ for type_, number in self.counts.items() if number)


def _count_characters_by_types(group: CuratorGroup) -> Counter[tuple[frozenset[str], ...]]:
    """Number of characters of the article by the types that each curator gives them."""
    changes = sorted(_iter_changes(group))
    opened = [_OpenTypes() for _ in group]
    counts = Counter[tuple[frozenset[str], ...]]()
    position = 0
    for at, curator, type_, step in [*changes, (max((each.length for each in group), default=0), 0, "", 0)]:
        if at > position:
            counts[tuple(each.build_value() for each in opened)] += at - position
            position = at
        opened[curator].counts[type_] += step
    return counts


def _iter_changes(group: Sequence[CuratedArticle]) -> Iterable[tuple[int, int, str, int]]:
    """(position, index of the curator, type, 1 where a part begins or -1 where it ends)."""
    for curator, curated in enumerate(group):
        for type_, parts in curated.mentions:
            for part in parts:
                yield part.start, curator, type_, 1
                yield part.end, curator, type_, -1


def compute_pairwise_level_agreements(
    curators: Sequence[CuratedArticles], get_weights: WeightSource
) -> dict[tuple[int, int], list[LevelAgreement]]:
    """The agreement of every two curators, by their indexes, who share an article, with intervals."""
    pairs = {
        (one, other): compute_level_agreements([curators[one], curators[other]], get_weights)
        for one, other in combinations(range(len(curators)), 2)
    }
    return {pair: agreements for pair, agreements in pairs.items() if agreements}
