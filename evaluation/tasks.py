"""Background tasks of this app. Each holds an advisory lock, so that only one worker runs it at a time.

Errors in code that handles gold standards are logged without their messages, which could quote them.
"""

import logging

from celery import shared_task
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from annotations.advisory_locks import try_advisory_lock
from evaluation.archives import jobs
from evaluation.archives.models import ChallengeArchive
from evaluation.calibration import stored_calibrations
from evaluation.challenges.announcements import phase_news
from evaluation.challenges.announcements import publishing as announcing
from evaluation.challenges.discussion import digest
from evaluation.challenges.dry_run.setup_checks import WORKER_KEY_CACHE_KEY
from evaluation.challenges.phases import lifecycle, meta_server_errors, reminders
from evaluation.challenges.publication import publishing
from evaluation.errors import SealError, format_traceback_without_message
from evaluation.gold.sealing import compute_key_fingerprint
from evaluation.leaderboards import ranking_tests
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.models import Upload
from evaluation.runs.uploads.outcome_news import mail_due_first_scores
from evaluation.scoring import nonexistent_identifiers, run_scores
from evaluation.scoring.stale_scores import list_runs_due_for_scoring

log = logging.getLogger(__name__)
# Keys of the advisory locks. PostgreSQL releases a lock when the connection of its worker ends.
SCORING_LOCK = 20_100_307
PUBLISHING_LOCK = 20_100_315
RANKING_LOCK = 20_100_314
WORKER_KEY_SECONDS = 60
UPLOADS_LOCK = 20_100_316
CALIBRATING_LOCK = 20_100_313
ARCHIVING_LOCK = 20_100_318
ANNOUNCING_LOCK = 20_100_331


@shared_task(name="evaluation.tasks.score_due_runs_after_cleaning_unless_busy")
def score_due_runs_after_cleaning_unless_busy() -> str:
    """Score every run whose annotations or gold standard have changed since its score."""
    with try_advisory_lock(SCORING_LOCK) as free:
        if not free:
            return "busy"
        nonexistent_identifiers.delete_servers_nonexistent_identifiers_from_unpublished_tests()
        runs = list_runs_due_for_scoring()
        scored = [run for run in runs if _try_score_run(run)]
        mail_due_first_scores()
        return f"{len(scored)} of {len(runs)} scored"


def _try_score_run(run: Run) -> bool:
    """False and an entry in the log if the run cannot be scored, so that other runs are."""
    try:
        run_scores.compute_and_store_run_scores(run)
    except SealError as error:
        log.error("Run %s could not be scored: %s", run.pk, error)
        return False
    except Exception as error:  # noqa: BLE001 - logged without its message
        log.error("Unexpected error: run %s could not be scored\n%s", run.pk, format_traceback_without_message(error))
        return False
    return True


@shared_task(name="evaluation.tasks.rank_stale_boards_unless_busy")
def rank_stale_boards_unless_busy() -> str:
    """Run the paired tests of every leaderboard whose scores have changed."""
    with try_advisory_lock(RANKING_LOCK) as free:
        if not free:
            return "busy"
        return f"{sum(map(_try_rank_board, ranking_tests.list_boards_with_outdated_rankings()))} ranked"


def _try_rank_board(board: ranking_tests.StaleBoard) -> int:
    """The number of rankings; 0 and an entry in the log if the leaderboard cannot be ranked, so that others are."""
    try:
        return ranking_tests.store_rankings_of_stale_board(board)
    except Exception as error:  # noqa: BLE001 - logged without its message
        log.error(
            "Unexpected error: %s of phase %s could not be ranked\n%s",
            board.task,
            board.phase.pk,
            format_traceback_without_message(error),
        )
        return 0


@shared_task(name="evaluation.tasks.publish_requested_phases_and_tasks_unless_busy")
def publish_requested_phases_and_tasks_unless_busy() -> str:
    """Publish the phases and tasks that organizers requested. Only the scoring worker has the key that this needs."""
    with try_advisory_lock(PUBLISHING_LOCK) as free:
        if not free:
            return "busy"
        _publish_worker_key_fingerprint()
        try:
            return f"{publishing.unseal_and_publish_requested_phases_and_tasks()} published"
        except Exception as error:  # noqa: BLE001 - logged without its message
            log.error(
                "Unexpected error: requested phases could not be published\n%s",
                format_traceback_without_message(error),
            )
            return "failed"


