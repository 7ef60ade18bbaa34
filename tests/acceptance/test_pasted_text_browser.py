"""A text in a real browser: paste it, choose a server, see its answer come, choose a mention, delete the text."""

import pytest
from playwright.sync_api import expect

from servers.calls import loop
from servers.pasted_texts.models import PastedText
from servers.registry.models import Server
from tests.annotator import Annotator
from tests.integration.pasted_text_cast import receive_texts

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def annotator():
    with Annotator(lambda _: {"mentions": [{"offset": 17, "section": "title", "mention": "CDH1"}]}) as annotator:
        yield annotator


@pytest.fixture
def receiving(server, team, annotator):
    """The server that gets the text; there is another one, which must not see it."""
    other = {"name": "Elsewhere", "slug": "elsewhere", "url": annotator.url, "kinds": ["mention"]}
    receive_texts(Server.objects.create(team=team, review="accepted", **other))
    return receive_texts(server, url=annotator.url)


def paste(page):
    page.get_by_label("Title (optional)").fill("Zyxelgenin binds CDH1")
    page.get_by_label("Text", exact=True).fill("In mouse cells, CDH1 was lost.")
    page.get_by_label("Elsewhere, run by Team Alpha").uncheck()
    page.get_by_role("button", name="Send to these servers").click()


def test_a_text_goes_from_the_clipboard_to_its_annotations_and_is_deleted(
    page, live_server, carol, receiving, annotator, article
):
    page.goto(f"{live_server.url}/articles/")
    page.get_by_role("link", name="Annotate a text of your own").click()
    page.get_by_label("Username").fill("carol")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    paste(page)
    expect(page.get_by_text("waiting", exact=False).first).to_be_visible()
    expect(page.get_by_role("link", name="Elsewhere")).to_have_count(0)
    page.evaluate("window.notReloaded = true")
    assert loop.run_slices_if_slot_and_lease_free(receiving.pk) == "idle"
    expect(page.get_by_text("1 annotation", exact=False)).to_be_visible()
    assert len(annotator.asked) == 1
    page.get_by_role("heading", level=1).get_by_role("link", name="CDH1").click()
    expect(page.get_by_text("annotated by 1 of 1 servers: GeneDict")).to_be_visible()
    assert page.evaluate("window.notReloaded")
    page.get_by_role("button", name="Delete now").click()
    expect(page.get_by_text("The text and its annotations were deleted.")).to_be_visible()
    assert not PastedText.objects.exists()
