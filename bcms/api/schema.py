"""The OpenAPI document: what every operation has in common, added in one place.

Views document their parameters, bodies and answers. The errors that authentication, limits and parsers cause are the
same everywhere and are added here, and every error is a problem (RFC 9457).
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema
from rest_framework.fields import ListField, MultipleChoiceField
from rest_framework.permissions import SAFE_METHODS

from bcms.lib.rest.problems import CONTENT_TYPE

PROBLEM_NAME = "Problem"
PROBLEM_REFERENCE = {"$ref": f"#/components/schemas/{PROBLEM_NAME}"}
_STRING = {"type": "string"}
PROBLEM_SCHEMA = {
    "type": "object",
    "description": "An error (RFC 9457).",
    "required": ["type", "title", "status", "detail", "instance", "code", "errors"],
    "properties": {
        "type": _STRING,
        "title": {**_STRING, "description": "the name of the status"},
        "status": {"type": "integer"},
        "detail": {**_STRING, "description": "what is wrong and how to correct it, as plain text"},
        "instance": {**_STRING, "description": "the path of the request"},
        "code": {**_STRING, "description": "stable, for programs"},
        "errors": {
            "type": "array",
            "description": "one for each fault in the request",
            "items": {
                "type": "object",
                "required": ["loc", "code", "message"],
                "properties": {
                    "loc": {**_STRING, "description": "the path to the fault, empty for the whole request"},
                    "code": _STRING,
                    "message": _STRING,
                    "line": {"type": "integer", "description": "in a file: from 1, or 0 for the whole file"},
                    "column": {"type": "integer", "description": "in a file: from 1, or 0 for the whole line"},
                },
            },
        },
    },
}
METHODS = ("get", "post", "put", "patch", "delete")
METHODS_WITH_BODY = ("post", "put", "patch", "delete")
ERRORS_OF_ALL = {
    400: "The request is invalid; errors names each fault.",
    401: "The credentials are missing or wrong.",
    403: "You may not do this, or the token does not have the scope.",
    406: "The resource is not available in a format of the Accept header.",
    429: "Too many requests; Retry-After has the seconds to wait.",
    503: "The database does not answer; Retry-After has the seconds to wait.",
}
ERRORS_OF_PATHS = {404: "There is nothing at this URL that you may see."}
ERRORS_OF_BODIES = {
    411: "The request has no Content-Length.",
    413: "The body is larger than this URL takes.",
    415: "The body has a type that this URL does not take.",
}


class BcmsSchema(AutoSchema):
    """Documents one type of body: JSON, or a form with files. The others are accepted as well."""

    def _map_serializer_field(self, field: Any, direction: str, bypass_extensions: bool = False) -> Any:
        """Lists that may not be empty are documented so, which the library forgets."""
        schema: dict[str, Any] = super()._map_serializer_field(  # type: ignore[no-untyped-call]
            field, direction, bypass_extensions
        )
        if isinstance(field, ListField | MultipleChoiceField) and not field.allow_empty:
            schema.setdefault("minItems", 1)
        return schema

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> dict[str, Any]:
        """The conflicts that a view answers with its conflict_description, whatever is changed."""
        responses: dict[str, Any] = super()._get_response_bodies(direction)
        description = getattr(self.view, "conflict_description", "")
        if description and self.method not in SAFE_METHODS:
            responses.setdefault("409", {"description": description})
        return responses

    def map_parsers(self) -> list[Any]:
        types: list[str] = super().map_parsers()
        return ["application/json"] if "application/json" in types else types


def document_common_errors(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the errors that every operation can answer, and the form of all errors: a hook of drf-spectacular."""
    result["components"].setdefault("schemas", {})[PROBLEM_NAME] = PROBLEM_SCHEMA
    for path, method, operation in _iter_operations(result):
        for status, description in _choose_common_errors(path, method).items():
            operation["responses"].setdefault(str(status), {"description": description})
        for status, response in operation["responses"].items():
            if status.startswith(("4", "5")):
                response["content"] = {CONTENT_TYPE: {"schema": PROBLEM_REFERENCE}}
                response["description"] = response.get("description") or HTTPStatus(int(status)).phrase
        operation["responses"] = dict(sorted(operation["responses"].items()))
    return result


def _iter_operations(result: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in result["paths"].items():
        yield from ((path, method, item[method]) for method in METHODS if method in item)


def _choose_common_errors(path: str, method: str) -> dict[int, str]:
    errors = dict(ERRORS_OF_ALL)
    if "{" in path:
        errors |= ERRORS_OF_PATHS
    return errors | ERRORS_OF_BODIES if method in METHODS_WITH_BODY else errors
