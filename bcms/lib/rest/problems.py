"""Errors of the API as problem details (RFC 9457, application/problem+json).

Every problem has type, title, status, detail and instance, a stable `code`, and `errors`, one for each fault in the
request. detail is plain text.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any, Protocol

from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.http import Http404, HttpResponse, JsonResponse
from rest_framework import status
from rest_framework.exceptions import APIException, ErrorDetail, NotAuthenticated, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from bcms.lib import database_outages
from bcms.lib.database_errors.deleted_rows import is_deleted_row_error
from bcms.lib.database_errors.unstorable_input import SENTENCE, is_unstorable_input_error
from bcms.lib.forms.form_size import format_form_excess

log = logging.getLogger(__name__)
CONTENT_TYPE = "application/problem+json"
# Our codes where they differ from Django REST framework's.
CODES = {"invalid": "invalid-request", "error": "server-error"}


class ConflictProblem(APIException):
    """The request conflicts with the current state; the detail says what to do first."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "wrong-state"


class DatabaseOutage(APIException):
    """The database is away; `wait` becomes the Retry-After header."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "unavailable"
    default_detail = database_outages.SENTENCE
    wait = database_outages.RETRY_SECONDS


@dataclass(frozen=True, slots=True)
class RequestFault:
    """One fault in a request; loc is the path to it ("kinds.0"), empty for the whole request."""

    loc: str
    code: str
    message: str


class FileFault(Protocol):
    """A fault as the readers of files report it: line and column count from 1, or are 0 for the whole file."""

    source: str
    line: int
    column: int
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class FileLineFault(RequestFault):
    """One fault in a file; code is the rule, line and column count from 1, or are 0 for the whole file."""

    line: int
    column: int


class UnprocessableFile(APIException):
    """Invalid files, with all their faults. fields: {file name: request field}, by default "file" for all."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "refused-file"

    def __init__(self, faults: Sequence[FileFault], fields: Mapping[str, str] | None = None) -> None:
        number = len(faults)
        super().__init__(f"The file is invalid: it has {number} fault{'s' * (number != 1)}; see errors.")
        self.faults = [
            FileLineFault((fields or {}).get(fault.source, "file"), fault.rule, fault.message, fault.line, fault.column)
            for fault in faults
        ]


@dataclass(frozen=True, slots=True)
class ProblemDetails:
    title: str
    status: int
    detail: str
    instance: str
    code: str
    errors: list[RequestFault]
    type: str = "about:blank"


def build_problem_response(error: Exception, context: Mapping[str, Any]) -> Response:
    """The answer to an exception in a view of the API: the EXCEPTION_HANDLER of Django REST framework."""
    if is_unstorable_input_error(error):
        log.warning("A value of a request was refused by the database.", exc_info=error)
        error = ValidationError(SENTENCE)
    elif is_deleted_row_error(error):
        log.error("A row was not there during a request to the API.", exc_info=error)
        error = Http404()
    elif excess := format_form_excess(error):
        error = ValidationError(excess)
    elif database_outages.is_database_outage(error):
        log.error("The database does not answer the API.", exc_info=error)
        error = DatabaseOutage()
    response = exception_handler(error, dict(context)) or _make_logged_server_error(error)
    request = context.get("request")
    path = request.path if request is not None else ""
    problem = _build_problem_details(error, response.status_code, response.data, path)
    response.data = asdict(problem)
    response.content_type = CONTENT_TYPE
    return response


def make_problem_response(path: str, status_code: int, code: str, detail: str) -> HttpResponse:
    """An error of the API that is found before a view of Django REST framework runs."""
    problem = ProblemDetails(HTTPStatus(status_code).phrase, status_code, detail, path, code, [])
    return JsonResponse(asdict(problem), status=status_code, content_type=CONTENT_TYPE)


