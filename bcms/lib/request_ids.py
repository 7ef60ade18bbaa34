"""The id of a request, which follows what it causes: pages, tasks, calls and their attempts name it in their logs.

It is kept per thread. A task that a request enqueues carries it (bcms/celery.py), and a call stores it, so that a
worker continues with the id of the reader's request.
"""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

REQUEST_ID_FIELD = "request_id"
REQUEST_ID_LENGTH = 32
REQUEST_ID = re.compile(f"[0-9a-f]{{{REQUEST_ID_LENGTH}}}")


def make_request_id() -> str:
    """32 hexadecimal digits, in the form that nginx gives as $request_id."""
    return secrets.token_hex(REQUEST_ID_LENGTH // 2)


def get_request_id() -> str:
    """The id that what happens in this thread belongs to; empty if there is none."""
    bound = structlog.contextvars.get_contextvars().get(REQUEST_ID_FIELD, "")
    return str(bound)


@contextmanager
def bind_request_id(request_id: str) -> Iterator[None]:
    """Let what happens inside belong to this id. With an empty one, nothing changes."""
    if not request_id:
        yield
        return
    with structlog.contextvars.bound_contextvars(**{REQUEST_ID_FIELD: request_id}):
        yield
