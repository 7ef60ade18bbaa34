"""The Celery tasks of the site itself: mail, accounts, requested articles, article uploads, data sets
and manuscripts.
"""

import logging

from celery import shared_task
from django.utils import timezone

from annotations.advisory_locks import try_advisory_lock
from annotations.articles.entrez.pacing import make_entrez_client
from annotations.curation.manuscripts.publication import publish_due_manuscripts
from annotations.data_sets.withdrawal import delete_annotations_of_withdrawn_data_sets
from bcms.accounts import unconfirmed_accounts
from bcms.article_requests import fetching
from bcms.article_requests.request_queue import FETCH_TASK, FETCHING_LOCK
from bcms.article_uploads import upload_processing
from bcms.corpus_files import processing as corpus_file_processing
from bcms.data_sets import building_job
from bcms.data_sets.creation import BUILD_TASK
from bcms.draft_archives import processing as draft_archive_processing
from bcms.health.heartbeats import SCHEDULER, write_heartbeat
from bcms.mail import outbox
from bcms.manuscripts.author_mail import remind_authors_of_due_manuscripts
from bcms.operations import clock_changes, retention
from bcms.visitor_pages import changes
from bcms.weekly_report import mailing as weekly_reports
from evaluation.curation.sealing import is_record_publishable
from evaluation.errors import format_traceback_without_message

log = logging.getLogger(__name__)


@shared_task(name="bcms.tasks.write_heartbeat_of_scheduler")
def write_heartbeat_of_scheduler() -> None:
    """Store that the scheduler, which enqueued this task, is alive."""
    write_heartbeat(SCHEDULER)


@shared_task(name="bcms.tasks.look_at_clock_of_database")
def look_at_clock_of_database() -> float:
    """Shorten what waits if the clock of the database went back; returns by how many seconds."""
    return clock_changes.bring_waits_forward_if_clock_went_back().total_seconds()


@shared_task(name="bcms.tasks.delete_due_rows_unless_busy")
def delete_due_rows_unless_busy() -> dict[str, int]:
    """Delete what retention says is due; returns the numbers by name."""
    return retention.delete_due_rows_unless_busy(timezone.now())


@shared_task(name="bcms.tasks.unite_visitor_changes")
def unite_visitor_changes() -> int:
    """Unite the counted changes of what visitors see; returns how many rows there were, 0 if few enough."""
    return changes.unite_changes()


@shared_task(name=outbox.SEND_MAIL_TASK)
def send_mail_or_retry_later(mail_id: int) -> str:
    return outbox.send_and_delete_due_mail_or_put_off(mail_id)


@shared_task(name="bcms.tasks.enqueue_all_due_mail")
def enqueue_all_due_mail() -> int:
    """Enqueue all mail that is due, in case the broker lost its task; returns how many."""
    mail_ids = list(outbox.list_due_mail().values_list("pk", flat=True))
    for mail_id in mail_ids:
        outbox.enqueue_mail_after_commit(mail_id)
    return len(mail_ids)


@shared_task(name="bcms.tasks.delete_long_unconfirmed_unused_accounts")
def delete_long_unconfirmed_unused_accounts() -> int:
    """Delete accounts that were never confirmed, so that their addresses and names are free again."""
    return unconfirmed_accounts.delete_old_unconfirmed_unused_accounts()


@shared_task(name=FETCH_TASK)
def answer_all_article_requests_unless_locked() -> int:
    """Fetch the articles that visitors requested until no request is open; returns how many were answered."""
    answered = 0
    with try_advisory_lock(FETCHING_LOCK) as acquired:
        while acquired and (
            count := fetching.answer_oldest_open_article_requests(
                make_entrez_client(fetching.ENTREZ_WAITS, fetching.ENTREZ_SECONDS)
            )
        ):
            answered += count
    return answered


@shared_task(name=upload_processing.READ_UPLOAD_TASK)
def store_or_refuse_article_upload_unless_busy(upload_id: int) -> str:
    return upload_processing.store_or_refuse_upload_unless_busy(upload_id)


@shared_task(name="bcms.tasks.enqueue_open_article_uploads")
def enqueue_open_article_uploads() -> int:
    """Enqueue uploads whose worker died or whose task was lost; returns how many."""
    upload_ids = upload_processing.list_open_uploads()
    for upload_id in upload_ids:
        store_or_refuse_article_upload_unless_busy.delay(upload_id)
    return len(upload_ids)


@shared_task(name=corpus_file_processing.PROCESS_TASK)
def process_corpus_file_unless_busy(challenge_id: int) -> str:
    return corpus_file_processing.read_or_set_up_unless_busy(challenge_id, sealed=False)