def make_validation_problem_response(path: str, error: ValidationError) -> HttpResponse:
    """The same with the faults of a request."""
    problem = _build_problem_details(error, error.status_code, error.detail, path)
    return JsonResponse(asdict(problem), status=error.status_code, content_type=CONTENT_TYPE)


def _make_logged_server_error(error: Exception) -> Response:
    """Log the exception with its traceback, and answer 500 without it."""
    log.error("Unhandled exception in the API.", exc_info=error)
    return Response(None, status=status.HTTP_500_INTERNAL_SERVER_ERROR)


def _build_problem_details(error: Exception, code: int, data: Any, path: str) -> ProblemDetails:
    """The problem details of an exception, from the status and data of Django REST framework's answer."""
    faults = list(_iter_request_faults(error, data))
    return ProblemDetails(
        title=HTTPStatus(code).phrase,
        status=code,
        detail=_format_problem_detail(error, data, faults),
        instance=path,
        code=_choose_problem_code(error),
        errors=faults,
    )


def _format_problem_detail(error: Exception, data: Any, faults: list[RequestFault]) -> str:
    match error:
        case ValidationError():
            return " ".join(fault.message for fault in faults if not fault.loc) or _format_fault_count(faults)
        case Http404():
            return "There is nothing at this URL that you may see; check the identifier in it."
        case NotAuthenticated():
            return "Log in first: send a token from your account page, or your user name and password by HTTP Basic."
        case PermissionDenied():
            return str(error) or "You may not do this; only its team may."
        case APIException():
            return str(data["detail"])
        case _:
            return "The server failed, and the error was logged. Try again later."


def _format_fault_count(faults: list[RequestFault]) -> str:
    fields = list(dict.fromkeys(fault.loc for fault in faults))
    return f"The request has {len(faults)} fault{'s' * (len(faults) != 1)}, in {', '.join(fields)}; see errors."


def _choose_problem_code(error: Exception) -> str:
    match error:
        case Http404():
            return "not-found"
        case PermissionDenied():
            return "permission-denied"
        case ValidationError():
            return "invalid-request"
        case APIException():
            code = error.default_code if isinstance(error.default_code, str) else "error"
            return CODES.get(code, code.replace("_", "-"))
        case _:
            return "our-fault"


def _iter_request_faults(error: Exception, data: Any) -> Iterator[RequestFault]:
    """The faults that an exception lists; none for other exceptions."""
    if isinstance(error, UnprocessableFile):
        yield from error.faults
    elif isinstance(error, ValidationError):
        yield from iter_validation_faults(data)


def iter_validation_faults(nested_errors: Any, parent_path: str = "") -> Iterator[RequestFault]:
    """Every message in the nested lists and dicts of a ValidationError, with the path to it."""
    if isinstance(nested_errors, Mapping):
        for name, part in nested_errors.items():
            yield from iter_validation_faults(
                part, parent_path if name == "non_field_errors" else _join_fault_path(parent_path, str(name))
            )
    elif isinstance(nested_errors, list):
        leaves = [part for part in nested_errors if not isinstance(part, Mapping | list)]
        for number, part in enumerate(nested_errors):
            yield from iter_validation_faults(
                part, parent_path if part in leaves else _join_fault_path(parent_path, str(number))
            )
    else:
        code = nested_errors.code if isinstance(nested_errors, ErrorDetail) and nested_errors.code else "invalid"
        yield RequestFault(parent_path, code.replace("_", "-"), str(nested_errors))


def _join_fault_path(loc: str, name: str) -> str:
    return f"{loc}.{name}" if loc else name


def convert_form_errors(form: BaseForm, field_names: Mapping[str, str] | None = None) -> ValidationError:
    """The errors of a page's form as a ValidationError of the API. field_names: {field of the form: its name there}."""
    names = {"__all__": "non_field_errors", **(field_names or {})}
    return ValidationError({names.get(name, name): list(map(str, errors)) for name, errors in form.errors.items()})
