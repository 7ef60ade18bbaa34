"""Give each request an id, and log each request under it."""

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from bcms.lib.request_ids import REQUEST_ID, bind_request_id, make_request_id

log = logging.getLogger(__name__)
# Monitoring asks for them several times a minute.
UNLOGGED_PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
HEADER = "X-Request-ID"


class RequestIdMiddleware:
    """Binds the id that a trusted proxy gave or a new one, returns it in X-Request-ID, and logs the response.

    The log names the pattern of the URL, since some URLs contain keys.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = _get_id_of_proxy(request) or make_request_id()
        with bind_request_id(request_id):
            started = time.perf_counter()
            response = self.get_response(request)
            response.headers[HEADER] = request_id
            if request.path not in UNLOGGED_PATHS:
                _log_response(request, response, time.perf_counter() - started)
        return response


def _get_id_of_proxy(request: HttpRequest) -> str:
    """The id of the proxy before the site; empty if there is no proxy, or if the id has another form."""
    given = request.headers.get(HEADER, "") if settings.BEHIND_PROXY else ""
    return given if REQUEST_ID.fullmatch(given) else ""


def _log_response(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    matched = request.resolver_match
    route = f"/{matched.route}" if matched is not None else "no such URL"
    facts = {"method": request.method, "route": route, "status": response.status_code, "seconds": round(seconds, 4)}
    level = logging.WARNING if response.status_code >= 500 else logging.INFO
    log.log(level, "%s %s %d", request.method, route, response.status_code, extra=facts)
