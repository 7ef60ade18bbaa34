"""Send mail from the outbox: claim, send, delete. Failed mail is retried for a day and then kept as failed for 30 days.

The broker only wakes a worker; a sweep finds mail whose task was lost. If a worker dies between sending and deleting,
the mail is sent twice, but it is never lost.
"""

import logging
import smtplib
from datetime import datetime, timedelta

from celery import current_app
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from bcms.mail.models import Mail

log = logging.getLogger(__name__)

SEND_MAIL_TASK = "bcms.tasks.send_mail_or_retry_later"
# The delay after each failed attempt; after the last one the mail has failed permanently.
RETRY_DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720))
FAILED_KEPT = timedelta(days=30)
# How long a worker may take before another one can claim the mail.
CLAIM_DURATION = timedelta(minutes=5)
PERMANENT_REPLY_CODE = 500


def enqueue_mail_after_commit(mail_id: int) -> None:
    """Enqueue the task that sends this mail, once the transaction is committed."""
    transaction.on_commit(lambda: current_app.send_task(SEND_MAIL_TASK, [mail_id]), robust=True)


def list_due_mail() -> QuerySet[Mail]:
    return Mail.objects.filter(failed__isnull=True, due__lte=Now())


def list_old_failed_mail(now: datetime) -> QuerySet[Mail]:
    """Mail that is deleted although it could not be sent."""
    return Mail.objects.filter(failed__lt=now - FAILED_KEPT)


def send_and_delete_due_mail_or_put_off(mail_id: int) -> str:
    """Send the mail if it is due and no other worker has claimed it; returns the outcome in words."""
    if not list_due_mail().filter(pk=mail_id).update(due=Now() + CLAIM_DURATION, tries=F("tries") + 1):
        return "not due"
    mail = Mail.objects.get(pk=mail_id)
    try:
        _deliver_mail(mail)
    except (smtplib.SMTPException, OSError) as error:
        return _retry_or_give_up_mail(mail, error)
    mail.delete()
    log.info("Mail %d was sent to %s: %s", mail_id, mail.recipient, mail.subject)
    return "sent"


def _deliver_mail(mail: Mail) -> None:
    with get_connection(settings.MAIL_DELIVERY.backend, **settings.MAIL_DELIVERY.options) as connection:
        message = EmailMessage(mail.subject, mail.body, mail.sender, [mail.recipient], headers=mail.headers)
        connection.send_messages([message])


def _retry_or_give_up_mail(mail: Mail, error: Exception) -> str:
    """Schedule the next attempt, or mark the mail as failed; returns the outcome in words."""
    text = f"{type(error).__name__}: {error}"
    if _is_permanent_refusal(error) or mail.tries > len(RETRY_DELAYS):
        Mail.objects.filter(pk=mail.pk).update(failed=Now(), error=text)
        log.error("Mail %d to %s failed permanently after %d attempts: %s", mail.pk, mail.recipient, mail.tries, text)
        return "failed"
    delay = RETRY_DELAYS[mail.tries - 1]
    Mail.objects.filter(pk=mail.pk).update(due=Now() + delay, error=text)
    log.warning("Mail %d to %s failed and is retried in %s: %s", mail.pk, mail.recipient, delay, text)
    return "put off"


def _is_permanent_refusal(error: Exception) -> bool:
    """Whether the mail server rejected the message permanently (reply codes 5xx, RFC 5321)."""
    match error:
        case smtplib.SMTPRecipientsRefused():
            return all(code >= PERMANENT_REPLY_CODE for code, _ in error.recipients.values())
        case smtplib.SMTPDataError():
            return error.smtp_code >= PERMANENT_REPLY_CODE
        case _:
            return False
