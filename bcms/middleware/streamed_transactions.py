"""Keep one connection behind a pooler while an answer is read from the database piece by piece.

What the pieces are made of is read by cursors in the database, which end with their transaction. Without a pooler they
outlive it, and no transaction is held while the client reads.
"""

from collections.abc import Callable, Iterable, Iterator

from django.db import connection, transaction
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase


class StreamedTransactionMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_read_from_primary = (
            isinstance(response, StreamingHttpResponse)
            and not isinstance(response, FileResponse)
            and not getattr(response, "is_read_from_replica", False)
        )
        if is_read_from_primary and connection.settings_dict.get("POOLED"):
            response.streaming_content = _iterate_in_transaction(response.streaming_content)  # type: ignore[attr-defined]
        return response


def _iterate_in_transaction(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces; the transaction ends after the last one, or when the client has gone."""
    with transaction.atomic():
        yield from pieces
