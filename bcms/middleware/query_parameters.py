"""Refuse query parameters that a resource of the API does not have.

Ignored, a misspelt filter would match everything, and its answer would look like the one that was asked for.
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.views import APIView

from bcms.api.views import UnknownApiAddress
from bcms.lib.rest.problems import make_validation_problem_response
from bcms.lib.rest.query_parameters import list_query_parameters, refuse_unknown_parameters


class QueryParameterMiddleware:
    """Answers 400, and names each unknown parameter, when a resource is read."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        view_class: Any = getattr(view, "cls", None)
        if request.method not in SAFE_METHODS or not _is_resource(view_class):
            return None
        try:
            refuse_unknown_parameters(request.GET, list_query_parameters(view_class))
        except ValidationError as error:
            return make_validation_problem_response(request.path, error)
        return None


def _is_resource(view_class: Any) -> bool:
    return isinstance(view_class, type) and issubclass(view_class, APIView) and view_class is not UnknownApiAddress
