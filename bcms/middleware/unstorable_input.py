"""Answer 400 instead of 500 when the database refuses a value of the request."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bcms.lib.database_errors.unstorable_input import SENTENCE, is_unstorable_input_error

log = logging.getLogger(__name__)


class UnstorableInputMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not is_unstorable_input_error(error):
            return None
        log.warning("A value of a request to %s was refused by the database", request.path, exc_info=error)
        return render(request, "bad_request.html", {"sentence": SENTENCE}, status=400)
