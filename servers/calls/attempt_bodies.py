"""The request and the answer of each attempt, in a table of their own, because they are kept for a shorter time."""

from typing import Any

from django.db import connection

from servers.calls.models import Attempt

# A body that is stored again replaces the first, of an attempt with a deferred answer all but the request.
STORE_BODY = """
INSERT INTO servers_attemptbody (attempt_id, started, request, answer)
VALUES (%(attempt)s, %(started)s, %(request)s, %(answer)s)
ON CONFLICT (attempt_id, started) DO UPDATE SET
    request = CASE WHEN %(with_request)s THEN excluded.request ELSE servers_attemptbody.request END,
    answer = excluded.answer
"""
BODY_TYPES = {
    "attempt": "bigint",
    "started": "timestamptz",
    "request": "bytea",
    "answer": "bytea",
    "with_request": "boolean",
}


def build_body_values(attempt: Attempt, request: bytes | None, answer: bytes) -> dict[str, Any]:
    """The parameters of STORE_BODY; request None keeps the request that is stored."""
    return {
        "attempt": attempt.pk,
        "started": attempt.started,
        "request": request or b"",
        "answer": answer,
        "with_request": request is not None,
    }


def store_attempt_body(attempt: Attempt, request: bytes, answer: bytes) -> None:
    """Store what was sent and received, in place of what is stored."""
    with connection.cursor() as cursor:
        cursor.execute(STORE_BODY, build_body_values(attempt, request, answer))
