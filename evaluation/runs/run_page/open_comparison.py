"""The items of a run of a task with settings compared with those of the gold standard, and how pages name them."""

from collections.abc import Iterable, Mapping, Sequence

from annotations.identifiers.curies import format_curie
from annotations.identifiers.entries import NamedEntry
from annotations.relation_text import format_relation_ends
from annotations.schema import AnnotationData, EntityId, RelationArgument, Shape
from evaluation.challenges.models import Task
from evaluation.measures.items.split_annotations import MatchedItems, match_items_of_article
from evaluation.measures.task_settings import TaskSettings

NamedEntries = Mapping[tuple[str, str], NamedEntry]


def match_open_items(
    task: Task, settings: TaskSettings, gold: Sequence[AnnotationData], run: Sequence[AnnotationData]
) -> MatchedItems:
    """Which items of an article are true positives, false negatives and false positives."""
    form = task.compared_form
    return match_items_of_article(None if form == "label" else form, gold, run, settings)


def describe_item(annotation: AnnotationData, entries: NamedEntries) -> str:
    """An annotation of one item in words: what it says, without what does not count.

    entries: the known entries that name entities which the annotation gives by identifiers alone.
    """
    links = ", ".join(format_curie(entity) for entity in annotation.iter_entity_ids())
    match annotation.shape:
        case Shape.MENTION:
            positions = ", ".join(f"{span.start}-{span.end}" for span in annotation.parts)
            details = ", ".join(filter(None, [annotation.type, links]))
            return f"{annotation.text} ({positions}){f', {details}' if details else ''}"
        case Shape.ENTITY:
            name = annotation.text or _find_name(annotation.iter_entity_ids(), entries)
            return ", ".join(filter(None, [name, links, annotation.type]))
        case Shape.RELATION:
            names = [_name_argument(argument, entries) for argument in annotation.arguments]
            return f"{annotation.relation_type}: {format_relation_ends(annotation, names)}"
    return annotation.label[1] if annotation.label else ""


def _name_argument(argument: RelationArgument, entries: NamedEntries) -> str:
    links = ", ".join(map(format_curie, argument.identifiers))
    name = _find_name(argument.identifiers, entries)
    return f"{name} ({links})" if name else links or argument.text


def _find_name(entities: Iterable[EntityId], entries: NamedEntries) -> str:
    """The name of the first of these entities that is known, "" if none is."""
    known = (entries[entity] for entity in entities if entity in entries)
    return next((entry.symbol or entry.name for entry in known), "")
