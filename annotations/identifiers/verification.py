"""Checks whether identifiers exist, using the local table of entries only.

Form comes before existence: a malformed identifier, which may contain what PostgreSQL cannot store, is not looked up.
Withdrawn entries did exist, and aliases of entries exist: neither breaks a rule. Nor does an identifier that is not in
the local table, unless a complete table of its database was loaded.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from django.conf import settings
from django.db import connection

from annotations.identifiers.loaded_namespaces import COMPLETE_TABLES
from annotations.identifiers.namespaces import is_well_formed_identifier, namespace_title_or_raw_name
from annotations.rules.identifiers import ENTRY_NAME_PATTERN
from annotations.schema import AnnotationData, BrokenRule, EntityId, Kind
from bcms.lib.prepared_statements import PreparedStatement

UNKNOWN_IDENTIFIER = "R301"
# Where the identifiers of open kinds are in an answer.
IDENTIFIER_FIELDS = {Kind.MENTION: "identifiers", Kind.RELATION: "arguments"}
# annotations/rules/identifiers.py: a UniProt entry name instead of an accession.
ENTRY_NAME_RULE = "R112"
# Whether the database itself said so; otherwise the identifier is not in a complete table.
NONEXISTENT_ENTRIES = PreparedStatement(
    "nonexistent_entries",
    {"days": "int", "databases": "text[]", "identifiers": "text[]"},
    f"""
WITH complete AS ({COMPLETE_TABLES})
SELECT given.database, given.identifier, entry.exists IS NOT NULL
FROM unnest(%(databases)s::text[], %(identifiers)s::text[]) AS given (database, identifier)
LEFT JOIN annotations_entry entry ON entry.database = given.database AND entry.identifier = given.identifier
LEFT JOIN complete
    ON complete.database = given.database AND starts_with(given.identifier, complete.complete_start)
