"""Which databases have a table of identifiers here, so that the existence of their identifiers can be checked."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.conf import settings
from django.db import connection
from django.db.models import TextField
from django.db.models.expressions import RawSQL

from annotations.identifiers.models import LoadedNamespace
from annotations.identifiers.psi_mi_terms import PSI_MI_NAMESPACE, load_shipped_psi_mi_terms
from annotations.schema import EntityId

LONGEST_FILE_NAME = 255
# A complete table is that for as long as an entry that was looked up is current; databases grow meanwhile.
COMPLETE_TABLES = """
    SELECT database, complete_start FROM annotations_loadednamespace
    WHERE completed > statement_timestamp() - make_interval(days => %(days)s)
"""
UNCHECKED_ENTITIES = f"""
    WITH complete AS ({COMPLETE_TABLES})
    SELECT given.database, given.identifier
    FROM unnest(%(databases)s::text[], %(identifiers)s::text[]) AS given (database, identifier)
    LEFT JOIN annotations_entry AS entry
        ON entry.database = given.database AND entry.identifier = given.identifier AND entry."exists" IS NOT NULL
    LEFT JOIN complete
        ON complete.database = given.database AND starts_with(given.identifier, complete.complete_start)
    WHERE entry.id IS NULL AND complete.database IS NULL
"""


TABLE_STATE = """
    (SELECT concat(max(loaded), ' ', count(*) FILTER
        (WHERE completed > statement_timestamp() - make_interval(days => %s)))
    FROM annotations_loadednamespace)
"""


def make_table_state() -> RawSQL:
    """Text that changes when a table is loaded, and when one that is complete becomes too old."""
    return RawSQL(TABLE_STATE, [settings.REGISTRY_DAYS], output_field=TextField())


def record_loaded_namespaces(
    title: str, source: str, entries: Mapping[str, int], complete: Mapping[str, str], loaded_at: datetime
) -> None:
    """Record that a table was loaded, with its entries by database.

    complete: the databases of which it has all identifiers, each with how these begin.
    """
    for database, number in entries.items():
        fields = {"title": title, "source": source[:LONGEST_FILE_NAME], "entries": number, "loaded": loaded_at}
        if database in complete:
            fields |= {"completed": loaded_at, "complete_start": complete[database]}
        LoadedNamespace.objects.update_or_create(database=database, defaults=fields)


def _is_shipped_term(entity: EntityId) -> bool:
    is_term = entity.database == PSI_MI_NAMESPACE
    return is_term and load_shipped_psi_mi_terms().find_term(entity.identifier) is not None


def find_unchecked_entities(entities: Iterable[EntityId]) -> set[EntityId]:
    """The entities about whose existence nothing is known: their database has no table and does not answer. 1 query.

    An entity without a database is one of them; a PSI-MI term of the table of the project is not.
    """
    distinct = sorted(each for each in set(entities) if not _is_shipped_term(each))
    if not distinct:
        return set()
    databases, identifiers = zip(*distinct, strict=True)
    parameters = {"days": settings.REGISTRY_DAYS, "databases": list(databases), "identifiers": list(identifiers)}
    with connection.cursor() as cursor:
        cursor.execute(UNCHECKED_ENTITIES, parameters)
        return {EntityId(*row) for row in cursor.fetchall()}
