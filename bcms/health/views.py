"""The states of the site for load balancers, docker-compose, monitoring and people."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from bcms.health.readiness import OK, probe_readiness, probe_services


@never_cache
def show_health(request: HttpRequest) -> JsonResponse:
    """Whether this process can serve pages: the states of the database and the broker, with status 503 if one fails."""
    return _build_response(probe_services())


@never_cache
@require_safe
def show_readiness(request: HttpRequest) -> JsonResponse:
    """Whether the whole site does its work, with status 503 if a part of it does not."""
    return _build_response(probe_readiness())


def _build_response(states: dict[str, str]) -> JsonResponse:
    return JsonResponse(states, status=200 if set(states.values()) == {OK} else 503)
