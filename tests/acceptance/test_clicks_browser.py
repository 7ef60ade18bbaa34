"""How many clicks the main tasks take, counted by the page; typing and the link in a mail are none."""

import re

import pytest
from django.core import mail as django_mail
from playwright.sync_api import expect

from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from evaluation.challenges.announcements.models import Announcement
from evaluation.runs.uploads.models import Upload
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.calls import loop
from servers.registry import trials
from servers.registry.models import Server, Trial
from tests.acceptance.whole_site import PASSWORD, make_site
from tests.annotator import Annotator
from tests.integration.evaluation_cast import PMIDS, get_article, species

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def site(server, alice, olga, django_user_model):
    return make_site(server, alice, olga, django_user_model.objects.create_user)


class Visitor:
    """Somebody at the home page, whose clicks are counted."""

    def __init__(self, page, live_server, name=""):
        self.page, self.clicks = page, 0
        if name:
            page.goto(f"{live_server.url}/login/")
            page.get_by_label("Username").fill(name)
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
        page.goto(live_server.url)

    def click(self, role, name, within=None):
        (within or self.page).get_by_role(role, name=name).first.click()
        self.clicks += 1


def test_a_known_article_takes_none(page, live_server, article):
    visitor = Visitor(page, live_server)
    page.get_by_label("Search articles by PMID or keywords").fill(str(article.pmid))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/articles/{article.pmid}/"))
    assert visitor.clicks == 0


def test_from_signing_up_to_the_form_of_a_server_takes_four(page, live_server, team):
    visitor = Visitor(page, live_server)
    visitor.click("link", "Sign up")
    page.get_by_label("Username").fill("newcomer")
    page.get_by_label(re.compile("^E-?mail")).fill("newcomer@example.org")
    page.get_by_label("Password").fill("a-long-password-1")
    visitor.click("button", "Sign up", page.get_by_role("main"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto(live_server.url + re.search(r"https?://[^/]+(\S+)", django_mail.outbox[-1].body)[1])
    visitor.click("button", "Confirm")
    visitor.click("link", "Register a server")
    expect(page.get_by_role("heading", name="Register a server")).to_be_visible()
    expect(page.get_by_label("Name", exact=True).first).to_be_visible()
    assert visitor.clicks == 4


def test_an_own_server_is_seen_in_an_article_after_four(page, live_server, team, article):
    with Annotator(lambda _: {"mentions": [{"offset": 8, "section": "title", "mention": "CDH1"}]}) as annotator:
        visitor = Visitor(page, live_server, "alice")
        visitor.click("link", "Register a server")
        page.get_by_label("Name", exact=True).fill("Mentions by pattern")
        page.get_by_label("URL").fill(annotator.url)
        page.get_by_label("Mentions (GM)").check()
        visitor.clicks += 1
        visitor.click("button", "Test server")
        page.get_by_text("The request was sent").wait_for()
        trials.run_open_trial_and_store_report(Trial.objects.get().pk)
        visitor.click("button", "Save and start")
        page.get_by_label("Search articles by PMID or keywords").fill(str(article.pmid))
        page.get_by_label("Search articles by PMID or keywords").press("Enter")
        expect(page).to_have_url(re.compile(f"/articles/{article.pmid}/"))
        # The page asks by itself, without a click.
        expect(page.locator("aside .chip").filter(has_text="waiting")).to_be_visible()
        loop.run_slices_if_slot_and_lease_free(Server.objects.get().pk)
        expect(page.get_by_role("heading", level=1).get_by_role("link", name="CDH1")).to_be_visible()
    assert visitor.clicks == 4


def test_an_announcement_to_all_teams_takes_three(page, live_server, challenge):
    visitor = Visitor(page, live_server, "olga")
    visitor.click("link", "Example challenge", page.get_by_role("main"))
    visitor.click("link", "Write to all teams")
    page.get_by_label("Title").fill("New dates")
    page.get_by_label("Text").fill("The test is longer.")
    visitor.click("button", "Publish and send")
    expect(page.get_by_role("heading", name="New dates")).to_be_visible()
    assert Announcement.objects.filter(title="New dates").exists()
    assert visitor.clicks == 3


def test_the_first_label_of_a_curator_takes_one_and_a_key(page, live_server, site):
    visitor = Visitor(page, live_server, "carol")
    visitor.click("link", re.compile("^Label "), page.get_by_role("main"))
    expect(page.get_by_role("button", name=re.compile("^Yes|^Relevant")).first).to_be_visible()
    with page.expect_response(lambda reply: reply.url.endswith("/answer/")) as answered:
        page.keyboard.press("y")
    assert answered.value.status < 400
    assert visitor.clicks == 1


def test_a_run_is_uploaded_and_scored_in_four(page, live_server, team, challenge):
    visitor = Visitor(page, live_server, "alice")
    visitor.click("link", "Example challenge", page.get_by_role("main"))
    before = Upload.objects.count()
    visitor.click("link", "Your runs of TX")
    page.locator("input[type=file]").first.set_input_files(
        {"name": "run.tsv", "mimeType": "text/plain", "buffer": b"101\t9606\t1\t0.5\n"}
    )
    visitor.click("button", re.compile("^(Upload|Check)"))
    page.wait_for_url(re.compile("/runs/"))
    assert Upload.objects.count() == before + 1
    expect(page.get_by_text("Not scored yet")).to_be_visible()
    compute_and_store_run_scores(Upload.objects.latest("pk").run)
    # The page shows them by itself, without a click.
    expect(page.get_by_role("table").get_by_text("Macro F1").first).to_be_visible()
    assert visitor.clicks <= 4


def test_the_servers_of_a_corpus_are_compared_in_three(page, live_server, site):
    for name in ("Words", "Dictionary", "Model"):
        producer = Producer.objects.create(name=name, sort="server", public=True)
        for pmid in PMIDS:
            store_results_superseding_earlier(get_article(pmid), producer, {Kind.TAXON: species("9606")})
    visitor = Visitor(page, live_server)
    visitor.click("link", "Example challenge", page.get_by_role("main"))
    visitor.click("link", "Data", page.get_by_role("navigation", name="Challenge"))
    visitor.click("link", "Inter-annotator agreement")
    matrix = page.get_by_role("group", name="Agreement between producers")
    expect(matrix.get_by_role("rowheader", name="Dictionary")).to_be_visible()
    assert visitor.clicks <= 3
    # On a phone, the drawing is as wide as its card.
    page.set_viewport_size({"width": 390, "height": 844})
    overlap = page.get_by_role("group", name="Plot of shared annotations")
    expect(overlap.locator("svg.chart")).to_be_visible()
    assert overlap.evaluate("box => box.scrollWidth <= box.clientWidth")
