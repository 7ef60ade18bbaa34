"""Django's two ways out: into the outbox, where all mail begins, and into a folder, where that of the demo ends."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction

from bcms.mail import sending
from bcms.models import Mail


class OutboxBackend(BaseEmailBackend):
    """Keeps every message in the database, one row for each recipient; a worker sends it after the commit."""

    @transaction.atomic
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            check(message)
            for recipient in message.to:
                mail = Mail.objects.create(
                    sender=message.from_email,
                    recipient=recipient,
                    subject=str(message.subject),
                    body=str(message.body),
                    headers=message.extra_headers,
                )
                sending.wake(mail.pk)
        return len(email_messages)


def check(message: EmailMessage) -> None:
    """Raises ValueError for a message that a row cannot hold, and for line breaks in its headers."""
    if message.cc or message.bcc or message.reply_to or message.attachments or getattr(message, "alternatives", None):
        raise ValueError("The outbox takes plain text for addresses in To: leave copies, attachments and HTML out.")
    message.message()


class FolderBackend(BaseEmailBackend):
    """Writes each message into a file of its own, which is there only when it is whole."""

    def __init__(self, folder: str, fail_silently: bool = False, **options: Any) -> None:
        super().__init__(fail_silently=fail_silently)
        self.folder = Path(folder)

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        self.folder.mkdir(parents=True, exist_ok=True)
        for message in email_messages:
            name = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
            half = self.folder / f".{name}"
            half.touch(mode=0o600, exist_ok=False)
            half.write_bytes(message.message().as_bytes())
            half.rename(self.folder / f"{name}.eml")
        return len(email_messages)
