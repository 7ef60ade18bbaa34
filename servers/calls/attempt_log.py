"""The downloadable log of a server: every attempt as one line of JSON."""

import json
from collections.abc import Iterator

from servers.calls.dashboard import DashboardReader, label_articles_by_call_opaque_if_hidden
from servers.calls.models import Attempt
from servers.calls.secret_masking import mask_secrets
from servers.registry.models import Server

BATCH = 500


def iter_attempt_log_json_lines(server: Server, viewer: DashboardReader) -> Iterator[str]:
    """One JSON object per line, oldest attempt first. Reads in batches, so that a long log needs little memory."""
    last_id = 0
    while batch := _read_attempt_batch(server, last_id):
        names = label_articles_by_call_opaque_if_hidden([attempt.call for attempt in batch], viewer)
        for attempt in batch:
            yield json.dumps(_build_log_entry(attempt, names[attempt.call_id].label), ensure_ascii=False) + "\n"
        last_id = batch[-1].pk


def _read_attempt_batch(server: Server, last_id: int) -> list[Attempt]:
    """The next attempts after the one with this id, without the large fields of their articles."""
    attempts = Attempt.objects.filter(server=server, pk__gt=last_id).select_related("call__article", "call__queue")
    large_fields = [f"call__article__{name}" for name in ("text", "passages", "metadata")]
    return list(attempts.defer(*large_fields).order_by("pk")[:BATCH])


def _build_log_entry(attempt: Attempt, article: str) -> dict[str, object]:
    """One attempt as a log entry, with secrets masked; phases are in seconds."""
    return {
        "attempt": attempt.pk,
        "article": article,
        "mode": attempt.call.queue.mode,
        "queue": attempt.call.queue.name,
        "try": attempt.number,
        "articles_in_request": attempt.articles_in_request,
        "started": attempt.started.isoformat(),
        "finished": attempt.finished.isoformat() if attempt.finished else None,
        "outcome": attempt.outcome,
        "diagnosis": attempt.diagnosis,
        "message": mask_secrets(attempt.message),
        "phases": attempt.phases,
        "broken_rules": attempt.broken_rules,
    }
