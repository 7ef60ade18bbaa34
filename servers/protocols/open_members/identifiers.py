"""Identifiers of any database in answers: `"MESH:D001943"`, or {"database": "mesh", "identifier": "D001943"}."""

from annotations.identifiers.curies import format_curie, parse_curie
from annotations.identifiers.given_identifiers import parse_given_identifier, parse_identifier_field
from annotations.identifiers.namespaces import find_database_by_spelling
from annotations.schema import EntityId
from servers.protocols.answer_fields import AnswerFields, make_wrong_type_error, parse_struct_or_ordered_array

IDENTIFIER_MEMBERS = ("database", "identifier")


def read_identifier_list(value: object, where: str, entity_type: str) -> tuple[EntityId, ...]:
    """The distinct identifiers in an array; one value alone counts, too, and a string may have several.

    entity_type suggests the databases of identifiers that name none. Raises MalformedValueError.
    """
    if value is None or value == {}:
        return ()
    if isinstance(value, str):
        return parse_identifier_field(value, entity_type)
    elements = value if isinstance(value, list) else [value]
    entities = [_read_identifier(element, f"{where}[{index}]", entity_type) for index, element in enumerate(elements)]
    return tuple(dict.fromkeys(entity for entity in entities if entity))


def _read_identifier(value: object, where: str, entity_type: str) -> EntityId | None:
    if isinstance(value, dict):
        return read_entity_id(parse_struct_or_ordered_array(value, IDENTIFIER_MEMBERS, where, "an identifier"))
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise make_wrong_type_error(where, value, "a string")
    return parse_given_identifier(str(value), entity_type)


def read_entity_id(
    fields: AnswerFields, database_name: str = "database", identifier_name: str = "identifier", entity_type: str = ""
) -> EntityId | None:
    """The identifier of a struct with its database, which its text names if the struct does not.

    None for what stands in place of an identifier that is not known, such as `-`. Raises MalformedValueError.
    """
    identifier = fields.require_identifier(identifier_name)
    if fields.values.get(database_name) is None:
        return parse_given_identifier(identifier, entity_type)
    return _make_entity_id(fields.require_text(database_name), identifier)


def _make_entity_id(spelling: str, identifier: str) -> EntityId:
    """The identifier in the database that is spelled so; a database that is not known becomes a part of it."""
    if not spelling:
        return EntityId("", identifier)
    database = find_database_by_spelling(spelling)
    if database is None:
        return EntityId("", f"{spelling}:{identifier}")
    return parse_curie(f"{spelling}:{identifier}") or EntityId(database, identifier)


def build_identifier(entity: EntityId) -> str | dict[str, str]:
    """The CURIE of an identifier, or a struct if the CURIE would be read as another one."""
    curie = format_curie(entity)
    return curie if parse_given_identifier(curie) == entity else entity._asdict()
