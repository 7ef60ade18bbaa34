"""Validate the data of a request."""

from collections.abc import Callable, Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from bcms.lib.rest.problems import convert_form_errors


def validate_request_data(
    serializer_class: Callable[..., serializers.BaseSerializer[Any]], request: Request
) -> dict[str, Any]:
    """The request's data, validated by the serializer. Raises ValidationError."""
    serializer = serializer_class(data=request.data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def get_cleaned_form_data(form: Any, field_names: Mapping[str, str] | None = None) -> Any:
    """The cleaned data of a page's form. Raises ValidationError of the API.

    field_names: {field of the form: its name in the API} of fields with another name there.
    """
    if not form.is_valid():
        raise convert_form_errors(form, field_names)
    return form.cleaned_data
