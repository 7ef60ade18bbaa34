"""Agreement of curators on the articles that several of them curated: by entity, relation, method and so on.

An item is in a record or not. Instances of kappa and alpha are the items that a curator accepted or rejected, as what
was rejected by both is the only agreement on "no" that can be counted; without it, kappa and alpha of items would be
meaningless and are not given. Alpha of sets compares whole articles instead, by the distance of Jaccard. Mentions that
overlap are compared by pairs, and character by character.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from math import nan

from annotations.schema import Span
from evaluation.analyses.curators.krippendorff import jaccard_distance, krippendorff_alpha, nominal_distance
from evaluation.measures.agreement import (
    PairwiseAgreement,
    cohen_kappa_from_counts,
    compute_agreement_from_label_pair_counts,
    convert_nan_to_none,
    joint_probability_from_counts,
)
from evaluation.measures.confusion_counts import divide_or_undefined
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


@dataclass(frozen=True, slots=True)
class LevelAgreement:
    """The agreement of two or more curators at one level. Figures are None where they are 0/0 or meaningless.

    articles: curated by two or more of them. agreement: of two curators, None for more; the instances of OVERLAP are
    characters. alpha: of items, or of characters. set_alpha: of the sets of items of whole articles.
    """

    level: AgreementLevel
    articles: int
    agreement: PairwiseAgreement | None
    alpha: float | None
    set_alpha: float | None = None


def compute_level_agreements(curators: Sequence[CuratedArticles]) -> list[LevelAgreement]:
    """The agreement of these curators, {article: what each decided}, at each level at which there is anything."""
    shared = group_shared_articles(curators)
    agreements = [
        _compare_relevance(shared),
        *(_compare_items(level, shared) for level in ITEM_LEVELS),
        _compare_overlaps(shared),
    ]
    return [each for each in agreements if each is not None]


def group_shared_articles(curators: Sequence[CuratedArticles]) -> list[tuple[CuratedArticle, ...]]:
    """What each curator of an article decided, for the articles with two or more of them; by article."""
    articles = sorted({article for curated in curators for article in curated})
    groups = (tuple(curated[article] for curated in curators if article in curated) for article in articles)
    return [group for group in groups if len(group) > 1]


def _compare_relevance(shared: Sequence[tuple[CuratedArticle, ...]]) -> LevelAgreement | None:
    counts = Counter(tuple(curated.relevant for curated in group) for group in shared)
    return _build_agreement(AgreementLevel.ARTICLE, len(shared), counts, with_kappa=True) if shared else None


def _compare_items(level: AgreementLevel, shared: Sequence[tuple[CuratedArticle, ...]]) -> LevelAgreement | None:
    counts = Counter[tuple[bool, ...]]()
    sets = Counter[tuple[frozenset[Hashable], ...]]()
    for group in shared:
        sets[tuple(curated.accepted.get(level, frozenset()) for curated in group)] += 1
        for item in frozenset[Hashable]().union(*(curated.list_decided(level) for curated in group)):
            counts[tuple(curated.get_label(level, item) for curated in group)] += 1
    if not counts:
        return None
    has_negatives = any(not any(labels) for labels in counts)
    set_alpha = convert_nan_to_none(krippendorff_alpha(sets, jaccard_distance, nan))
    return _build_agreement(level, len(shared), counts, with_kappa=has_negatives, set_alpha=set_alpha)


def _build_agreement(
    level: AgreementLevel,
    articles: int,
    counts: Mapping[tuple[bool, ...], int],
    *,
    with_kappa: bool,
    set_alpha: float | None = None,
) -> LevelAgreement:
    alpha = convert_nan_to_none(krippendorff_alpha(counts, nominal_distance, nan)) if with_kappa else None
    pairs = {(labels[0], labels[1]): number for labels, number in counts.items() if len(labels) == 2}
    agreement = (
        compute_agreement_from_label_pair_counts(pairs, with_kappa=with_kappa) if len(pairs) == len(counts) else None
    )
    return LevelAgreement(level, articles, agreement, alpha, set_alpha)


def _compare_overlaps(shared: Sequence[tuple[CuratedArticle, ...]]) -> LevelAgreement | None:
    """Mentions by pairs that overlap, and the types of every character."""
    if not any(curated.mentions for group in shared for curated in group):
        return None
    characters = Counter[tuple[frozenset[str], ...]]()
    for group in shared:
        characters.update(_count_characters_by_types(group))
    alpha = convert_nan_to_none(krippendorff_alpha(characters, nominal_distance, nan))
    agreement = None
    if all(len(group) == 2 for group in shared):
        paired = sum(count_overlapping_pairs(first, second) for first, second in shared)
        mentions = sum(len(curated.mentions) for group in shared for curated in group)
        by_two = {(types[0], types[1]): number for types, number in characters.items()}
        agreement = PairwiseAgreement(
            sum(characters.values()),
            convert_nan_to_none(joint_probability_from_counts(by_two, nan)),
            convert_nan_to_none(cohen_kappa_from_counts(by_two, nan)),
            convert_nan_to_none(divide_or_undefined(2 * paired, mentions, nan)),
        )
    return LevelAgreement(AgreementLevel.OVERLAP, len(shared), agreement, alpha)


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


def _count_characters_by_types(group: Sequence[CuratedArticle]) -> Counter[tuple[frozenset[str], ...]]:
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
    curators: Sequence[CuratedArticles],
) -> dict[tuple[int, int], list[LevelAgreement]]:
    """The agreement of every two curators, by their indexes, who share an article."""
    pairs = {
        (one, other): compute_level_agreements([curators[one], curators[other]])
        for one, other in combinations(range(len(curators)), 2)
    }
    return {pair: agreements for pair, agreements in pairs.items() if agreements}
