"""Errors of the API as problem details (RFC 9457, application/problem+json).

Every problem carries type, title, status, detail and instance, a stable word `code`, and `errors`, one for each thing
that is wrong with what was sent. detail is always one plain sentence.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import status
from rest_framework.exceptions import APIException, ErrorDetail, NotAuthenticated, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotations.formats.errors import FormatError

log = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
# Stable words, where they differ from Django REST framework's own.
CODES = {"invalid": "invalid-request", "error": "server-error"}


class Conflict(APIException):
    """What was asked for cannot be done in the present state; the detail says what to do first."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "wrong-state"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a request; loc is the path to it ("kinds.0"), empty for the whole."""

    loc: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class FaultOfLine(Fault):
    """One thing that is wrong with a file; code is the rule, line and column are from 1, 0 for the file as a whole."""

    line: int
    column: int


class RefusedFile(APIException):
    """Files that were checked and refused, with all faults; fields: {name of a file: as what it was sent}, or file."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "refused-file"

    def __init__(self, faults: Sequence[FormatError], fields: Mapping[str, str] | None = None) -> None:
        number = len(faults)
        super().__init__(f"The file was refused: it has {number} fault{'s' * (number != 1)}; see errors.")
        self.faults = [
            FaultOfLine((fields or {}).get(own.source, "file"), own.rule, own.message, own.line, own.column)
            for own in faults
        ]


@dataclass(frozen=True, slots=True)
class Problem:
    title: str
    status: int
    detail: str
    instance: str
    code: str
    errors: list[Fault]
    type: str = "about:blank"


def problem_response(error: Exception, context: Mapping[str, Any]) -> Response:
    """What Django REST framework calls for every exception that leaves a view of the API."""
    response = exception_handler(error, dict(context)) or unexpected(error)
    request = context.get("request")
    path = request.path if request is not None else ""
    problem = problem_of(error, response.status_code, response.data, path)
    response.data = asdict(problem)
    response.content_type = CONTENT_TYPE
    return response


def unexpected(error: Exception) -> Response:
    """Our own fault: recorded with its traceback, told without it."""
    log.error("The API failed.", exc_info=error)
    return Response(None, status=status.HTTP_500_INTERNAL_SERVER_ERROR)


def problem_of(error: Exception, code: int, data: Any, path: str) -> Problem:
    """The problem of an exception, given the status and the data of Django REST framework's answer."""
    faults = list(faults_in(error, data))
    return Problem(
        title=HTTPStatus(code).phrase,
        status=code,
        detail=detail_of(error, data, faults),
        instance=path,
        code=code_of(error),
        errors=faults,
    )


def detail_of(error: Exception, data: Any, faults: list[Fault]) -> str:
    match error:
        case ValidationError():
            return " ".join(fault.message for fault in faults if not fault.loc) or in_words(faults)
        case Http404():
            return "There is nothing at this address that you may see; check the identifier in it."
        case NotAuthenticated():
            return "Log in first: send a token from your account page, or your user name and password by HTTP Basic."
        case PermissionDenied():
            return str(error) or "You may not do this; only the team that it belongs to may."
        case APIException():
            return str(data["detail"])
        case _:
            return "This is our own fault; it has been recorded. Try again later."


def in_words(faults: list[Fault]) -> str:
    fields = list(dict.fromkeys(fault.loc for fault in faults))
    return f"The request has {len(faults)} fault{'s' * (len(faults) != 1)}, in {', '.join(fields)}; see errors."


def code_of(error: Exception) -> str:
    match error:
        case Http404():
            return "not-found"
        case PermissionDenied():
            return "permission-denied"
        case ValidationError():
            return "invalid-request"
        case APIException():
            word = error.default_code if isinstance(error.default_code, str) else "error"
            return CODES.get(word, word.replace("_", "-"))
        case _:
            return "our-fault"


def faults_in(error: Exception, data: Any) -> Iterator[Fault]:
    """What is wrong, one by one, where the exception says that."""
    if isinstance(error, RefusedFile):
        yield from error.faults
    elif isinstance(error, ValidationError):
        yield from faults_of(data)


def faults_of(data: Any, loc: str = "") -> Iterator[Fault]:
    """Every message in the nested lists and dicts of a ValidationError, with the path to it."""
    if isinstance(data, Mapping):
        for name, part in data.items():
            yield from faults_of(part, loc if name == "non_field_errors" else joined(loc, str(name)))
    elif isinstance(data, list):
        leaves = [part for part in data if not isinstance(part, Mapping | list)]
        for number, part in enumerate(data):
            yield from faults_of(part, loc if part in leaves else joined(loc, str(number)))
    else:
        code = data.code if isinstance(data, ErrorDetail) and data.code else "invalid"
        yield Fault(loc, code.replace("_", "-"), str(data))


def joined(loc: str, name: str) -> str:
    return f"{loc}.{name}" if loc else name
