"""Checks whether identifiers exist, using the local table of entries only.

Form comes before existence: a malformed identifier, which may contain what PostgreSQL cannot store, is not looked up.
Withdrawn entries did exist, and aliases of entries exist: neither breaks a rule. Nor does an identifier that is not in
the local table, unless a complete table of its database was loaded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.conf import settings
from django.db import connection

from annotations.identifiers.loaded_namespaces import COMPLETE_TABLES
from annotations.identifiers.namespaces import is_well_formed_identifier, namespace_title_or_raw_name
from annotations.rules.identifiers import ENTRY_NAME_PATTERN
from annotations.schema import AnnotationData, BrokenRule, Kind

UNKNOWN_IDENTIFIER = "R301"
# Where the identifiers of open kinds are in an answer.
IDENTIFIER_FIELDS = {Kind.MENTION: "identifiers", Kind.RELATION: "arguments"}
# annotations/rules/identifiers.py: a UniProt entry name instead of an accession.
ENTRY_NAME_RULE = "R112"
# Whether the database itself said so; otherwise the identifier is not in a complete table.
NONEXISTENT_ENTRIES = f"""
WITH complete AS ({COMPLETE_TABLES})
SELECT given.database, given.identifier, entry.exists IS NOT NULL
FROM unnest(%(databases)s::text[], %(identifiers)s::text[]) AS given (database, identifier)
LEFT JOIN annotations_entry entry ON entry.database = given.database AND entry.identifier = given.identifier
LEFT JOIN complete
    ON complete.database = given.database AND starts_with(given.identifier, complete.complete_start)
WHERE NOT entry.exists OR entry.exists IS NULL AND complete.database IS NOT NULL
"""
ACCESSIONS_OF_ENTRY_NAMES = """
SELECT identifier, successors[1] FROM annotations_entry
WHERE database = 'uniprot' AND identifier = ANY(%s) AND cardinality(successors) = 1
"""


def _list_namespaced_identifiers(annotation: AnnotationData) -> list[tuple[str, str]]:
    """The well-formed (database, identifier) pairs of an annotation."""
    return [
        (database, name) for database, name in annotation.iter_entity_ids() if is_well_formed_identifier(database, name)
    ]


def _list_entry_names(annotation: AnnotationData) -> list[str]:
    """What an annotation has in place of identifiers and has the form of a UniProt entry name."""
    return [name for name in (annotation.identifier, annotation.partner) if ENTRY_NAME_PATTERN.fullmatch(name)]


def find_known_nonexistent_identifier_faults(annotations: Sequence[AnnotationData]) -> list[BrokenRule]:
    """The broken rules for identifiers that are known not to exist; unknown identifiers break no rule."""
    identifiers = {pair for annotation in annotations for pair in _list_namespaced_identifiers(annotation)}
    if not identifiers:
        return []
    databases, names = (list(column) for column in zip(*identifiers, strict=True))
    parameters = {"days": settings.REGISTRY_DAYS, "databases": databases, "identifiers": names}
    with connection.cursor() as cursor:
        cursor.execute(NONEXISTENT_ENTRIES, parameters)
        nonexistent = {(database, name): known for database, name, known in cursor.fetchall()}
    return [
        BrokenRule(
            code=UNKNOWN_IDENTIFIER,
            where=f"{annotation.kind}[{index}].{IDENTIFIER_FIELDS.get(annotation.kind, 'identifier')}",
            message=_format_nonexistent(database, name, nonexistent[database, name]),
            mend="Send an identifier that exists in the database, and check that the database is the right one.",
            index=index,
        )
        for index, annotation in enumerate(annotations)
        for database, name in _list_namespaced_identifiers(annotation)
        if (database, name) in nonexistent
    ]


def _format_nonexistent(database: str, identifier: str, database_said_so: bool) -> str:
    title = namespace_title_or_raw_name(database)
    if database_said_so:
        return f"{title} has no entry {identifier} and never had one."
    return f"{title} has no entry {identifier}: it is not in the table that this site has."


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
