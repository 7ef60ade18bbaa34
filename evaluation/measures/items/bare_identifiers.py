"""Identifiers without a database in relations, such as D003409 in a file that has relations but no mentions.

A line of PubTator or an infon of BioRED gives a bare identifier, and only a mention with the same identifier says of
which type its entity is, and so of which database. As the scorers of shared tasks compare bare identifiers, one without
a database is taken for that of the gold standard.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from annotations.schema import AnnotationData, EntityId, RelationArgument

# {identifier: the only entity that the relations of an article name with it}.
EntitiesByIdentifier = Mapping[str, EntityId]


def name_databases_as_in_gold(
    annotations: Sequence[AnnotationData], gold: Iterable[AnnotationData]
) -> Sequence[AnnotationData]:
    """The annotations of an article, whose relations have the entities of the gold standard for bare identifiers.

    So they do if the identifier is bare in the gold standard alone. An identifier stays what it is if the relations of
    the gold standard name entities of several databases with it, or none.
    """
    entities = _map_identifiers_to_entities(gold)
    if not entities:
        return annotations
    return [_name_databases(annotation, entities) for annotation in annotations]


def _map_identifiers_to_entities(gold: Iterable[AnnotationData]) -> dict[str, EntityId]:
    entities: dict[str, set[EntityId]] = {}
    for annotation in gold:
        for argument in annotation.arguments:
            for entity in argument.identifiers:
                entities.setdefault(entity.identifier, set()).add(entity)
    return {identifier: found.pop() for identifier, found in entities.items() if len(found) == 1}


def _name_databases(annotation: AnnotationData, entities: EntitiesByIdentifier) -> AnnotationData:
    relation = annotation.relation
    if relation is None:
        return annotation
    arguments = tuple(_name_database_of_argument(argument, entities) for argument in relation.arguments)
    if arguments == relation.arguments:
        return annotation
    return replace(annotation, relation=replace(relation, arguments=arguments))


def _name_database_of_argument(argument: RelationArgument, entities: EntitiesByIdentifier) -> RelationArgument:
    identifiers = tuple(dict.fromkeys(_find_gold_entity(entity, entities) for entity in argument.identifiers))
    return argument if identifiers == argument.identifiers else replace(argument, identifiers=identifiers)


def _find_gold_entity(entity: EntityId, entities: EntitiesByIdentifier) -> EntityId:
    found = entities.get(entity.identifier, entity)
    return entity if entity.database and found.database else found
