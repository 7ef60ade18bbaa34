import logging

from celery import shared_task

from annotations.locking import alone
from evaluation import runs, scoring
from evaluation.calibrations import fitting
from evaluation.models import Run, Upload

log = logging.getLogger(__name__)
# The advisory lock under which runs are scored: one task at a time, set free by the database if its worker dies.
SCORING_LOCK = 20_100_307
RANKING_LOCK = 20_100_314
TAKING_LOCK = 20_100_309
CALIBRATING_LOCK = 20_100_313


@shared_task(name="evaluation.tasks.score_stale_runs")
def score_stale_runs() -> str:
    """Score every run that has answers newer than its score. A run that cannot be scored stops none of the others."""
    with alone(SCORING_LOCK) as free:
        if not free:
            return "busy"
        runs = scoring.stale_runs()
        return f"{sum(map(scored, runs))} of {len(runs)} scored"


@shared_task(name="evaluation.tasks.rank_stale_boards")
def rank_stale_boards() -> str:
    """Compare the runs of every board that has newer scores. A board that cannot be ranked stops none of the others."""
    with alone(RANKING_LOCK) as free:
        if not free:
            return "busy"
        return f"{sum(map(ranked, rankings.stale_boards()))} ranked"


def ranked(board: rankings.Stale) -> int:
    try:
        return rankings.rank_board(board)
    except Exception:
        log.exception("Our fault: %s of phase %s could not be ranked", board.task, board.phase.pk)
        return 0


def scored(run: Run) -> bool:
    try:
        scoring.score_run(run)
    except Exception:
        log.exception("Our fault: run %s (%s) could not be scored", run.pk, run)
        return False
    return True


@shared_task(name="evaluation.tasks.calibrate_stale_runs")
def calibrate_stale_runs() -> str:
    """Learn from every server's run in training that has answers newer than what was learned from it."""
    with alone(CALIBRATING_LOCK) as free:
        if not free:
            return "busy"
        runs = fitting.stale()
        return f"{sum(map(calibrated, runs))} of {len(runs)} learned from"


def calibrated(run: Run) -> bool:
    try:
        fitting.fit(run)
    except Exception:
        log.exception("Our fault: nothing could be learned from run %s", run.pk)
        return False
    return True


@shared_task(name="evaluation.tasks.take_uploads")
def take_uploads() -> str:
    """Check and store the runs that teams uploaded, one after the other; one that fails holds up none of the others."""
    with alone(TAKING_LOCK) as free:
        if not free:
            return "busy"
        return ", ".join(taken(own) for own in runs.waiting()) or "none"


def taken(own: Upload) -> str:
    try:
        return runs.take(own)
    except Exception:
        log.exception("Our fault: upload %s could not be taken in", own.pk)
        return runs.fail(own)
