"""Count and time the requests, for /metrics."""

import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from bcms.metrics.requests import count_request


class RequestMetricsMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        response = self.get_response(request)
        count_request(request, response, time.perf_counter() - started)
        return response
