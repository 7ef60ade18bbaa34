"""The folded parts of the article page: which are open is in the address, so that a link shows what its reader sees."""

import re

import pytest
from playwright.sync_api import expect

from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from tests.integration.article_cast import URL, live_queue, make_article_of_three_servers, span

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def article(team):
    article = make_article_of_three_servers(team)
    classified = AnnotationData(Kind.CLASSIFICATION, 0.9, relevant=True)
    store_results_superseding_earlier(article, live_queue(team, "Delta").producer, {Kind.CLASSIFICATION: [classified]})
    return article


@pytest.fixture
def address(live_server, article):
    return f"{live_server.url}{URL}"


@pytest.fixture
def plain(browser):
    """A page of a browser without scripts."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def choose(page, word):
    page.locator("a.mark", has_text=word).first.click()
    page.locator("#mention .mention-text", has_text=word).wait_for()


def open_fold(page, fold):
    page.locator(f"#{fold} > summary").click()
    expect(page).to_have_url(re.compile(rf"[?&]open=([\w.-]+\.)?{fold}\b"))


def read_open_folds(page):
    return page.evaluate("[...document.querySelectorAll('main details[open][id]')].map((fold) => fold.id)")


def test_a_link_shows_why_a_mention_is_marked(page, plain, address):
    page.goto(f"{address}?kind=mention")
    choose(page, "CTNNB1")
    open_fold(page, "why")
    plain.goto(page.url)
    expect(plain.locator("#why")).to_have_attribute("open", "")
    expect(plain.locator("#mention .mention-text")).to_have_text("CTNNB1")
    # A mention that is selected next is shown in the same way; without a card, nothing is open.
    choose(page, "beta-catenin")
    assert read_open_folds(page) == ["why"]
    page.get_by_role("link", name="Close").click()
    expect(page).to_have_url(re.compile(r"/\?kind=mention$"))
    plain.get_by_role("link", name="Close").click()
    expect(plain).to_have_url(re.compile(r"/\?kind=mention$"))


def test_back_and_forward_fold_with_the_card(page, address):
    page.goto(f"{address}?kind=mention")
    page.evaluate("window.notReloaded = true")
    choose(page, "CTNNB1")
    open_fold(page, "why")
    page.go_back()
    expect(page.locator(".mention-text")).to_have_count(0)
    expect(page).to_have_url(f"{address}?kind=mention")
    page.go_forward()
    expect(page.locator("#why")).to_have_attribute("open", "")
    expect(page).to_have_url(re.compile("open=why"))
    page.locator("#why > summary").click()
    expect(page).not_to_have_url(re.compile("open="))
    assert page.evaluate("window.notReloaded")


def test_every_fold_of_the_page_is_in_the_address(page, plain, address, article):
    page.goto(f"{address}?mention={span(article, 'CTNNB1')}")
    folds = page.evaluate("[...document.querySelectorAll('main details')].map((fold) => fold.id)")
    assert {"why", "filters", "consensus", "bar-votes", "cite-1", "cite-2", "embed"} <= set(folds)
    assert len(folds) > 8, "the list has rows with sources"
    for fold in folds:
        open_fold(page, fold)
    for other in (plain, page):
        other.goto(page.url)
        expect(other.locator("main details:not([open])")).to_have_count(0)
    assert read_open_folds(page) == folds


def test_a_choice_leaves_the_folds_as_they_are(page, address):
    page.goto(address)
    steps = page.evaluate("history.length")
    choose(page, "CTNNB1")
    open_fold(page, "bar-votes")
    page.locator("[data-key=order]").click()
    expect(page).to_have_url(re.compile("order=confidence.*open=bar-votes"))
    page.get_by_role("link", name="Close").click()
    expect(page.locator(".mention-text")).to_have_count(0)
    assert read_open_folds(page) == ["bar-votes"]
    page.locator("[data-key=tab-mention]").click()
    expect(page.locator("[data-key=tab-mention]")).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(re.compile(r"open=bar-votes\b"))
    page.go_back()
    expect(page.locator("[data-key=tab-normalization]")).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(re.compile("open=bar-votes"))
    assert page.evaluate("history.length") <= steps + 2


def test_the_rows_of_the_list_stay_in_place_when_one_is_unfolded(page, address):
    page.goto(f"{address}?kind=mention")
    row = page.locator("#rows > li details").first
    row.evaluate("row => { row.mark = 'the same' }")
    open_fold(page, row.get_attribute("id"))
    choose(page, "CTNNB1")
    assert row.evaluate("row => row.mark") == "the same"


def test_new_results_leave_folds_as_they_are_even_those_of_filters(page, address, article, team):
    page.goto(f"{address}?server=alpha&open=cite-1")
    assert read_open_folds(page) == ["filters", "cite-1"]
    page.locator("#filters > summary").click()
    late = AnnotationData(Kind.LABEL, 0.9, type="topic", text="cancer")
    store_results_superseding_earlier(article, live_queue(team, "Epsilon").producer, {Kind.LABEL: [late]})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_role("link", name="Epsilon").first.wait_for()
    assert read_open_folds(page) == ["cite-1"]
    page.reload()
    assert read_open_folds(page) == ["filters", "cite-1"], "filters that apply are never hidden by a link"


def test_a_link_to_two_servers_shows_the_open_sources(page, plain, address):
    page.goto(f"{address}compare/?server=alpha&server=beta")
    fold = page.locator("ul.annotations details").first.get_attribute("id")
    open_fold(page, fold)
    plain.goto(page.url)
    expect(plain.locator("details[open]")).to_have_attribute("id", fold)


def test_a_link_brings_the_selected_mention_into_sight(page, phone, address, article):
    selected = span(article, "beta-catenin", 1)
    for own in (page, phone):
        own.set_viewport_size({"width": own.viewport_size["width"], "height": 420})
        own.goto(f"{address}?mention={selected}")
        mark = own.locator(f"#m{selected}")
        expect(mark).to_be_in_viewport()
        assert mark.evaluate(
            "mark => { const box = mark.getBoundingClientRect();"
            " return mark.contains(document.elementFromPoint(box.left + 2, box.top + box.height / 2)) }"
        ), "nothing covers it"
    page.evaluate("window.scrollTo(0, 0)")
    page.reload()
    assert page.evaluate("window.scrollY") == 0
