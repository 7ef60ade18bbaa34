"""An archive is uploaded in a real browser, followed while a worker reads it, and becomes a draft."""

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import expect

from bcms.tasks import create_draft_from_archive_unless_busy
from evaluation.archives.models import DraftArchive
from evaluation.challenges.models import Challenge
from tests.integration.archive_cast import write_challenge_archive

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_an_archive_becomes_a_draft(page, live_server, challenge, olga, tmp_path):
    olga.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    archive = write_challenge_archive(challenge, tmp_path / "example.zip")
    page.goto(f"{live_server.url}/login/?next=/challenges/new/from-file/")
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    broken = {"name": "broken.zip", "mimeType": "application/zip", "buffer": archive.read_bytes()[:-40]}
    page.get_by_label("Definition or archive").set_input_files(broken)
    page.get_by_role("button", name="Create challenge").click()
    expect(page.get_by_role("heading", name="Reading the archive")).to_be_visible()
    create_draft_from_archive_unless_busy(DraftArchive.objects.get().pk)
    expect(page.get_by_text("was rejected with 1 error")).to_be_visible()
    page.get_by_role("link", name="Upload another file").click()
    page.get_by_label("Definition or archive").set_input_files(archive)
    page.get_by_role("button", name="Create challenge").click()
    expect(page.get_by_role("heading", name="Reading the archive")).to_be_visible()
    create_draft_from_archive_unless_busy(DraftArchive.objects.get().pk)
    expect(page.get_by_text("example is taken as a name in URLs, so example-2 is used.")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Organize").click()
    expect(page.get_by_role("heading", name="Organize", exact=True)).to_be_visible()
    assert Challenge.objects.get(slug="example-2").phases.get().corpus.articles.count() == 4
