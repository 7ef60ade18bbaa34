"""The types of the mentions in an article: how they look in the text, and which ones a reader can choose."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from annotations.entity_types import (
    OTHER_LOOK,
    find_known_entity_type,
    fold_type_spelling,
    get_type_key,
    list_known_entity_types,
    normalize_entity_type,
)
from annotations.results.heat_map import MentionParts
from annotations.schema import AnnotationData, Kind

# Mentions of genes are all that most servers mark; a text with them alone has one colour.
GENE_TYPES = frozenset({"", "gene", "protein"})
OTHER_LETTER, OTHER_LABEL = "O", "Other types"
# A server may give each mention a type of its own.
MOST_LISTED_OTHERS = 12


@dataclass(frozen=True, slots=True)
class MentionType:
    """A type of mention in the text.

    key: equal for all its spellings. look: the name of its colour in the style sheet. letter: says the same without
    colour. count: the number of mentions to which some server gives this type.
    """

    key: str
    name: str
    label: str
    look: str
    letter: str
    count: int


def list_mention_types(mentions: Collection[AnnotationData]) -> list[MentionType]:
    """The types of these mentions, known ones in the order of their table, then others by name.

    None if the mentions are all of genes and proteins, or without a type.
    """
    # Long texts have many thousands of mentions, mostly of genes alone.
    if GENE_TYPES.issuperset(map(get_type_key, {mention.type for mention in mentions})):
        return []
    parts_by_type: dict[str, set[MentionParts]] = defaultdict(set)
    first_spelling: dict[str, str] = {}
    for mention in mentions:
        if key := get_type_key(mention.type):
            parts_by_type[key].add(mention.parts)
            first_spelling.setdefault(key, mention.type)
    order = {fold_type_spelling(known.name): position for position, known in enumerate(list_known_entity_types())}
    keys = sorted(parts_by_type, key=lambda key: (order.get(key, len(order)), key))
    return [_make_mention_type(key, first_spelling[key], len(parts_by_type[key])) for key in keys]


def list_types_of_legend(types: Sequence[MentionType], chosen: MentionType | None) -> list[MentionType]:
    """Those of an article's types that the legend lists: the known ones, and of others the chosen one and the most
    frequent, at most MOST_LISTED_OTHERS.
    """
    others = [each for each in types if _is_other(each)]
    others.sort(key=lambda each: (each != chosen, -each.count))
    unlisted = {each.key for each in others[MOST_LISTED_OTHERS:]}
    return [each for each in types if each.key not in unlisted]


def merge_other_types(types: Iterable[MentionType]) -> list[MentionType]:
    """The known types and, if there are others, one for all of them, as they have the same colour and letter."""
    looks: dict[tuple[str, str], MentionType] = {}
    for each in types:
        merged = replace(each, key="", name="", label=OTHER_LABEL) if _is_other(each) else each
        looks.setdefault((merged.label, merged.look), merged)
    return list(looks.values())


def _is_other(mention_type: MentionType) -> bool:
    return find_known_entity_type(mention_type.name) is None


def _make_mention_type(key: str, spelling: str, count: int) -> MentionType:
    known = find_known_entity_type(spelling)
    if known is None:
        return MentionType(key, spelling, spelling, OTHER_LOOK, OTHER_LETTER, count)
    return MentionType(key, known.name, known.label, known.look, known.letter, count)


def format_type_names(spellings: Iterable[str]) -> str:
    """The names of these types, each once; unknown ones as they are spelled."""
    return ", ".join(dict.fromkeys(map(normalize_entity_type, spellings)))


def get_shown_type(annotation: AnnotationData) -> str:
    """The name of the type of a mention or entity; the type of a relation and the set of a label as they are."""
    is_entity_type = annotation.kind in (Kind.MENTION, Kind.ENTITY)
    return normalize_entity_type(annotation.type) if is_entity_type else annotation.type


def choose_type_of_each_mention(
    mentions: Iterable[AnnotationData], types: Iterable[MentionType]
) -> dict[MentionParts, MentionType]:
    """The type that most of these annotations give a mention, of equally many the first; none for those without one."""
    votes: dict[MentionParts, Counter[str]] = defaultdict(Counter)
    for mention in mentions:
        if mention.type:
            votes[mention.parts][get_type_key(mention.type)] += 1
    by_key = {each.key: each for each in types}
    order = {key: position for position, key in enumerate(by_key)}
    chosen = {
        parts: by_key.get(min(counts, key=lambda key: (-counts[key], order.get(key, len(order)))))
        for parts, counts in votes.items()
    }
    return {parts: mention_type for parts, mention_type in chosen.items() if mention_type}
