"""The log of a server: every attempt as a line of JSON, for its team to keep and to search."""

import json
from collections.abc import Iterator

from servers.inside import Reader, shown_articles
from servers.masking import masked
from servers.models import Attempt, Server

BATCH = 500


def lines(server: Server, reader: Reader) -> Iterator[str]:
    """One object a line, the oldest attempt first, a batch at a time: any number of them needs little memory."""
    last = 0
    while batch := batch_after(server, last):
        names = shown_articles([attempt.call for attempt in batch], reader)
        for attempt in batch:
            yield json.dumps(entry(attempt, names[attempt.call_id].label), ensure_ascii=False) + "\n"
        last = batch[-1].pk


def batch_after(server: Server, last: int) -> list[Attempt]:
    attempts = Attempt.objects.filter(server=server, pk__gt=last).select_related("call__article", "call__queue")
    large = [f"call__article__{name}" for name in ("text", "passages", "metadata")]
    return list(attempts.defer("request", "answer", *large).order_by("pk")[:BATCH])


def entry(attempt: Attempt, article: str) -> dict[str, object]:
    """What happened in one attempt, secrets masked; seconds of each phase of its time."""
    return {
        "attempt": attempt.pk,
        "article": article,
        "mode": attempt.call.queue.mode,
        "queue": attempt.call.queue.name,
        "try": attempt.number,
        "started": attempt.started.isoformat(),
        "finished": attempt.finished.isoformat() if attempt.finished else None,
        "outcome": attempt.outcome,
        "diagnosis": attempt.diagnosis,
        "message": masked(attempt.message),
        "phases": attempt.phases,
        "broken_rules": attempt.broken_rules,
    }
