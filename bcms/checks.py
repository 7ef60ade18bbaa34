"""System checks of the site; `manage.py migrate` and `manage.py check --database default` run them."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from annotations.data_sets.models import Licence
from annotations.entity_types import EntityTypeTableError, list_known_entity_types

# Licences that let everybody use the records, also for money.
OPEN_LICENCES = (Licence.CC_BY, Licence.CC0)
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


@register()
def check_licence_of_digital_abstracts(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a licence of published digital abstracts that is not one of OPEN_LICENCES."""
    if settings.CURATIONS_LICENCE in OPEN_LICENCES:
        return []
    known = " or ".join(OPEN_LICENCES)
    message = f"CURATIONS_LICENCE is {settings.CURATIONS_LICENCE}, which is no licence of digital abstracts."
    return [Error(message, hint=f"Set it to {known}, or leave it out for {OPEN_LICENCES[0]}.", id="bcms.E003")]
