"""A pytest plugin: `postbox`, a real SMTP server on this machine that takes the mail of the site."""

import re
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default

import pytest


@dataclass
class Postbox:
    """What has come, and the replies by which certain recipients are refused."""

    messages: list[EmailMessage] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.replies:
            return self.replies[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.messages.append(BytesParser(policy=default).parsebytes(envelope.content.replace(b"\r\n", b"\n")))
        return "250 Message accepted for delivery"

    def fetch(self) -> list[EmailMessage]:
        """Have all mail that is due delivered, as the worker does; what came, once."""
        from bcms.mail import outbox

        for mail_id in list(outbox.list_due_mail().order_by("pk").values_list("pk", flat=True)):
            outbox.send_and_delete_due_mail_or_put_off(mail_id)
        came, self.messages = self.messages, []
        return came

    def one(self) -> EmailMessage:
        (message,) = self.fetch()
        return message


def find_message_link(message: EmailMessage) -> str:
    """The one link of a message."""
    (link,) = re.findall(r"https?://\S+", message.get_content())
    return link


@pytest.fixture
def postbox(settings):
    from aiosmtpd.controller import Controller

    from bcms.local.ports import pick_free_ports
    from bcms.mail.mail_url import parse_mail_url

    postbox = Postbox()
    (port,) = pick_free_ports(1)
    controller = Controller(postbox, hostname="127.0.0.1", port=port)
    controller.start()
    # Django's test runner keeps mail in memory; here it takes its whole way.
    settings.EMAIL_BACKEND = "bcms.mail.backends.OutboxBackend"
    settings.MAIL_DELIVERY = parse_mail_url(f"smtp://127.0.0.1:{port}")
    yield postbox
    controller.stop()
