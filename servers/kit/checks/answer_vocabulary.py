"""How the types and databases in an answer are understood: which are known, and what was kept as it was written."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from annotations.entity_types import find_known_entity_type, get_type_key, normalize_entity_type
from annotations.identifiers.curies import format_curie
from annotations.identifiers.namespaces import namespace_title_or_raw_name
from annotations.schema import AnnotationData, EntityId, Kind
from bcms.lib.text import clip_text_replacing_unprintable

MOST_LISTED, MOST_EXAMPLES, LONGEST_EXAMPLE = 100, 3, 60


@dataclass(frozen=True, slots=True)
class AnswerType:
    """A type of entities as a server sent it. name: of the known type, or the same text.

    registered: whether the server is registered for it; None for servers that are registered for no types.
    """

    given: str
    name: str
    known: bool
    registered: bool | None
    number: int


@dataclass(slots=True)
class AnswerNamespace:
    """A database with the number of its identifiers in an answer; "" where the identifier names no known database."""

    database: str
    number: int = 0
    examples: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        return namespace_title_or_raw_name(self.database) if self.database else ""


def count_answer_types(annotations: Sequence[AnnotationData], entity_types: Sequence[str]) -> list[AnswerType]:
    """The types of mentions and entities, the most frequent first; entity_types: as registered."""
    counts = Counter(each.type for each in annotations if each.kind in (Kind.MENTION, Kind.ENTITY) and each.type)
    registered = {get_type_key(each) for each in entity_types}
    return [
        AnswerType(
            given,
            normalize_entity_type(given),
            find_known_entity_type(given) is not None,
            get_type_key(given) in registered if registered else None,
            number,
        )
        for given, number in counts.most_common(MOST_LISTED)
    ]


def count_answer_namespaces(annotations: Sequence[AnnotationData]) -> list[AnswerNamespace]:
    """The databases of all identifiers, the most frequent first; relations do not count, as they repeat mentions."""
    namespaces: dict[str, AnswerNamespace] = {}
    for entity in iter_answer_entities(annotations):
        namespace = namespaces.setdefault(entity.database, AnswerNamespace(entity.database))
        namespace.number += 1
        example = clip_text_replacing_unprintable(format_curie(entity), LONGEST_EXAMPLE)
        if len(namespace.examples) < MOST_EXAMPLES and example not in namespace.examples:
            namespace.examples.append(example)
    return sorted(namespaces.values(), key=lambda each: -each.number)[:MOST_LISTED]


def iter_answer_entities(annotations: Sequence[AnnotationData]) -> Iterator[EntityId]:
    for annotation in annotations:
        if annotation.kind is not Kind.RELATION:
            yield from annotation.iter_entity_ids()


def iter_vocabulary_lines(annotations: Sequence[AnnotationData], entity_types: Sequence[str]) -> Iterator[str]:
    """Sentences of the text report: known types and databases, and what is not known."""
    types, namespaces = count_answer_types(annotations, entity_types), count_answer_namespaces(annotations)
    known = [f"{each.given} {each.number:,}{_format_mapping(each)}" for each in types if each.known]
    unknown = [f"{each.given} {each.number:,}" for each in types if not each.known]
    unregistered = [each.given for each in types if each.registered is False]
    databases = [f"{each.title} {each.number:,}" for each in namespaces if each.database]
    unnamed = [f"{each.number:,} ({', '.join(each.examples)})" for each in namespaces if not each.database]
    for title, parts in (
        ("types", known),
        ("types that are not known, kept as they are written", unknown),
        ("types that the server is not registered for", unregistered),
        ("databases", databases),
        ("identifiers of no known database, kept as they are written", unnamed),
    ):
        if parts:
            yield f"{title}: {clip_text_replacing_unprintable(', '.join(parts), 400)}"


def _format_mapping(answer_type: AnswerType) -> str:
    return f" as {answer_type.name}" if answer_type.name != answer_type.given else ""
