"""Which annotations count in a task, by their types, and the types of a gold standard."""

from collections import Counter
from collections.abc import Collection, Iterable

from annotations.entity_types import fold_type_spelling, normalize_entity_type
from annotations.schema import AnnotationData, EntityId, Shape
from evaluation.measures.items.article_columns import AnnotationsByArticle
from evaluation.measures.scored_annotations import is_gene_or_untyped
from evaluation.measures.task_settings import TaskSettings


def counts_type_of_annotation(annotation: AnnotationData, settings: TaskSettings) -> bool:
    """Whether a mention or an entity is of a type that counts. An entity without a type does."""
    if settings.counts_every_type():
        return True
    if not settings.entity_types:
        return annotation.shape is not Shape.MENTION or is_gene_or_untyped(annotation)
    if not annotation.type:
        return annotation.shape is not Shape.MENTION or not settings.types
    wanted = map(settings.normalize_type, settings.entity_types)
    return settings.normalize_type(annotation.type) in wanted


def keep_counted_annotations(annotations: Iterable[AnnotationData], settings: TaskSettings) -> list[AnnotationData]:
    """The annotations of an article whose types count in a task with these settings, or whose set of labels does."""
    return [annotation for annotation in annotations if _counts(annotation, settings)]


def _counts(annotation: AnnotationData, settings: TaskSettings) -> bool:
    match annotation.shape:
        case Shape.RELATION:
            return counts_relation_type(annotation, settings)
        case Shape.LABEL:
            name = annotation.label[0] if annotation.label else ""
            return settings.label_set is None or fold_type_spelling(name) == fold_type_spelling(settings.label_set.name)
    return counts_type_of_annotation(annotation, settings)


def counts_namespace(entity: EntityId, settings: TaskSettings) -> bool:
    return not settings.namespaces or entity.database in settings.namespaces


def list_entity_types_most_frequent_first(gold: AnnotationsByArticle, settings: TaskSettings) -> list[str]:
    """The types of mentions and entities that count in a gold standard.

    Of spellings, the name of the type in the task or on the site, else the first one of the gold standard.
    """
    return _list_names_most_frequent_first(
        (settings.normalize_type(annotation.type), normalize_entity_type(settings.name_type(annotation.type)))
        for annotations in gold.values()
        for annotation in annotations
        if annotation.type
        and annotation.shape in (Shape.MENTION, Shape.ENTITY)
        and counts_type_of_annotation(annotation, settings)
    )


def list_relation_types_most_frequent_first(gold: AnnotationsByArticle, settings: TaskSettings) -> list[str]:
    """The types of the relations that count in a gold standard; of spellings, the first one of the gold."""
    return _list_names_most_frequent_first(
        (fold_type_spelling(annotation.relation_type), annotation.relation_type)
        for annotations in gold.values()
        for annotation in annotations
        if annotation.relation_type and counts_relation_type(annotation, settings)
    )


def counts_relation_type(relation: AnnotationData, settings: TaskSettings) -> bool:
    wanted = map(fold_type_spelling, settings.relation_types)
    return not settings.relation_types or fold_type_spelling(relation.relation_type) in wanted


def _list_names_most_frequent_first(keys_and_names: Iterable[tuple[str, str]]) -> list[str]:
    counts: Counter[str] = Counter()
    first_names: dict[str, str] = {}
    for key, name in keys_and_names:
        counts[key] += 1
        first_names.setdefault(key, name)
    return [first_names[key] for key, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def map_entities_to_types(annotations: Collection[AnnotationData], settings: TaskSettings) -> dict[EntityId, str]:
    """{entity: the type for matching} in an article; the last mention or entity that has a type wins.

    Entities without either have the type that they have as arguments of relations.
    """
    of_arguments = {
        entity: settings.normalize_type(argument.type)
        for annotation in annotations
        for argument in annotation.arguments
        if argument.type
        for entity in argument.identifiers
    }
    return of_arguments | {
        entity: settings.normalize_type(annotation.type)
        for annotation in annotations
        if annotation.type and annotation.shape in (Shape.MENTION, Shape.ENTITY)
        for entity in annotation.iter_entity_ids()
    }
