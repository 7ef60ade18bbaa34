"""Diseases and chemicals by a dictionary of MeSH labels and synonyms, with their descriptors (mentions with links).

A descriptor is a disease if one of its tree numbers begins with C, and a chemical if one begins with D. Mental
disorders (F03) are therefore none, and proteins are chemicals.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from annotations.schema import AnnotationData, EntityId, Span, make_mention
from servers.kit.articles import KitArticle
from servers.reference.species_dictionary import make_singular
from servers.reference.stopwords import NO_MESH_NAMES, PLAIN_WORDS

TREE_BY_TYPE = {"Disease": "C", "Chemical": "D"}
COLUMNS = 4
WORD = re.compile(r"[^\W_]+")
# What may stand between the words of a name: "type 2", "2,4-dinitrophenol", "Hodgkin's", but no end of a sentence.
GAP = re.compile(r"[^\w.;:?!\n]{1,2}")
SHORTEST_NAME, MOST_WORDS = 3, 8


@dataclass(frozen=True, slots=True)
class MeshDescriptor:
    """One descriptor: its identifier (D001943), its label, its synonyms, and the letters of its trees (C)."""

    identifier: str
    label: str
    synonyms: tuple[str, ...]
    trees: frozenset[str]


def iter_mesh_descriptors(tsv_lines: Iterable[str]) -> Iterator[MeshDescriptor]:
    """The descriptors of a table of identifier, label, synonyms and tree numbers, the latter two separated by "|".

    Raises ValueError with the number of a line that has fewer columns.
    """
    for number, line in enumerate(tsv_lines, 1):
        cells = line.rstrip("\r\n").split("\t")
        if len(cells) < COLUMNS:
            raise ValueError(f"Line {number} of the table of MeSH has {len(cells)} columns instead of {COLUMNS}.")
        identifier, label, synonyms, tree_numbers = cells[:COLUMNS]
        trees = frozenset(tree_number[0] for tree_number in tree_numbers.split("|") if tree_number)
        yield MeshDescriptor(identifier, label, tuple(filter(None, synonyms.split("|"))), trees)


@dataclass(frozen=True, slots=True)
class NamedWord:
    """One word of a text, and the word in the form in which names are compared."""

    start: int
    end: int
    key: str


class MeshDictionary:
    """Finds names of descriptors: whole words, longest first, in any case except for capitals, singular or plural."""

    def __init__(self, descriptors: Iterable[MeshDescriptor], entity_types: Collection[str]) -> None:
        """entity_types: keys of TREE_BY_TYPE; descriptors of other trees are left out."""
        self.by_key: dict[str, tuple[str, str]] = {}
        # The number of words of the longest name that begins with a word.
        self.reach: dict[str, int] = {}
        chosen = [
            (descriptor, entity_type)
            for descriptor in descriptors
            for entity_type in entity_types
            if TREE_BY_TYPE[entity_type] in descriptor.trees
        ]
        # A label names its own descriptor even if it is a synonym of another one.
        for descriptor, entity_type in chosen:
            self.add_name(descriptor.label, descriptor.identifier, entity_type)
        for descriptor, entity_type in chosen:
            for synonym in descriptor.synonyms:
                self.add_name(synonym, descriptor.identifier, entity_type)

    def add_name(self, name: str, identifier: str, entity_type: str) -> None:
        """Add a name unless it is too short or long, too ordinary, or another descriptor's."""
        words = [make_singular(word) for word in WORD.findall(_write_in_order(name))]
        key = " ".join(words)
        is_plain = key.isdecimal() or key in PLAIN_WORDS or key in NO_MESH_NAMES
        if is_plain or len(key) < SHORTEST_NAME or len(words) > MOST_WORDS:
            return
        self.by_key.setdefault(key, (identifier, entity_type))
        self.reach[words[0]] = max(self.reach.get(words[0], 0), len(words))

    def annotate(self, article: KitArticle) -> list[AnnotationData]:
        """Mentions in order of appearance, each with the descriptor that it names.

        The confidence depends on how often the article names the descriptor, and whether its title does.
        """
        mentions = list(self.iter_mentions(article.text))
        counts = Counter(mention.identifiers for mention in mentions)
        in_title = {mention.identifiers for mention in mentions if mention.parts[0].end <= len(article.title)}
        return [
            replace(
                mention,
                confidence=_estimate_confidence(
                    mention.type, counts[mention.identifiers], mention.identifiers in in_title
                ),
            )
            for mention in mentions
        ]

    def iter_mentions(self, text: str) -> Iterator[AnnotationData]:
        """The mentions without confidence, which do not overlap."""
        words = [NamedWord(*match.span(), make_singular(match[0])) for match in WORD.finditer(text)]
        position = 0
        while position < len(words):
            length, (identifier, entity_type) = self.find_longest_name(text, words, position)
            if length:
                start, end = words[position].start, words[position + length - 1].end
                link = EntityId("mesh", identifier)
                yield make_mention([Span(start, end)], text[start:end], entity_type, [link])
            position += length or 1

    def find_longest_name(self, text: str, words: Sequence[NamedWord], first: int) -> tuple[int, tuple[str, str]]:
        """The number of words of the longest name that begins at a word, 0 for none; its descriptor and type."""
        longest, found, key = 0, ("", ""), ""
        for index in range(first, min(first + self.reach.get(words[first].key, 0), len(words))):
            if index > first and not GAP.fullmatch(text, words[index - 1].end, words[index].start):
                break
            key = f"{key} {words[index].key}" if key else words[index].key
            if key in self.by_key:
                longest, found = index - first + 1, self.by_key[key]
        return longest, found


def _write_in_order(name: str) -> str:
    """What MeSH inverts as it is written in texts: "Breast Neoplasm" for "Neoplasm, Breast"."""
    head, separator, modifier = name.partition(", ")
    return f"{modifier} {head}" if separator and ", " not in modifier else name


# How often a descriptor that is named once, twice, three times, or more often is also among the indexers' headings: if
# the title does not name it, and if it does. Measured on abstracts of 1976-79 that are in no corpus of the demo.
SHARES = {
    "Disease": ((0.25, 0.37, 0.38, 0.41), (0.53, 0.61, 0.64, 0.64)),
    "Chemical": ((0.28, 0.43, 0.53, 0.58), (0.54, 0.69, 0.75, 0.80)),
}


def _estimate_confidence(entity_type: str, count: int, in_title: bool) -> float:
    shares = SHARES[entity_type][in_title]
    return shares[min(count, len(shares)) - 1]
