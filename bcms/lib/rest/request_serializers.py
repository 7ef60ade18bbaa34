"""Serializers of request bodies: they accept only what the OpenAPI document names.

Those of Django REST framework convert: the number 5 becomes a text, the text "yes" becomes true. A number with leading
zeros or a version such as 1.10 would be stored as another text than its sender meant. Of a form, they ignore optional
fields that are sent empty, whether these may be empty or not.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.utils.html import is_html_input

from bcms.lib.rest.query_parameters import EMPTY_ERROR

Instance = TypeVar("Instance")
REPEATED_ERROR = "Send this field once."
# A choice is a string or a number, as its values are: see _name_expected_type().
EXPECTED_TYPES: tuple[tuple[type[serializers.Field[Any, Any, Any, Any]], str], ...] = (
    (serializers.CharField, "a string"),
    (serializers.BooleanField, "true or false"),
    (serializers.IntegerField, "a whole number"),
    (serializers.FloatField, "a number"),
)
JSON_TYPES: tuple[tuple[type, str], ...] = (
    (str, "a string"),
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a fraction"),
    (list, "an array"),
    (dict, "an object"),
)


class StrictBodyMixin:
    """Makes a serializer refuse JSON values of other types than its fields have, and empty fields of forms that may not
    be empty. Forms have only text and files."""

    def to_internal_value(self, data: Any) -> Any:
        faults = _find_form_faults(self, data) if is_html_input(data) else _find_type_faults(self, data)
        try:
            values = super().to_internal_value(data)  # type: ignore[misc]
        except serializers.ValidationError as error:
            raise serializers.ValidationError({**error.detail, **faults}) from error  # type: ignore[dict-item]
        if faults:
            raise serializers.ValidationError(faults)
        return values


class RequestSerializer(StrictBodyMixin, serializers.Serializer[Instance]):
    """The body of a request."""


def _find_type_faults(serializer: Any, data: Any) -> dict[str, Any]:
    """{name of the field: its faults} in a JSON object; empty for anything else, which the serializer refuses."""
    if not isinstance(data, Mapping):
        return {}
    fields: Iterable[serializers.Field[Any, Any, Any, Any]] = serializer.fields.values()
    sent = [field for field in fields if not field.read_only and field.field_name in data]
    faults = {str(field.field_name): _find_faults_of_value(field, data[field.field_name]) for field in sent}
    return {name: fault for name, fault in faults.items() if fault}


def _find_form_faults(serializer: Any, form: Mapping[str, Any]) -> dict[str, Any]:
    """{name of the field: its faults} of fields that are sent more often than they are read, or empty."""
    return _find_empty_faults(serializer, form) | _find_repeated_faults(serializer, form)


def _find_repeated_faults(serializer: Any, form: Any) -> dict[str, Any]:
    """Of fields with one value, of which Django REST framework would read the last one only."""
    lists = (serializers.ListField, serializers.MultipleChoiceField, serializers.ManyRelatedField)
    names = [name for name, field in serializer.fields.items() if not isinstance(field, lists)]
    return {name: [REPEATED_ERROR] for name in names if hasattr(form, "getlist") and len(form.getlist(name)) > 1}


def _find_empty_faults(serializer: Any, form: Mapping[str, Any]) -> dict[str, Any]:
    """{name of the field: its faults} of optional fields that are sent empty; of required ones, they find them."""
    names = [
        name
        for name, field in serializer.fields.items()
        if not (field.read_only or field.required or field.allow_null or getattr(field, "allow_blank", False))
    ]
    return {name: [EMPTY_ERROR] for name in names if form.get(name) == ""}


def _find_faults_of_value(field: Any, value: Any) -> Any:
    """The faults in the form of Django REST framework: a list, or a dict by index or name; empty if there are none."""
    if isinstance(field, serializers.ListField) and isinstance(value, list):
        return _find_faults_of_parts(field.child, enumerate(value))
    if isinstance(field, serializers.DictField) and isinstance(value, dict):
        return _find_faults_of_parts(field.child, value.items())
    expected, sent = _name_expected_type(field), _name_json_type(value)
    # In JSON, 5.0 is a whole number, too.
    if sent == "a fraction" and value.is_integer():
        sent = "a whole number"
    if not expected or value is None or sent == expected:
        return []
    if expected == "a number" and sent in ("a whole number", "a fraction"):
        return []
    return [f"Send {expected}, not {sent}."]


def _find_faults_of_parts(child: Any, parts: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    faults = ((key, _find_faults_of_value(child, part)) for key, part in parts)
    return {key: fault for key, fault in faults if fault}


def _name_expected_type(field: Any) -> str:
    """What a field takes, as messages name it; empty for fields that check the type themselves."""
    if isinstance(field, serializers.ChoiceField):
        names = {_name_json_type(choice) for choice in field.choices}
        return names.pop() if len(names) == 1 else ""
    return next((name for kind, name in EXPECTED_TYPES if isinstance(field, kind)), "")


def _name_json_type(value: Any) -> str:
    """The type of a JSON value, as messages name it."""
    return next((name for kind, name in JSON_TYPES if isinstance(value, kind)), "null")