WHERE NOT entry.exists OR entry.exists IS NULL AND complete.database IS NOT NULL
""",
)
ACCESSIONS_OF_ENTRY_NAMES = """
SELECT identifier, successors[1] FROM annotations_entry
WHERE database = 'uniprot' AND identifier = ANY(%s) AND cardinality(successors) = 1
"""


@dataclass(frozen=True, slots=True)
class CheckedAnnotations:
    """Annotations whose identifiers were looked up in the local table of entries.

    annotations: in their order, without links of mentions that do not exist; removed_links: what is wrong with these;
    broken_rules: for all other identifiers that do not exist.
    """

    annotations: list[AnnotationData]
    broken_rules: list[BrokenRule]
    removed_links: list[BrokenRule]


def _list_known_form_ids(annotation: AnnotationData) -> list[EntityId]:
    """The well-formed identifiers of an annotation."""
    return [each for each in annotation.iter_entity_ids() if is_well_formed_identifier(*each)]


def _list_entry_names(annotation: AnnotationData) -> list[str]:
    """What an annotation has in place of identifiers and has the form of a UniProt entry name."""
    return [name for name in (annotation.identifier, annotation.partner) if ENTRY_NAME_PATTERN.fullmatch(name)]


def check_identifiers(annotations: Sequence[AnnotationData]) -> CheckedAnnotations:
    """Check the identifiers of an answer; unknown ones break no rule. 1 query, none without identifiers.

    An annotation that is about an identifier breaks a rule if that does not exist. A mention is there all the same, so
    it only loses the link, also as the argument of a relation.
    """
    nonexistent = _find_nonexistent_entities({each for one in annotations for each in _list_known_form_ids(one)})
    if not nonexistent:
        return CheckedAnnotations(list(annotations), [], [])
    kept = [remove_links_of_mentions(annotation, nonexistent) for annotation in annotations]
    checked = CheckedAnnotations(kept, [], [])
    for index, (before, after) in enumerate(zip(annotations, kept, strict=True)):
        for entity_id in before.iter_entity_ids():
            if entity_id in nonexistent:
                is_removed = entity_id not in after.iter_entity_ids()
                faults = checked.removed_links if is_removed else checked.broken_rules
                faults.append(_build_fault(before, index, entity_id, nonexistent[entity_id]))
    return checked


def find_known_nonexistent_identifier_faults(annotations: Sequence[AnnotationData]) -> list[BrokenRule]:
    """The broken rules for all identifiers that are known not to exist, links of mentions among them: 1 query."""
    nonexistent = _find_nonexistent_entities({each for one in annotations for each in _list_known_form_ids(one)})
    return [
        _build_fault(annotation, index, entity_id, nonexistent[entity_id])
        for index, annotation in enumerate(annotations)
        for entity_id in annotation.iter_entity_ids()
        if entity_id in nonexistent
    ]


def remove_links_of_mentions(annotation: AnnotationData, removed: Collection[EntityId]) -> AnnotationData:
    """The annotation without these links, if it is a mention, or without them in arguments that are mentions."""
    if annotation.kind is Kind.MENTION:
        return replace(annotation, identifiers=tuple(each for each in annotation.identifiers if each not in removed))
    if annotation.relation is None:
        return annotation
    arguments = tuple(
        replace(argument, identifiers=tuple(each for each in argument.identifiers if each not in removed))
        if argument.spans
        else argument
        for argument in annotation.arguments
    )
    return replace(annotation, relation=replace(annotation.relation, arguments=arguments))


def _find_nonexistent_entities(well_formed_ids: Collection[EntityId]) -> dict[EntityId, bool]:
    """Those that are known not to exist, each with whether its database said so."""
    if not well_formed_ids:
        return {}
    databases, names = (list(column) for column in zip(*well_formed_ids, strict=True))
    parameters = {"days": settings.REGISTRY_DAYS, "databases": databases, "identifiers": names}
    statement = NONEXISTENT_ENTRIES.get_ready_text()
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return {EntityId(database, name): known for database, name, known in cursor.fetchall()}


def _build_fault(annotation: AnnotationData, index: int, entity_id: EntityId, database_said_so: bool) -> BrokenRule:
    field = IDENTIFIER_FIELDS.get(annotation.kind, "identifier")
    return BrokenRule(
        code=UNKNOWN_IDENTIFIER,
        where=f"{annotation.kind}[{index}].{field}",
        message=_format_nonexistent(entity_id, database_said_so),
        mend="Send an identifier that exists in the database, and check that the database is the right one.",
        index=index,
    )


def _format_nonexistent(entity_id: EntityId, database_said_so: bool) -> str:
    title = namespace_title_or_raw_name(entity_id.database)
    if database_said_so:
        return f"{title} has no entry {entity_id.identifier} and never had one."
    return f"{title} has no entry {entity_id.identifier}: it is not in the table that this site has."


def add_accessions_to_entry_name_hints(
    broken_rules: Sequence[BrokenRule], annotations: Sequence[AnnotationData]
) -> list[BrokenRule]:
    """The broken rules; the hints about entry names (R112) get the accessions, if the local table has them."""
    affected = [
        annotations[rule.index] for rule in broken_rules if rule.code == ENTRY_NAME_RULE and rule.index is not None
    ]
    names = sorted({name for annotation in affected for name in _list_entry_names(annotation)})
    accessions = _find_accessions_by_entry_name(names) if names else {}
    return [_add_accessions_to_hint(rule, annotations, accessions) for rule in broken_rules]


def _find_accessions_by_entry_name(names: list[str]) -> dict[str, str]:
    """The accession of each UniProt entry name that the local table has: 1 query."""
    with connection.cursor() as cursor:
        cursor.execute(ACCESSIONS_OF_ENTRY_NAMES, [names])
        return dict(cursor.fetchall())


def _add_accessions_to_hint(
    rule: BrokenRule, annotations: Sequence[AnnotationData], accessions: Mapping[str, str]
) -> BrokenRule:
    """The broken rule; if it is about an entry name, with the known accessions added to its hint."""
    if rule.code != ENTRY_NAME_RULE or rule.index is None:
        return rule
    names = [name for name in _list_entry_names(annotations[rule.index]) if name in accessions]
    if not names:
        return rule
    equations = " and ".join(f"{name} is {accessions[name]}" for name in names)
    return replace(rule, mend=f"{rule.mend} According to our tables, {equations}.")
