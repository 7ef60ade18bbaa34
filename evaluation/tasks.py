import logging
from collections.abc import Iterator
from contextlib import contextmanager

from celery import shared_task
from django.db import connection

from evaluation import scoring
from evaluation.models import Run

log = logging.getLogger(__name__)
# The advisory lock under which runs are scored: one task at a time, set free by the database if its worker dies.
SCORING_LOCK = 20_100_307


@shared_task(name="evaluation.tasks.score_stale_runs")
def score_stale_runs() -> str:
    """Score every run that has answers newer than its score. A run that cannot be scored stops none of the others."""
    with alone() as free:
        if not free:
            return "busy"
        runs = scoring.stale_runs()
        return f"{sum(map(scored, runs))} of {len(runs)} scored"


def scored(run: Run) -> bool:
    try:
        scoring.score_run(run)
    except Exception:
        log.exception("Our fault: run %s (%s) could not be scored", run.pk, run)
        return False
    return True


@contextmanager
def alone() -> Iterator[bool]:
    """Whether nobody else scores now; the lock is kept until the end of the block."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [SCORING_LOCK])
        (free,) = cursor.fetchone()
    try:
        yield free
    finally:
        if free:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [SCORING_LOCK])
