"""Relations of chemicals and diseases that stand in one sentence with a word that says how they are related."""

import re
from collections.abc import Iterator
from itertools import product

from annotations.schema import AnnotationData, EntityId, RelationArgument, Span, make_relation
from servers.kit.articles import KitArticle
from servers.reference.mesh_dictionary import MeshDictionary

SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9(])|\n")
# By type of relation, the beginnings of the words that indicate it. Of two types the first counts.
TRIGGERS = {
    "treats": """
    treat therap cure curative efficac effective reliev relief prevent prophyla ameliorat alleviat protect remission
    """,
    "induces": """
    induc caus produc provok trigger aggravat exacerbat precipitat toxic adverse overdos poison intoxicat
    evoke elicit carcinogen teratogen
    """,
}
TRIGGER_PATTERNS = {
    relation_type: re.compile(rf"\b(?:{'|'.join(words.split())})", re.IGNORECASE)
    for relation_type, words in TRIGGERS.items()
}
RelationKey = tuple[str, EntityId, EntityId]


class TriggeredRelations:
    """Every pair of a chemical and a disease of one sentence that has a trigger, as a directed relation."""

    def __init__(self, dictionary: MeshDictionary, *, between: bool = False) -> None:
        """dictionary: of diseases and chemicals. between: only triggers that stand between the two count."""
        self.dictionary = dictionary
        self.between = between

    def annotate(self, article: KitArticle) -> list[AnnotationData]:
        """One relation for each pair of entities and type, with all of its sentences as evidence, without confidence.

        Its arguments are the mentions of the first of these sentences.
        """
        evidence: dict[RelationKey, list[Span]] = {}
        arguments: dict[RelationKey, tuple[RelationArgument, RelationArgument]] = {}
        for sentence, relation_type, chemical, disease in self.iter_pairs(article.text):
            key = (relation_type, chemical.identifiers[0], disease.identifiers[0])
            evidence.setdefault(key, []).append(sentence)
            arguments.setdefault(key, (_make_argument("chemical", chemical), _make_argument("disease", disease)))
        return [make_relation(key[0], pair, directed=True, evidence=evidence[key]) for key, pair in arguments.items()]

    def iter_pairs(self, text: str) -> Iterator[tuple[Span, str, AnnotationData, AnnotationData]]:
        """The sentence, the type of relation, and a mention each of a chemical and of a disease."""
        mentions = list(self.dictionary.iter_mentions(text))
        for sentence in iter_sentences(text):
            inside = [mention for mention in mentions if is_inside(mention.parts[0], sentence)]
            chemicals = [mention for mention in inside if mention.type == "Chemical"]
            diseases = [mention for mention in inside if mention.type == "Disease"]
            for chemical, disease in product(chemicals, diseases):
                part = find_gap(chemical.parts[0], disease.parts[0]) if self.between else sentence
                if relation_type := find_relation_type(text[part.start : part.end]):
                    yield sentence, relation_type, chemical, disease


def iter_sentences(text: str) -> Iterator[Span]:
    """The sentences of a text; its title is one."""
    start = 0
    for end in SENTENCE_END.finditer(text):
        if start < end.start():
            yield Span(start, end.start())
        start = end.end()
    if start < len(text):
        yield Span(start, len(text))


def is_inside(span: Span, sentence: Span) -> bool:
    return sentence.start <= span.start and span.end <= sentence.end


def find_gap(one: Span, other: Span) -> Span:
    """What is between two spans that do not overlap, in any order."""
    first, second = sorted((one, other))
    return Span(first.end, second.start)


def find_relation_type(text: str) -> str:
    """The type of relation that a trigger in the text indicates, "" without any."""
    return next((name for name, pattern in TRIGGER_PATTERNS.items() if pattern.search(text)), "")


def _make_argument(role: str, mention: AnnotationData) -> RelationArgument:
    return RelationArgument(role, mention.identifiers, mention.parts, mention.type, mention.text)
