"""The settings of a task in REST."""

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluation.measures.task_settings import (
    IdentifierMatch,
    RelationMatch,
    TaskSettings,
    TaskSettingsError,
    check_settings_are_printable,
    read_task_settings,
)

NAMES_SCHEMA = {"type": "array", "items": {"type": "string"}}
SETTINGS_SCHEMA = {
    "type": "object",
    "nullable": True,
    "properties": {
        "entity_types": NAMES_SCHEMA,
        "namespaces": NAMES_SCHEMA,
        "roles": NAMES_SCHEMA,
        "type_spellings": {"type": "object", "additionalProperties": NAMES_SCHEMA},
        "matching": {
            "type": "object",
            "properties": {
                "spans": {"type": "string", "enum": ["exact", "start", "end", "either", "overlap"]},
                "types": {"type": "boolean"},
                "identifiers": {"type": "string", "enum": list(filter(None, get_args(IdentifierMatch)))},
                "relation": {"type": "string", "enum": list(get_args(RelationMatch))},
                "relation_types": NAMES_SCHEMA,
                "excluded_type_pairs": {"type": "array", "items": NAMES_SCHEMA},
            },
        },
        "label_set": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "values": NAMES_SCHEMA, "several": {"type": "boolean"}},
        },
    },
}


@extend_schema_field(SETTINGS_SCHEMA)
class TaskSettingsField(serializers.JSONField):
    """Settings as TaskSettings; a fault names the setting."""

    def to_internal_value(self, data: Any) -> TaskSettings:  # type: ignore[override]
        if not isinstance(data, dict):
            raise serializers.ValidationError("This is not an object. Send the settings in braces, or null.")
        try:
            settings = read_task_settings(data)
            check_settings_are_printable(settings)
        except TaskSettingsError as error:
            raise serializers.ValidationError({error.member: [error.message]}) from None
        return settings


def build_settings_problem(error: TaskSettingsError) -> serializers.ValidationError:
    """The fault of a request whose settings do not fit its kind."""
    if error.member == "settings":
        return serializers.ValidationError({"settings": [error.message]})
    return serializers.ValidationError({"settings": {error.member: [error.message]}})
