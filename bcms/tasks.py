from celery import shared_task

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
