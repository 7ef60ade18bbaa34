"""The article page in a real browser: with the mouse, with the keyboard, without scripts, while servers answer."""

import re
from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.manual.pages import MANUAL_PAGES
from servers.calls.models import Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.acceptance.ended_calls import store_results_and_end_calls

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def mention(article, text):
    start = article.text.index(text)
    return AnnotationData(Kind.MENTION, 0.9, start=start, end=start + len(text), text=text, type="protein")


@pytest.fixture
def live(server):
    Server.objects.update(state="online")
    return contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)


@pytest.fixture
def annotated(article, live):
    Entry.objects.create(
        database="uniprot", identifier="P12830", exists=True, name="Cadherin-1", symbol="CDH1", synonyms=["E-cadherin"]
    )
    protein = AnnotationData(Kind.NORMALIZATION, 0.9, database="uniprot", identifier="P12830")
    mentions = [mention(article, "CDH1"), mention(article, "E-cadherin")]
    store_results_superseding_earlier(
        article, live.producer, {Kind.MENTION: mentions, Kind.NORMALIZATION: [protein]}, duration_seconds=0.2
    )
    return article


@pytest.fixture
def address(live_server):
    return f"{live_server.url}/articles/10000001/"


@pytest.fixture
def quiet(page):
    """What the browser complains of: errors of scripts, and what the content security policy refused."""
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    return complaints


def test_it_shows_results_as_they_come_and_keeps_the_focus(page, quiet, address, annotated, live):
    Call.objects.create(queue=live, server=live.server, article=annotated, priority=0)
    page.set_viewport_size({"width": 1280, "height": 400})
    page.goto(address)
    page.evaluate("window.notReloaded = true; window.scrollTo(0, 60)")
    page.locator("[data-key=tab-mention]").focus()
    page.evaluate("window.scrollTo(0, 60)")
    late = [mention(annotated, word) for word in ("CDH1", "E-cadherin", "beta-catenin")]
    store_results_and_end_calls(annotated, live.producer, {Kind.MENTION: late})
    page.locator("a.mark", has_text="beta-catenin").wait_for()
    assert page.evaluate("[window.notReloaded, window.scrollY]") == [True, 60]
    assert page.evaluate("document.activeElement.dataset.key") == "tab-mention"
    expect(page.locator("#article[data-settled]")).to_have_count(1)
    store_results_superseding_earlier(annotated, live.producer, {Kind.MENTION: [*late, mention(annotated, "CTNNB1")]})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("a.mark", has_text="CTNNB1").first.wait_for()
    assert quiet == []


def test_it_shows_the_entries_of_a_word_that_is_clicked(page, quiet, address, annotated):
    page.goto(address)
    page.evaluate("window.notReloaded = true")
    page.locator("a.mark", has_text="E-cadherin").click()
    card = page.locator("#mention")
    card.get_by_role("link", name="UniProt P12830").wait_for()
    expect(card).to_contain_text("Matched by synonym “E-cadherin”")
    expect(page.locator("a.mark.on")).to_have_text(["CDH1", "E-cadherin"])
    expect(page).to_have_url(re.compile("mention="))
    assert page.evaluate("window.notReloaded")
    page.get_by_role("link", name="Close").click()
    page.locator("a.mark.on").first.wait_for(state="detached")
    assert quiet == []


def test_it_shows_the_entries_of_a_word_that_the_keyboard_reaches(page, address, annotated):
    page.goto(address)
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('mark')"):
            break
    page.keyboard.press("Enter")
    page.locator("#mention .mention-entry").wait_for()
    assert page.locator("#mention h2").inner_text() == "CDH1"
    assert page.evaluate("document.activeElement.textContent") == "CDH1", "the focus stays on the word"


def test_it_changes_kind_and_order_in_place(page, address, annotated):
    page.goto(address)
    page.evaluate("window.notReloaded = true")
    page.locator("[data-key=tab-mention]").click()
    page.locator("[data-key=tab-mention][aria-current]").wait_for()
    page.locator("[data-key=order]").click()
    page.wait_for_url(re.compile("order=confidence"))
    expect(page.locator(".annotations .annotation-name b")).to_have_text(["CDH1", "E-cadherin"])
    assert page.evaluate("window.notReloaded")


