"""The items of a run of a task with settings compared with those of the gold standard, and how pages name them."""

from collections.abc import Sequence

from annotations.identifiers.curies import format_curie
from annotations.schema import AnnotationData, RelationArgument, Shape
from evaluation.challenges.models import Task
from evaluation.measures.items.split_annotations import MatchedItems, match_items_of_article
from evaluation.measures.task_settings import TaskSettings


def match_open_items(
    task: Task, settings: TaskSettings, gold: Sequence[AnnotationData], run: Sequence[AnnotationData]
) -> MatchedItems:
    """Which items of an article are true positives, false negatives and false positives."""
    form = task.compared_form
    return match_items_of_article(None if form == "label" else form, gold, run, settings)


def describe_item(annotation: AnnotationData) -> str:
    """An annotation of one item in words: what it says, without what does not count."""
    links = ", ".join(format_curie(entity) for entity in annotation.iter_entity_ids())
    match annotation.shape:
        case Shape.MENTION:
            positions = ", ".join(f"{span.start}-{span.end}" for span in annotation.parts)
            details = ", ".join(filter(None, [annotation.type, links]))
            return f"{annotation.text} ({positions}){f', {details}' if details else ''}"
        case Shape.ENTITY:
            return ", ".join(filter(None, [links, annotation.type, annotation.text]))
        case Shape.RELATION:
            arguments = (" → " if annotation.is_directed else " - ").join(map(_describe_argument, annotation.arguments))
            qualifiers = "; ".join(f"{name} {value}" for name, value in _list_qualifiers(annotation))
            return f"{annotation.relation_type}: {arguments}{f' ({qualifiers})' if qualifiers else ''}"
    return annotation.label[1] if annotation.label else ""


def _describe_argument(argument: RelationArgument) -> str:
    name = ", ".join(map(format_curie, argument.identifiers)) or argument.text
    return f"{argument.role} {name}" if argument.role else name


def _list_qualifiers(annotation: AnnotationData) -> Sequence[tuple[str, str]]:
    return annotation.relation.qualifiers if annotation.relation else ()
