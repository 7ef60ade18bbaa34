"""Mail: kept in the outbox, sent over SMTP, tried again, given up aloud, and never lost."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage, send_mail
from django.db import transaction
from django.db.models.functions import Now

from bcms.local.mail_watcher import MailFolderWatcher
from bcms.mail import outbox
from bcms.mail.mail_url import parse_mail_url, validate_and_return_sender_address
from bcms.mail.models import Mail
from bcms.tasks import enqueue_all_due_mail

pytestmark = pytest.mark.django_db


def write(*recipients, subject="It failed"):
    send_mail(subject, "The server GeneDict – at α.\n", None, list(recipients))


def again():
    """The wait is over."""
    Mail.objects.update(due=Now())


def test_it_sends_a_mail_to_each_recipient_and_forgets_it(postbox):
    write("alice@example.org", "bob@example.org")
    assert postbox.messages == []
    came = postbox.fetch()
    assert [message["To"] for message in came] == ["alice@example.org", "bob@example.org"]
    assert (came[0]["Subject"], came[0]["From"]) == ("It failed", "BCMS <bcms@localhost>")
    assert came[0].get_content() == "The server GeneDict – at α.\n"
    assert not Mail.objects.exists()


def test_it_forgets_mail_of_a_transaction_that_was_undone(postbox):
    with pytest.raises(RuntimeError), transaction.atomic():
        write("alice@example.org")
        raise RuntimeError
    assert postbox.fetch() == []


def test_it_tries_again_when_the_mail_server_is_away(postbox, settings):
    there = settings.MAIL_DELIVERY
    settings.MAIL_DELIVERY = parse_mail_url("smtp://127.0.0.1:9")
    write("alice@example.org")
    mail = Mail.objects.get()
    assert outbox.send_and_delete_due_mail_or_put_off(mail.pk) == "put off"
    assert outbox.send_and_delete_due_mail_or_put_off(mail.pk) == "not due"
    mail.refresh_from_db()
    assert (mail.tries, mail.failed) == (1, None)
    assert "ConnectionRefusedError" in mail.error
    settings.MAIL_DELIVERY = there
    again()
    assert postbox.one()["To"] == "alice@example.org"


def test_it_tries_again_when_the_recipient_is_refused_for_now(postbox):
    postbox.replies["alice@example.org"] = "451 Try again later"
    write("alice@example.org")
    assert postbox.fetch() == []
    postbox.replies.clear()
    again()
    assert postbox.one()["To"] == "alice@example.org"


def test_it_gives_up_a_recipient_that_is_refused_for_good(postbox, caplog):
    postbox.replies["nobody@example.org"] = "550 No such user"
    write("nobody@example.org")
    assert outbox.send_and_delete_due_mail_or_put_off(Mail.objects.get().pk) == "failed"
    assert "nobody@example.org failed permanently after 1 attempts" in caplog.text
    mail = Mail.objects.get()
    assert mail.failed is not None
    assert "No such user" in mail.error
    again()
    assert outbox.send_and_delete_due_mail_or_put_off(mail.pk) == "not due"


def test_it_gives_up_after_a_day_of_tries_and_keeps_the_mail(settings):
    settings.EMAIL_BACKEND = "bcms.mail.backends.OutboxBackend"
    settings.MAIL_DELIVERY = parse_mail_url("smtp://127.0.0.1:9")
    write("alice@example.org")
    mail_id = Mail.objects.get().pk
    words = []
    for _ in range(7):
        again()
        words.append(outbox.send_and_delete_due_mail_or_put_off(mail_id))
    assert words == ["put off"] * 6 + ["failed"]
    assert Mail.objects.get().body


def test_it_finds_what_the_broker_lost(postbox):
    write("alice@example.org")
    assert enqueue_all_due_mail() == 1
    again()
    assert len(postbox.fetch()) == 1
    assert enqueue_all_due_mail() == 0


def test_it_refuses_what_it_cannot_keep(postbox):
    with pytest.raises(ValueError, match="supports only plain text"):
        EmailMessage("Hello", "x", to=["alice@example.org"], bcc=["bob@example.org"]).send()
    with pytest.raises(ValueError, match="newlines"):
        write("alice@example.org", subject="Hello\nBcc: bob@example.org")
    assert not Mail.objects.exists()


def test_it_writes_mail_into_files_and_tells_each_in_one_line(settings, tmp_path):
    settings.EMAIL_BACKEND = "bcms.mail.backends.OutboxBackend"
    settings.MAIL_DELIVERY = parse_mail_url((tmp_path / "my mail").as_uri())
    mailbox = MailFolderWatcher(tmp_path / "my mail")
    assert mailbox.list_new_messages() == []
    write("alice@example.org", subject="From \x1b[31m α")
    assert outbox.send_and_delete_due_mail_or_put_off(Mail.objects.get().pk) == "sent"
    (path,) = (tmp_path / "my mail").iterdir()
    assert mailbox.list_new_messages() == [f"Mail to alice@example.org: From ?[31m α, in {path}"]
    assert mailbox.list_new_messages() == MailFolderWatcher(tmp_path / "my mail").list_new_messages() == []


@pytest.mark.parametrize(
    ("url", "options"),
    [
        ("smtp://mail", {"port": 25, "username": ""}),
        ("smtp://mail:2525", {"port": 2525}),
        ("smtp+tls://bcms%40example.org:p%2Fq@mail", {"port": 587, "use_tls": True, "password": "p/q"}),
        ("smtps://u:p@mail", {"port": 465, "use_ssl": True, "username": "u"}),
    ],
)
def test_it_reads_where_mail_goes(url, options):
    found = parse_mail_url(url).options
    assert {name: found[name] for name in options} == options
    assert found["host"] == "mail"


@pytest.mark.parametrize(
    "url", ["mail", "http://mail", "smtp://", "smtp://u:s3cret@mail:no", "smtp://mail/in", "file:x"]
)
def test_it_stops_the_start_when_it_knows_no_way_for_mail(url):
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL") as refused:
        parse_mail_url(url)
    assert "s3cret" not in str(refused.value)


def test_it_stops_the_start_when_mail_has_no_sender():
    assert validate_and_return_sender_address("BCMS <bcms@example.org>")
    with pytest.raises(ImproperlyConfigured, match="not an e-mail address"):
        validate_and_return_sender_address("BCMS")
