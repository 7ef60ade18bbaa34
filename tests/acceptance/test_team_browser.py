"""A team in a real browser: log in, register a server, load an article, start it, see it answer, read the attempt."""

import re

import pytest
from playwright.sync_api import expect

from servers.calls import loop
from servers.calls.models import Attempt
from servers.registry import trials
from servers.registry.models import Server, Trial
from servers.registry.states import ServerState
from tests.annotator import Annotator

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def annotator():
    with Annotator(lambda _: {"mentions": [{"offset": 8, "section": "title", "mention": "CDH1"}]}) as annotator:
        yield annotator


def log_in(page, live_server):
    page.goto(f"{live_server.url}/login/?next=/servers/register/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()


def register(page, url):
    page.get_by_label("Name", exact=True).fill("Mentions by pattern")
    page.get_by_label("URL").fill(url)
    page.get_by_label("Mentions (GM)").check()
    page.get_by_role("button", name="Test server").click()


def save(page):
    """The worker tries the server; the page shows the answer by itself."""
    page.get_by_text("The request was sent").wait_for()
    trials.run_open_trial_and_store_report(Trial.objects.get().pk)
    page.get_by_role("heading", name="The answer is valid").wait_for()
    expect(page.get_by_role("cell", name="CDH1")).to_be_visible()
    page.get_by_role("button", name="Save the server").click()


def test_it_takes_a_server_from_its_registration_to_its_first_answer(page, live_server, team, article, annotator):
    log_in(page, live_server)
    register(page, annotator.url)
    save(page)
    page.get_by_label("PMIDs").fill("10000001")
    page.get_by_role("button", name="Load into the live queue").click()
    expect(page.get_by_text("1 article added to the live queue.")).to_be_visible()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Stop after the current call", exact=True).wait_for()
    page.evaluate("window.notReloaded = true")
    assert loop.run_slices_if_slot_and_lease_free(Server.objects.get().pk) == "idle"
    page.get_by_text("1 of 1 done, 100 %").wait_for()
    assert page.evaluate("window.notReloaded")
    page.locator("a[href*='/attempts/']").first.click()
    expect(page.get_by_role("heading", name="Attempt 1 for PMID 10000001")).to_be_visible()
    expect(page.get_by_text("Annotator.getAnnotation")).to_be_visible()


def test_it_says_at_the_field_what_is_wrong_with_a_url(page, live_server, team):
    log_in(page, live_server)
    register(page, "http://10.0.0.1/")
    field = page.get_by_label("URL")
    expect(field).to_have_attribute("aria-invalid", "true")
    described = field.get_attribute("aria-describedby").split()
    assert "10.0.0.1 is not on the public internet" in " ".join(
        page.locator(f"#{each}").inner_text() for each in described
    )
    assert not Server.objects.exists()


def test_it_halts_by_keyboard_and_keeps_every_button_in_reach_on_a_telephone(page, live_server, server, team):
    Server.objects.update(state=ServerState.ONLINE)
    page.set_viewport_size({"width": 420, "height": 800})
    log_in(page, live_server)
    page.goto(f"{live_server.url}/servers/genedict/")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Stop after the current call", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Start").wait_for()
    expect(page.get_by_text(re.compile("GeneDict stops after"))).to_be_visible()
    assert not Attempt.objects.exists()
