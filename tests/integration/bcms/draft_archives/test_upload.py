"""An organizer uploads an archive on a page or by REST; the scoring worker creates the draft, and notifies."""

import re
from datetime import timedelta

import pytest
from django.conf import settings as site_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from bcms.draft_archives import processing
from bcms.operations.retention import delete_due_rows_unless_busy
from bcms.tasks import create_draft_from_archive_unless_busy, enqueue_waiting_draft_archives
from evaluation.archives.models import DraftArchive
from evaluation.challenges.models import Challenge
from servers.inbox.models import InboxEntry
from tests.integration.archive_cast import write_challenge_archive
from tests.integration.article_cast import read_page_words

pytestmark = pytest.mark.django_db
GONE = "It has been deleted since, or you no longer organize it."
PAGE, API = "/challenges/new/from-file/", "/api/v1/challenges/from-file/"


@pytest.fixture
def content(challenge, tmp_path):
    return write_challenge_archive(challenge, tmp_path / "example.zip").read_bytes()


@pytest.fixture
def as_dora(client, dora):
    client.force_login(dora)
    return client


def send(client, content, address=PAGE, **names):
    return client.post(address, {"file": SimpleUploadedFile("example.zip", content), **names})


def read_words(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def process_archive():
    return create_draft_from_archive_unless_busy(DraftArchive.objects.get().pk)


def test_a_page_takes_it_and_follows_the_worker(as_dora, dora, content):
    reply = send(as_dora, content, name="Mine", slug="mine")
    archive = DraftArchive.objects.get()
    page = f"{PAGE}{archive.pk}/"
    assert (reply.status_code, reply["Location"]) == (302, page)
    assert "Reading the archive" in read_words(as_dora.get(page))
    assert as_dora.get(f"{page}live/?v=waiting").status_code == 204
    assert process_archive() == "finished"
    draft = Challenge.objects.get(slug="mine")
    assert (draft.name, draft.state, draft.organizers.get()) == ("Mine", "draft", dora)
    assert "Mine was created as a draft." in read_words(as_dora.get(f"{page}live/?v=waiting"))
    assert DraftArchive.objects.get().content is None
    entry = InboxEntry.objects.get(user=dora)
    assert (entry.text, entry.path) == ("Mine was created as a draft.", page)
    assert process_archive() == "nothing"


def test_rest_takes_it_and_shows_its_state(as_dora, content):
    reply = send(as_dora, content, API)
    assert reply.status_code == 202
    address = reply["Location"]
    assert (reply.json()["state"], reply.json()["challenge"]) == ("waiting", None)
    process_archive()
    state = as_dora.get(address).json()
    assert (state["state"], state["challenge"], state["faults"]) == ("finished", "example-2", [])
    assert "example is taken as a name in URLs, so example-2 is used." in state["notes"]
    Challenge.objects.get(slug="example-2").delete()
    assert as_dora.get(address).json()["challenge"] is None
    assert GONE in read_words(as_dora.get(address.replace("/api/v1/challenges/", "/challenges/new/")))


def test_a_draft_of_others_is_not_shown(as_dora, dora, olga, content):
    send(as_dora, content, name="Mine", slug="mine")
    process_archive()
    draft = Challenge.objects.get(slug="mine")
    draft.organizers.set([olga])
    Challenge.objects.filter(pk=draft.pk).update(name="A secret name")
    pk = DraftArchive.objects.get().pk
    shown = read_words(as_dora.get(f"{PAGE}{pk}/"))
    assert GONE in shown and "A secret name" not in shown
    assert as_dora.get(f"{API}{pk}/").json()["challenge"] is None


def test_an_archive_that_is_rejected_shows_where_and_why(as_dora, content):
    send(as_dora, content[:-30], API)
    assert process_archive() == "rejected"
    archive = DraftArchive.objects.get()
    shown = read_words(as_dora.get(f"{PAGE}{archive.pk}/"))
    assert "R401" in shown and "Download the archive again" in shown
    (fault,) = as_dora.get(f"{API}{archive.pk}/").json()["faults"]
    assert (fault["line"], fault["rule"]) == (0, "R401")
    assert InboxEntry.objects.get().text == "The archive example.zip was rejected."
    assert send(as_dora, content).status_code == 302, "another one takes its place"
    assert DraftArchive.objects.get().pk != archive.pk
    assert not InboxEntry.objects.exists(), "it led to the page of the earlier one"


def test_an_address_that_was_entered_and_is_taken_rejects_it(as_dora, content):
    send(as_dora, content, slug="example")
    assert process_archive() == "rejected"
    (fault,) = DraftArchive.objects.get().faults
    assert (fault[2], "slug: Challenge with this Slug already exists" in fault[3]) == ("R765", True)


def test_one_waits_at_a_time(as_dora, content):
    send(as_dora, content)
    reply = send(as_dora, content)
    assert reply.status_code == 422
    assert "Your archive example.zip is still waiting for a worker." in read_words(reply)
    assert send(as_dora, content, API).status_code == 409
    assert DraftArchive.objects.count() == 1


def test_nobody_else_sees_it(as_dora, content, alice, olga, admin_user, client):
    send(as_dora, content)
    pk = DraftArchive.objects.get().pk
    for user in (alice, olga, admin_user):
        client.force_login(user)
        for address in (f"{PAGE}{pk}/", f"{PAGE}{pk}/live/", f"{API}{pk}/"):
            assert client.get(address).status_code == 404


def test_who_may_not_create_challenges_cannot_upload_one(client, alice, content):
    client.force_login(alice)
    assert (send(client, content).status_code, send(client, content, API).status_code) == (403, 403)
    assert not DraftArchive.objects.exists()


def test_who_may_no_longer_create_challenges_gets_no_draft(as_dora, dora, content):
    send(as_dora, content)
    dora.user_permissions.clear()
    assert process_archive() == "rejected"
    archive = DraftArchive.objects.get()
    assert archive.refusal == "You cannot create challenges any more. Ask the administrator."
    words = read_page_words(as_dora.get(f"{PAGE}{archive.pk}/"))
    assert "No draft was created. Upload the file again once you have the permission." in words
    assert Challenge.objects.count() == 1


def test_it_is_sealed_before_it_is_stored(as_dora, content, settings):
    send(as_dora, content)
    stored = bytes(DraftArchive.objects.get().content)
    assert stored.startswith(b"bcms-sealed-1 ") and b"PK" not in stored[:2]
    settings.GOLD_PRIVATE_KEY = None
    assert process_archive() == "rejected"
    assert "GOLD_PRIVATE_KEY" in DraftArchive.objects.get().refusal


def test_a_site_without_a_key_takes_none(as_dora, content, settings):
    settings.GOLD_PUBLIC_KEY = None
    reply = send(as_dora, content)
    assert (reply.status_code, "This site has no key" in read_words(reply)) == (422, True)


def test_one_that_is_too_large_is_not_stored(as_dora, monkeypatch, content):
    monkeypatch.setattr(processing, "LARGEST_UPLOAD", len(content) - 1)
    assert "The archive is larger than 20 MiB" in read_words(send(as_dora, content))
    assert not DraftArchive.objects.exists()


def test_lost_tasks_are_sent_again_and_crashes_end(as_dora, content, monkeypatch):
    send(as_dora, content)
    begun = []
    monkeypatch.setattr(create_draft_from_archive_unless_busy, "delay", begun.append)
    assert (enqueue_waiting_draft_archives(), begun) == (1, [DraftArchive.objects.get().pk])
    route = site_settings.CELERY_TASK_ROUTES[create_draft_from_archive_unless_busy.name]
    assert route == {"queue": "scoring"}

    def fail(*args):
        raise ZeroDivisionError

    monkeypatch.setattr(processing, "create_draft_from_archive", fail)
    assert [process_archive() for _ in range(3)] == ["failed", "failed", "rejected"]
    assert DraftArchive.objects.get().refusal == processing.CRASHED


def test_its_page_is_kept_for_thirty_days(as_dora, content):
    send(as_dora, content)
    process_archive()
    now = timezone.now()
    delete_due_rows_unless_busy(now + timedelta(days=29))
    assert DraftArchive.objects.exists()
    delete_due_rows_unless_busy(now + timedelta(days=31))
    assert not DraftArchive.objects.exists()
    assert Challenge.objects.filter(slug="example-2").exists()


def test_an_archive_that_is_deleted_while_it_is_read_leaves_no_draft_and_says_so(as_dora, dora, content, monkeypatch):
    send(as_dora, content, slug="mine")
    create = processing.create_draft_from_archive

    def create_and_delete(*args):
        DraftArchive.objects.all().delete()
        return create(*args)

    monkeypatch.setattr(processing, "create_draft_from_archive", create_and_delete)
    assert process_archive() == "deleted"
    assert not Challenge.objects.filter(slug="mine").exists()
    entry = InboxEntry.objects.get(user=dora)
    assert entry.text == "The archive example.zip was deleted while it was read, so no draft was created."
    assert as_dora.get(entry.path).status_code == 200
