"""A server with a past: one article answered, one that broke rules and waits again, one that failed, one under way."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from django.db.models import F

from annotations.articles.models import Article
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.models import Attempt, AttemptBody, Batch, Call, Queue
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState

BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script>"


def articles(first: int, number: int) -> list[Article]:
    return [
        Article.objects.create(
            pmid=pmid, passages=[{"type": "title", "text": "CDH1"}], text="CDH1", content_hash="0" * 64
        )
        for pmid in range(first, first + number)
    ]


def create_timed_attempt(
    call: Call, outcome: Outcome, seconds: float | None, body: Mapping[str, bytes] | None = None, **fields: object
) -> Attempt:
    attempt = Attempt.objects.create(call=call, server=call.server, number=1, outcome=outcome, **fields)
    ended = BEGAN + timedelta(seconds=seconds) if seconds is not None else None
    Attempt.objects.filter(pk=attempt.pk).update(started=BEGAN, finished=ended)
    if body is not None:
        AttemptBody.objects.create(attempt=attempt, started=BEGAN, **body)
    return attempt


def put_in_flight(*calls: Call, state: CallState = CallState.ASKING) -> Batch:
    """As if the server had been sent these calls with one request."""
    batch = Batch.objects.create(server_id=calls[0].server_id)
    Call.objects.filter(pk__in=[call.pk for call in calls]).update(
        state=state, batch=batch, begun_attempts=F("begun_attempts") + 1
    )
    return batch


def give_past(server: Server) -> Queue:
    """Online, four articles in the LIVE queue, each in another state."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(20000001, 4)])
    answered, broke, failed, asking = queue.calls.order_by("pk")
    answer(answered)
    create_timed_attempt(
        broke,
        Outcome.INVALID,
        1.5,
        diagnosis="R104",
        message="1 rule(s) broken. First: mentions[0].offset: It is outside. Count from 0.",
        broken_rules=[
            {"code": "R104", "where": "mentions[0].offset", "message": f"Outside {HOSTILE}.", "mend": "Count from 0."}
        ],
        phases={"connect": 0.25, "wait": 1.25},
        body={
            "request": b"POST / HTTP/1.1\r\nAuthorization: Basic c2VjcmV0\r\n\r\n<methodCall/>",
            "answer": HOSTILE.encode(),
        },
    )
    Call.objects.filter(pk=broke.pk).update(tries=1, reason="The offset is outside the text.")
    create_timed_attempt(failed, Outcome.CONNECTION, 0.5, diagnosis="refused", message="Refused. Is it running?")
    Call.objects.filter(pk=failed.pk).update(state=CallState.FAILED, finished=BEGAN)
    put_in_flight(asking)
    create_timed_attempt(asking, Outcome.UNDER_WAY, None)
    Server.objects.filter(pk=server.pk).update(state=ServerState.ONLINE, version=41)
    return queue


def answer(call: Call) -> None:
    create_timed_attempt(call, Outcome.ANSWERED, 2.0)
    Call.objects.filter(pk=call.pk).update(state=CallState.ANSWERED, finished=BEGAN)
    finding = AnnotationData(Kind.MENTION, start=0, end=4, text="CDH1", confidence=0.5)
    by_kind = {Kind.MENTION: [finding], Kind.NORMALIZATION: []}
    store_results_superseding_earlier(call.article, call.queue.producer, by_kind, call_id=call.pk, duration_seconds=2.0)
