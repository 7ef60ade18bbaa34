"""System checks of the site; `manage.py migrate` and `manage.py check --database default` run them."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from annotations.entity_types import EntityTypeTableError, list_known_entity_types

APPS = frozenset({"annotations", "servers", "evaluation", "bcms"})


@register(Tags.database)
def check_applied_migrations_exist_in_code(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a database with migrations that this version does not have: its tables are not the ones expected here."""
    errors: list[CheckMessage] = []
    for alias in databases or ():
        loader = MigrationLoader(connections[alias], ignore_no_migrations=True)
        applied = (key for key in loader.applied_migrations if key[0] in APPS)
        unknown = sorted(key for key in applied if key not in loader.disk_migrations)
        if unknown:
            first = ".".join(unknown[0])
            errors.append(
                Error(
                    f"The database was made by another version of this software: it has the migration {first}, "
                    "which this version does not have.",
                    hint="Name an empty database in DATABASE_URL and run `manage.py migrate`; "
                    "for the demo, run `make clean` first.",
                    id="bcms.E001",
                )
            )
    return errors


@register()
def check_entity_types_of_site(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a table of entity types that cannot be read."""
    try:
        list_known_entity_types()
    except (EntityTypeTableError, OSError, UnicodeDecodeError) as error:
        return [Error(f"The entity types of this site cannot be read: {error}", id="bcms.E002")]
    return []
