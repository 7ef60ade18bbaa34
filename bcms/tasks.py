from celery import shared_task

from annotations.locking import alone
from annotations.pacing import entrez
from bcms import requesting, uploading
from bcms.accounts import unconfirmed
from bcms.mail import sending


@shared_task(name=sending.SEND)
def send_mail(mail_id: int) -> str:
    return sending.send(mail_id)


@shared_task(name="bcms.tasks.sweep_mail")
def sweep_mail() -> int:
    """The safety net: wake a worker for every mail whose time has come."""
    mails = list(sending.due().values_list("pk", flat=True))
    for mail_id in mails:
        sending.wake(mail_id)
    return len(mails)


@shared_task(name="bcms.tasks.forget_unconfirmed")
def forget_unconfirmed() -> int:
    """Accounts that were never confirmed go, and their addresses and names are free again."""
    return unconfirmed.forget_old()


@shared_task(name=requesting.FETCH)
def fetch_requested() -> int:
    """Fetch what visitors ask for until nothing is open; how many requests were answered. The sweep, too, calls it."""
    answered = 0
    with alone(requesting.FETCHING_LOCK) as free:
        while free and (now := requesting.answer_requests(entrez(requesting.WAITS, requesting.SECONDS))):
            answered += now
    return answered


@shared_task(name=uploading.READ)
def read_upload(upload_id: int) -> str:
    return uploading.read_upload(upload_id)


@shared_task(name="bcms.tasks.sweep_uploads")
def sweep_uploads() -> int:
    """The safety net: uploads whose worker died or was never woken."""
    uploads = uploading.open_uploads()
    for upload_id in uploads:
        read_upload.delay(upload_id)
    return len(uploads)
