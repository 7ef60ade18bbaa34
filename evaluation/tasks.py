import logging
import traceback

from celery import shared_task
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from annotations.locking import alone
from evaluation import dropping, phases, publishing, rankings, reminding, runs, scoring
from evaluation.archives import making
from evaluation.archives.models import ChallengeArchive
from evaluation.calibrations import fitting
from evaluation.dry_run import KEY_OF_WORKER
from evaluation.models import Run, Upload
from evaluation.sealing import SealError, fingerprint

log = logging.getLogger(__name__)
# The advisory lock under which runs are scored: one task at a time, set free by the database if its worker dies.
SCORING_LOCK = 20_100_307
PUBLISHING_LOCK = 20_100_315
RANKING_LOCK = 20_100_314
SEEN_SECONDS = 60
TAKING_LOCK = 20_100_316
CALIBRATING_LOCK = 20_100_313
ARCHIVING_LOCK = 20_100_318


@shared_task(name="evaluation.tasks.score_stale_runs")
def score_stale_runs() -> str:
    """Score every run whose answers are newer than its score, or fewer. A run that cannot be scored stops no other."""
    with alone(SCORING_LOCK) as free:
        if not free:
            return "busy"
        dropping.drop_absent()
        runs = scoring.stale_runs()
        return f"{sum(map(scored, runs))} of {len(runs)} scored"


def scored(run: Run) -> bool:
    try:
        scoring.score_run(run)
    except SealError as error:
        log.error("Run %s could not be scored: %s", run.pk, error)
        return False
    except Exception as error:  # noqa: BLE001 - logged without its words
        log.error("Our fault: run %s could not be scored\n%s", run.pk, where(error))
        return False
    return True


def where(error: Exception) -> str:
    """Where an error arose and of which type it is; not what it says, as it may quote a gold standard."""
    return "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__


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
    except Exception as error:  # noqa: BLE001 - logged without its words
        log.error("Our fault: %s of phase %s could not be ranked\n%s", board.task, board.phase.pk, where(error))
        return 0


@shared_task(name="evaluation.tasks.publish_asked")
def publish_asked() -> str:
    """Open and publish what organizers asked for; in the scoring worker, which alone has the key."""
    with alone(PUBLISHING_LOCK) as free:
        if not free:
            return "busy"
        show_key()
        try:
            return f"{publishing.publish_asked()} published"
        except Exception as error:  # noqa: BLE001 - logged without its words
            log.error("Our fault: what is to be published could not be\n%s", where(error))
            return "our fault"


def show_key() -> None:
    """Let the dry run of a challenge know that the scoring worker is there, and by its fingerprint with which key."""
    if settings.GOLD_PRIVATE_KEY is not None:
        cache.set(KEY_OF_WORKER, fingerprint(settings.GOLD_PRIVATE_KEY.public_key()), SEEN_SECONDS)


@shared_task(name="evaluation.tasks.turn_phases")
def turn_phases() -> str:
    """Begin and end phases, and remind teams of ends that are near."""
    now = timezone.now()
    return f"{phases.turn(now)} turned, {reminding.remind(now)} reminded"


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
    except Exception as error:  # noqa: BLE001 - logged without its words
        log.error("Our fault: nothing could be learned from run %s\n%s", run.pk, where(error))
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


@shared_task(name=making.MAKE)
def make_archives() -> str:
    """Make the archives that organizers asked for, one after the other."""
    with alone(ARCHIVING_LOCK) as free:
        if not free:
            return "busy"
        return ", ".join(archived(own) for own in making.to_make()) or "none"


def archived(own: ChallengeArchive) -> str:
    try:
        return making.make(own)
    except Exception:
        log.exception("Our fault: the archive of %s could not be made", own.challenge)
        return making.give_up(own)
