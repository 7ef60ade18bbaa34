"""Health check for load balancers, docker-compose and people."""

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache


@never_cache
def show_health(request: HttpRequest) -> JsonResponse:
    """The states of the database and the broker, with status 503 if one is unreachable."""
    states = {"database": _probe_database(), "broker": _probe_broker()}
    return JsonResponse(states, status=200 if set(states.values()) == {"ok"} else 503)


def _probe_database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "unreachable"
    return "ok"


def _probe_broker() -> str:
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as broker:
            broker.ping()
    except redis.RedisError:
        return "unreachable"
    return "ok"