@shared_task(name=corpus_file_processing.PROCESS_SEALED_TASK)
def process_sealed_corpus_file_unless_busy(challenge_id: int) -> str:
    """The same in the scoring worker; errors in code are logged without their messages, which could quote the file."""
    try:
        return corpus_file_processing.read_or_set_up_unless_busy(challenge_id, sealed=True)
    except Exception as error:  # noqa: BLE001 - logged without its message
        without_message = format_traceback_without_message(error)
        log.error("Unexpected error: the corpus file of challenge %s failed\n%s", challenge_id, without_message)
        return "failed"


@shared_task(name=draft_archive_processing.PROCESS_TASK)
def create_draft_from_archive_unless_busy(archive_id: int) -> str:
    """In the scoring worker; errors in code are logged without their messages, which could quote the archive."""
    try:
        return draft_archive_processing.process_draft_archive_unless_busy(archive_id)
    except Exception as error:  # noqa: BLE001 - logged without its message
        without_message = format_traceback_without_message(error)
        log.error("Unexpected error: the archive %s of a challenge failed\n%s", archive_id, without_message)
        return "failed"


@shared_task(name="bcms.tasks.enqueue_waiting_draft_archives")
def enqueue_waiting_draft_archives() -> int:
    """Enqueue archives whose worker died or whose task was lost; returns how many."""
    archives = draft_archive_processing.list_waiting_draft_archives()
    for archive in archives:
        create_draft_from_archive_unless_busy.delay(archive)
    return len(archives)


@shared_task(name="bcms.tasks.enqueue_waiting_corpus_files")
def enqueue_waiting_corpus_files() -> int:
    """Enqueue corpus files whose worker died or whose task was lost; returns how many."""
    files = corpus_file_processing.list_waiting_corpus_files()
    for file in files:
        task = process_sealed_corpus_file_unless_busy if file.is_sealed else process_corpus_file_unless_busy
        task.delay(file.pk)
    return len(files)


# Advisory lock: only one worker at a time writes weekly reports.
REPORTS_LOCK = 20_100_332


@shared_task(name="bcms.tasks.mail_weekly_reports_unless_busy")
def mail_weekly_reports_unless_busy() -> int:
    """Write the weekly reports that are due; returns how many."""
    with try_advisory_lock(REPORTS_LOCK) as acquired:
        return weekly_reports.mail_due_reports(timezone.now()) if acquired else 0


# Advisory lock: only one worker at a time looks for outdated data sets.
OUTDATED_LOCK = 20_100_317


@shared_task(name=BUILD_TASK)
def build_data_set_requeueing_unless_busy(data_set_id: int) -> str:
    """Build a data set for a while, and run again if more of it remains."""
    outcome = building_job.build_slice_unless_busy(data_set_id)
    if outcome == "more":
        build_data_set_requeueing_unless_busy.delay(data_set_id)
    return outcome


@shared_task(name="bcms.tasks.enqueue_data_sets_to_build")
def enqueue_data_sets_to_build() -> int:
    """Enqueue data sets whose worker died or whose task was lost; returns how many."""
    data_set_ids = building_job.list_data_sets_to_build()
    for data_set_id in data_set_ids:
        build_data_set_requeueing_unless_busy.delay(data_set_id)
    return len(data_set_ids)


@shared_task(name="bcms.tasks.sweep_data_sets_unless_busy")
def sweep_data_sets_unless_busy() -> int:
    """Find the data sets that have changed, and delete the annotations of withdrawn ones; returns how many changed."""
    with try_advisory_lock(OUTDATED_LOCK) as acquired:
        if not acquired:
            return 0
        while delete_annotations_of_withdrawn_data_sets():
            pass
        return building_job.mark_outdated_data_sets()


# Advisory lock: only one worker at a time publishes manuscripts.
MANUSCRIPTS_LOCK = 20_100_321
# Advisory lock: only one worker at a time reminds authors.
REMINDERS_LOCK = 20_100_322


@shared_task(name="bcms.tasks.publish_due_manuscripts_unless_busy")
def publish_due_manuscripts_unless_busy() -> int:
    """Publish the manuscripts whose day has come; returns how many."""
    with try_advisory_lock(MANUSCRIPTS_LOCK) as acquired:
        return publish_due_manuscripts(timezone.now(), is_record_publishable) if acquired else 0


@shared_task(name="bcms.tasks.remind_authors_unless_busy")
def remind_authors_unless_busy() -> int:
    """Remind the authors who have not finished their manuscripts for a week; returns how many."""
    with try_advisory_lock(REMINDERS_LOCK) as acquired:
        return remind_authors_of_due_manuscripts(timezone.now()) if acquired else 0
