"""System checks of what the site shows: its entity types and licences."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from annotations.data_sets.models import Licence
from annotations.entity_types import EntityTypeTableError, list_known_entity_types

# Licences that let everybody use the records, also for money.
OPEN_LICENCES = (Licence.CC_BY, Licence.CC0)


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
