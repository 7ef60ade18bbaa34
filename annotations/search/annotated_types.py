"""The types of entities and relations that annotations have, in all their spellings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from annotations.entity_types import (
    fold_type_spelling,
    get_type_key,
    list_known_entity_types,
    normalize_entity_type,
)
from annotations.results.models import AnnotatedTerm

# Those in most articles; a producer may write anything.
MOST_TYPES = 5000
MOST_SIMILAR = 5


@dataclass(frozen=True, slots=True)
class AnnotatedTypes:
    """Types as producers wrote them, those in most articles first."""

    entity_types: Sequence[str]
    relation_types: Sequence[str]

    def list_spellings_of_entity_type(self, entity_type: str) -> list[str]:
        """The spellings of a type of entities, given in any spelling."""
        wanted = get_type_key(entity_type)
        return [spelling for spelling in self.entity_types if get_type_key(spelling) == wanted]

    def list_spellings_of_relation_type(self, relation_type: str) -> list[str]:
        """The spellings of a type of relations that differ in case and punctuation."""
        wanted = fold_type_spelling(relation_type)
        return [spelling for spelling in self.relation_types if fold_type_spelling(spelling) == wanted]

    def list_entity_type_names(self) -> list[str]:
        """Each type of entities once, by its name if it is a known one."""
        return _list_once(map(normalize_entity_type, self.entity_types))

    def list_relation_type_names(self) -> list[str]:
        """Each type of relations once, in its most frequent spelling."""
        return _list_once(self.relation_types)

    def list_similar_entity_types(self, entity_type: str) -> list[str]:
        """At most five annotated types that are written like this one, or that it begins with."""
        spellings = {spelling: known.name for known in list_known_entity_types() for spelling in known.spellings}
        return _list_similar(entity_type, self.list_entity_type_names(), spellings)

    def list_similar_relation_types(self, relation_type: str) -> list[str]:
        """At most five annotated types of relations that are written like this one."""
        return _list_similar(relation_type, self.list_relation_type_names(), {})


def list_annotated_types() -> AnnotatedTypes:
    """The types in public annotations: one query."""
    categories = (AnnotatedTerm.Category.TYPE, AnnotatedTerm.Category.RELATION)
    terms = AnnotatedTerm.objects.filter(category__in=categories).order_by("-articles", "value")
    rows = list(terms.values_list("category", "value")[:MOST_TYPES])
    entity_types, relation_types = ([value for each, value in rows if each == category] for category in categories)
    return AnnotatedTypes(entity_types, relation_types)


def _list_once(names: Iterable[str]) -> list[str]:
    """The names in their order, of those that differ in case and punctuation only the first."""
    by_spelling: dict[str, str] = {}
    for name in names:
        by_spelling.setdefault(fold_type_spelling(name), name)
    return list(by_spelling.values())


def _list_similar(written: str, names: Sequence[str], names_by_spelling: dict[str, str]) -> list[str]:
    offered = {fold_type_spelling(name): name for name in names}
    offered |= {spelling: name for spelling, name in names_by_spelling.items() if name in names}
    similar = get_close_matches(fold_type_spelling(written), offered, n=MOST_SIMILAR, cutoff=0.6)
    return list(dict.fromkeys(offered[spelling] for spelling in similar))
