"""Answer 404 instead of 500 when a row was deleted while a request used it."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bcms.lib.database_errors.deleted_rows import SENTENCE, is_deleted_row_error

log = logging.getLogger(__name__)


class DeletedRowMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not is_deleted_row_error(error):
            return None
        # As an error: code that expects a row which never was there fails in the same way, and nobody else notices.
        log.error("A row was not there during a request to %s", request.path, exc_info=error)
        return render(request, "404.html", {"sentence": SENTENCE}, status=404)
