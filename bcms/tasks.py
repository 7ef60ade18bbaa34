"""The Celery tasks of the site itself: mail, accounts, requested articles and article uploads."""

from celery import shared_task

from annotations.advisory_locks import try_advisory_lock
from annotations.articles.entrez.pacing import make_entrez_client
from bcms.accounts import unconfirmed_accounts
from bcms.article_requests import fetching
from bcms.article_requests.request_queue import FETCH_TASK, FETCHING_LOCK
from bcms.article_uploads import upload_processing
from bcms.mail import outbox


@shared_task(name=outbox.SEND_MAIL_TASK)
def send_mail(mail_id: int) -> str:
    return outbox.send_mail_if_due(mail_id)


@shared_task(name="bcms.tasks.sweep_mail")
def sweep_mail() -> int:
    """Enqueue all mail that is due, in case the broker lost its task; returns how many."""
    mail_ids = list(outbox.list_due_mail().values_list("pk", flat=True))
    for mail_id in mail_ids:
        outbox.enqueue_mail(mail_id)
    return len(mail_ids)


@shared_task(name="bcms.tasks.delete_unconfirmed_accounts")
def delete_unconfirmed_accounts() -> int:
    """Delete accounts that were never confirmed, so that their addresses and names are free again."""
    return unconfirmed_accounts.delete_old_unconfirmed_accounts()


@shared_task(name=FETCH_TASK)
def fetch_requested_articles() -> int:
    """Fetch the articles that visitors requested until no request is open; returns how many were answered."""
    answered = 0
    with try_advisory_lock(FETCHING_LOCK) as acquired:
        while acquired and (
            count := fetching.answer_article_requests(
                make_entrez_client(fetching.ENTREZ_WAITS, fetching.ENTREZ_SECONDS)
            )
        ):
            answered += count
    return answered


@shared_task(name=upload_processing.READ_UPLOAD_TASK)
def run_article_upload(upload_id: int) -> str:
    return upload_processing.process_article_upload(upload_id)


@shared_task(name="bcms.tasks.sweep_article_uploads")
def sweep_article_uploads() -> int:
    """Enqueue uploads whose worker died or whose task was lost; returns how many."""
    upload_ids = upload_processing.list_open_uploads()
    for upload_id in upload_ids:
        run_article_upload.delay(upload_id)
    return len(upload_ids)
