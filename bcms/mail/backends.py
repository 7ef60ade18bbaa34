"""Django mail backends: one that stores mail in the outbox, and one that writes it into a folder, for the demo."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction

from bcms.lib.private_files import make_private_folder
from bcms.mail import outbox as mail_outbox
from bcms.mail.models import Mail


class OutboxBackend(BaseEmailBackend):
    """Stores each message in the database, one row for each recipient; a worker sends it after the commit."""

    @transaction.atomic
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            _check_outbox_message(message)
            for recipient in message.to:
                mail = Mail.objects.create(
                    sender=message.from_email,
                    recipient=recipient,
                    subject=str(message.subject),
                    body=str(message.body),
                    headers=message.extra_headers,
                )
                mail_outbox.enqueue_mail_after_commit(mail.pk)
        return len(email_messages)


def _check_outbox_message(message: EmailMessage) -> None:
    """Raises ValueError for a message that a Mail row cannot represent, or with line breaks in its headers."""
    if message.cc or message.bcc or message.reply_to or message.attachments or getattr(message, "alternatives", None):
        raise ValueError("The outbox supports only plain text to addresses in To: remove copies, attachments and HTML.")
    message.message()


class FolderBackend(BaseEmailBackend):
    """Writes each message into a file of its own, which appears only when it is complete."""

    def __init__(self, folder: str, fail_silently: bool = False, **options: Any) -> None:
        super().__init__(fail_silently=fail_silently)
        self.folder = Path(folder)

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        # Mail has links that reset passwords.
        make_private_folder(self.folder)
        for message in email_messages:
            name = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
            partial = self.folder / f".{name}"
            partial.touch(mode=0o600, exist_ok=False)
            partial.write_bytes(message.message().as_bytes())
            partial.rename(self.folder / f"{name}.eml")
        return len(email_messages)