def list_contrast_faults(page):
    """What has too little contrast or cannot be decided on by axe, with its reason."""
    checked = page.evaluate("axe.run({runOnly: ['color-contrast']})")
    nodes = [node for found in checked["violations"] + checked["incomplete"] for node in found["nodes"]]
    return [(node["target"], node["any"][0]["message"]) for node in nodes]


def test_axe_can_decide_on_the_contrast_of_every_part(phone, address, annotated):
    phone.goto(address)
    phone.evaluate(Axe().axe_script)
    assert list_contrast_faults(phone) == []


def test_axe_can_decide_on_the_contrast_of_long_columns(page, address, annotated, team):
    """The heat map with all its levels, long lists, a consensus and the card of a mention."""
    genes = [AnnotationData(Kind.NORMALIZATION, 0.5, database="ncbigene", identifier=str(7000 + n)) for n in range(30)]
    words = ("CDH1", "E-cadherin", "beta-catenin")
    for number in range(3):
        more = Server.objects.create(
            team=team, name=f"S{number}", slug=f"s{number}", url="http://x/", kinds=["mention"], review="accepted"
        )
        said = {
            Kind.MENTION: [mention(annotated, word) for word in words[: number + 1]],
            Kind.NORMALIZATION: genes,
            Kind.CLASSIFICATION: [AnnotationData(Kind.CLASSIFICATION, 0.8, relevant=number > 0)],
        }
        queue = contents.get_or_create_queue_and_producer(more, QueueMode.LIVE)
        store_results_superseding_earlier(annotated, queue.producer, said)
    page.goto(f"{address}?mention=8-12&rule=union")
    assert page.locator("a.mark[data-n='4']").count() == 1
    assert page.evaluate("document.querySelector('.browser').scrollHeight > innerHeight")
    page.evaluate(Axe().axe_script)
    for width, theme in product((1280, 390), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=theme)
        assert list_contrast_faults(page) == [], (width, theme)


def test_it_works_without_scripts(browser, address, annotated):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.locator("a.mark", has_text="E-cadherin").click()
    expect(page.locator("#mention")).to_contain_text("Matched by synonym")
    page.locator("[data-key=tab-mention]").click()
    expect(page.locator("[data-key=tab-mention]")).to_have_attribute("aria-current", "true")
    context.close()


def test_it_asks_the_servers_by_itself_and_once(page, quiet, address, article, live):
    page.goto(address)
    page.locator(".rows .chip", has_text="waiting").wait_for()
    page.reload()
    page.locator(".rows .chip", has_text="waiting").wait_for()
    assert Call.objects.count() == 1
    assert quiet == []


def test_it_asks_by_a_button_without_scripts(browser, address, article, live):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.get_by_role("button", name="Call the remaining servers").click()
    expect(page.locator(".rows .chip")).to_contain_text("waiting")
    context.close()


def test_it_shows_hostile_words_as_words(page, quiet, address, article, live):
    bad = "<img src=x onerror=document.title='taken'>"
    findings = [AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=bad)]
    store_results_superseding_earlier(article, live.producer, {Kind.NORMALIZATION: findings})
    page.goto(address)
    page.get_by_text(bad).first.wait_for()
    assert page.title() == "PMID 10000001 - BCMS"
    assert quiet == []


@pytest.mark.parametrize(
    "paths",
    [
        ("/", "/articles/", "/articles/10000001/?mention=8-12", "/login/", "/manual/", "/manual/?q=run"),
        tuple(f"/manual/{each.slug}/" for each in MANUAL_PAGES),
    ],
    ids=["site", "manual"],
)
def test_it_fits_the_width_of_the_screen(page, live_server, annotated, paths):
    wider = []
    for path in paths:
        page.goto(f"{live_server.url}{path}")
        for width in (1280, 420, 320):
            page.set_viewport_size({"width": width, "height": 800})
            found = page.evaluate("document.documentElement.scrollWidth")
            if found > width:
                wider.append((path, width, found))
    assert wider == []
