"""Mail out of the outbox: claim, send, delete; what could not be sent is tried again for a day and then kept.

The broker only wakes a worker, and a sweep finds what it lost. A worker that dies between sending and deleting leaves a
mail that is sent twice, never one that is not sent.
"""

import logging
import smtplib
from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from bcms.models import Mail

log = logging.getLogger(__name__)

SEND = "bcms.tasks.send_mail"
# After a try that failed; when these are used up the mail has failed for good.
WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720))
# How long the worker that has claimed a mail may take before another one does.
CLAIM = timedelta(minutes=5)
REFUSED = 500


def wake(mail_id: int) -> None:
    """Ask the broker to have this mail sent once the transaction is committed."""
    transaction.on_commit(lambda: current_app.send_task(SEND, [mail_id]), robust=True)


def due() -> QuerySet[Mail]:
    return Mail.objects.filter(failed__isnull=True, due__lte=Now())


def send(mail_id: int) -> str:
    """Send the mail if it is due and nobody else does; a word on how it went."""
    if not due().filter(pk=mail_id).update(due=Now() + CLAIM, tries=F("tries") + 1):
        return "not due"
    mail = Mail.objects.get(pk=mail_id)
    try:
        deliver(mail)
    except (smtplib.SMTPException, OSError) as error:
        return put_off(mail, error)
    mail.delete()
    log.info("Mail %d is sent to %s: %s", mail_id, mail.recipient, mail.subject)
    return "sent"


def deliver(mail: Mail) -> None:
    with get_connection(settings.MAIL_DELIVERY.backend, **settings.MAIL_DELIVERY.options) as connection:
        message = EmailMessage(mail.subject, mail.body, mail.sender, [mail.recipient], headers=mail.headers)
        connection.send_messages([message])


def put_off(mail: Mail, error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    if refused(error) or mail.tries > len(WAITS):
        Mail.objects.filter(pk=mail.pk).update(failed=Now(), error=text)
        log.error("Mail %d to %s is given up after %d tries: %s", mail.pk, mail.recipient, mail.tries, text)
        return "failed"
    wait = WAITS[mail.tries - 1]
    Mail.objects.filter(pk=mail.pk).update(due=Now() + wait, error=text)
    log.warning("Mail %d to %s is tried again in %s: %s", mail.pk, mail.recipient, wait, text)
    return "put off"


def refused(error: Exception) -> bool:
    """Whether the mail server said that this message will never be taken (reply codes 5xx, RFC 5321)."""
    match error:
        case smtplib.SMTPRecipientsRefused():
            return all(code >= REFUSED for code, _ in error.recipients.values())
        case smtplib.SMTPDataError():
            return error.smtp_code >= REFUSED
        case _:
            return False