def _publish_worker_key_fingerprint() -> None:
    """Tell the dry run of a challenge that the scoring worker is running, and with which key."""
    if settings.GOLD_PRIVATE_KEY is not None:
        cache.set(
            WORKER_KEY_CACHE_KEY, compute_key_fingerprint(settings.GOLD_PRIVATE_KEY.public_key()), WORKER_KEY_SECONDS
        )


@shared_task(name="evaluation.tasks.begin_or_end_phases_and_remind")
def begin_or_end_phases_and_remind() -> str:
    """Begin and end phases whose date has come, and mail teams whose phase ends soon and organizers about errors."""
    now = timezone.now()
    changed = lifecycle.begin_end_phases_and_publish_due_runs(now)
    mails = reminders.mail_teams_once_before_phase_ends(now)
    mails += meta_server_errors.mail_organizers_once_per_failing_server(now)
    return f"{changed} begun or ended, {mails} mails"


@shared_task(name="evaluation.tasks.calibrate_stale_runs_unless_busy")
def calibrate_stale_runs_unless_busy() -> str:
    """Learn calibrations from the training runs of servers whose annotations have changed."""
    with try_advisory_lock(CALIBRATING_LOCK) as free:
        if not free:
            return "busy"
        runs = stored_calibrations.list_server_training_runs_to_calibrate()
        return f"{sum(map(_try_calibrate_run, runs))} of {len(runs)} calibrated"


def _try_calibrate_run(run: Run) -> bool:
    """False and an entry in the log if nothing can be learned, so that other runs are calibrated."""
    try:
        stored_calibrations.learn_and_store_run_calibration(run)
    except Exception as error:  # noqa: BLE001 - logged without its message
        log.error(
            "Unexpected error: run %s could not be calibrated\n%s", run.pk, format_traceback_without_message(error)
        )
        return False
    return True


@shared_task(name="evaluation.tasks.process_run_uploads_unless_busy")
def process_run_uploads_unless_busy() -> str:
    """Check and store the runs that teams uploaded."""
    with try_advisory_lock(UPLOADS_LOCK) as free:
        if not free:
            return "busy"
        return ", ".join(_try_process_upload(upload) for upload in intake.list_open_run_uploads()) or "none"


def _try_process_upload(upload: Upload) -> str:
    """The outcome as text. An upload that cannot be processed is marked as failed, so that others are processed."""
    try:
        return intake.process_open_upload_or_fail_after_attempts(upload)
    except Exception:
        log.exception("Unexpected error: upload %s could not be processed", upload.pk)
        return intake.mark_upload_failed_if_open(upload)


@shared_task(name=jobs.MAKE_ARCHIVES_TASK)
def make_requested_archives_unless_busy() -> str:
    """Make the archives that organizers requested."""
    with try_advisory_lock(ARCHIVING_LOCK) as free:
        if not free:
            return "busy"
        return ", ".join(_try_make_archive(archive) for archive in jobs.list_unfinished_archives()) or "none"


def _try_make_archive(archive: ChallengeArchive) -> str:
    """The outcome as text. An archive that cannot be made is marked as failed, so that others are made."""
    try:
        return jobs.make_archive_unless_attempts_used_up(archive)
    except Exception:
        log.exception("Unexpected error: the archive of %s could not be made", archive.challenge)
        return jobs.delete_pieces_and_mark_archive_failed(archive)


@shared_task(name=announcing.MAIL_ANNOUNCEMENTS_TASK)
def mail_announcements_unless_busy() -> str:
    """Write the mails of new announcements, about phases, and the daily ones about discussions."""
    with try_advisory_lock(ANNOUNCING_LOCK) as free:
        if not free:
            return "busy"
        mails = announcing.write_mails_of_announcements()
        mails += phase_news.mail_phase_news() + digest.mail_due_digests(timezone.now())
        return f"{mails} mails"
