"""The article page by keyboard and pointer: words and list linked both ways, filters, and what stays meanwhile."""

import re

import pytest
from playwright.sync_api import expect

from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from servers.calls.models import Call
from tests.acceptance.ended_calls import store_results_and_end_calls
from tests.integration.article_cast import URL, live_queue, make_article_of_three_servers, mention, span

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FOCUS = "document.activeElement.textContent"


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


@pytest.fixture
def address(live_server, article):
    return f"{live_server.url}{URL}"


def reach(page, inside):
    """Press Tab until the focus is within."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("within => Boolean(document.activeElement.closest(within))", inside):
            return
    raise AssertionError(f"no tab stop within {inside}")


def test_it_has_one_tab_stop_for_the_words_and_one_row_of_the_list(page, address):
    page.goto(address)
    assert page.locator("a.mark[tabindex='0']").count() == 1
    reach(page, "a.mark")
    assert page.evaluate(FOCUS) == "CDH1"
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.matches('a.mark')")
    count = "all => all.map(li => li.querySelectorAll('[tabindex=\"0\"]').length)"
    stops = page.locator("#rows > li").evaluate_all(count)
    assert stops[0] > 0
    assert sum(stops[1:]) == 0


def test_it_moves_through_the_words_by_keys(page, address):
    page.goto(address)
    reach(page, "a.mark")
    seen = [page.evaluate(FOCUS)]
    for key in ("j", "ArrowRight", "k", "ArrowLeft", "End", "Home"):
        page.keyboard.press(key)
        seen.append(page.evaluate(FOCUS))
    assert seen == ["CDH1", "E-cadherin", "CDH1", "E-cadherin", "CDH1", "beta-catenin", "CDH1"]
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.id") != page.locator("a.mark[id]").first.get_attribute("id")
    page.keyboard.press("p")
    assert page.evaluate("document.activeElement.id") == page.locator("a.mark[id]").first.get_attribute("id")


def test_it_chooses_closes_and_helps_by_keys(page, address, article):
    page.goto(address)
    page.evaluate("window.notReloaded = true")
    reach(page, "a.mark")
    page.keyboard.press("Enter")
    page.locator("#mention .mention-entry").first.wait_for()
    expect(page).to_have_url(re.compile(f"mention={span(article, 'CDH1')}"))
    assert page.evaluate(FOCUS) == "CDH1"
    page.keyboard.press("?")
    page.locator("dialog#keys[open]").wait_for()
    page.keyboard.press("Escape")
    page.locator("dialog#keys[open]").wait_for(state="detached")
    assert page.locator("#mention .mention-entry").count() > 0, "the help was closed, not the mention"
    page.keyboard.press("Escape")
    page.locator("#mention .mention-entry").first.wait_for(state="detached")
    expect(page).not_to_have_url(re.compile("mention="))
    expect(page.locator("a.mark.on")).to_have_count(0)
    assert page.evaluate("window.notReloaded")


def test_it_goes_to_the_list_and_back_by_keys(page, address):
    page.goto(f"{address}?kind=mention")
    reach(page, "a.mark")
    page.keyboard.press("End")
    page.keyboard.press("l")
    assert page.evaluate("Boolean(document.activeElement.closest('#rows > li'))")
    assert page.evaluate(FOCUS) == "beta-catenin"
    page.keyboard.press("Home")
    first = page.evaluate(FOCUS)
    page.keyboard.press("j")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(FOCUS) == first
    page.keyboard.press("t")
    assert page.evaluate("document.activeElement.matches('a.mark')")
    assert page.evaluate(FOCUS) == first


def test_it_brings_the_chosen_row_of_the_list_into_sight_in_the_text(page, address, article):
    page.set_viewport_size({"width": 1280, "height": 300})
    page.goto(f"{address}?kind=mention")
    page.locator("#rows a.choose", has_text="CTNNB1").click()
    page.locator("#mention .mention-text", has_text="CTNNB1").wait_for()
    mark = page.locator(f"#m{span(article, 'CTNNB1')}")
    expect(mark).to_be_in_viewport()
    expect(mark).to_have_class(re.compile(r"\bon\b"))
    expect(page.locator("#rows > li.on")).to_have_count(1)


def test_it_lights_the_same_names_under_the_pointer_from_both_sides(page, address):
    page.goto(f"{address}?kind=mention")
    page.locator("a.mark", has_text="CDH1").first.hover()
    expect(page.locator("a.mark.same-entity")).to_have_text(["CDH1", "CDH1", "Cdh1"])
    expect(page.locator("#rows > li.same-entity")).to_have_count(3)
    assert page.locator("a.mark", has_text="CDH1").first.get_attribute("title") == "3 of 3 servers"
    page.locator("#rows a.choose", has_text="CTNNB1").hover()
    expect(page.locator("a.mark.same-entity")).to_have_text(["CTNNB1"])


def test_it_leaves_the_text_in_place_when_a_word_is_chosen(page, address, article, team):
    within = mention(article, "cadherin", 1)
    store_results_superseding_earlier(article, live_queue(team, "Delta").producer, {Kind.MENTION: [within]})
    page.goto(address)
    page.evaluate("window.kept = document.querySelector('.abstract')")
    page.locator("a.mark", has_text="E-cadherin").first.click()
    page.locator("#mention .mention-entry").first.wait_for()
    assert page.evaluate("window.kept.isConnected")
    assert set(page.locator("a.mark.on").all_inner_texts()) == {"CDH1", "E-cadherin", "Cdh1", "E-", "cadherin"}
    page.locator("a.mark", has_text="CTNNB1").click()
    page.locator("#mention .mention-text", has_text="CTNNB1").wait_for()
    assert set(page.locator("a.mark.on").all_inner_texts()) == {"CTNNB1", "beta-catenin"}


def test_it_leaves_the_rows_in_place_when_a_word_is_chosen(page, address):
    page.goto(f"{address}?kind=normalization")
    first = page.locator("#rows > li").first
    first.get_by_text("Sources").click()
    page.evaluate("window.kept = document.querySelector('#rows > li')")
    for chosen, rows in (("CDH1", ["CDH1", "Cdh1"]), ("CTNNB1", ["CTNNB1"])):
        page.locator("a.mark", has_text=chosen).first.click()
        page.locator("#mention .mention-text", has_text=chosen).wait_for()
        expect(page.locator("#rows > li.on b")).to_have_text(rows)
    assert page.evaluate("window.kept.isConnected")
    assert first.locator("details").get_attribute("open") == ""
    page.locator("#mention .close a").click()
    expect(page.locator("#rows > li.on")).to_have_count(0)


def test_it_filters_in_place_and_keeps_the_filters_when_results_come(page, address, article):
    Call.objects.create(
        queue=article.results.first().producer.queue,
        server=article.results.first().producer.queue.server,
        article=article,
        priority=0,
    )
    page.goto(address)
    page.evaluate("window.notReloaded = true")
    page.locator("#filters summary").click()
    page.get_by_label("Minimum number of servers").fill("2")
    page.get_by_label("Minimum number of servers").press("Enter")
    page.locator("#filtered", has_text="2 of 3 match, 1 hidden").wait_for()
    page.get_by_label("Only annotations on which servers disagree").check()
    page.locator("#filtered", has_text="1 of 3 match, 2 hidden").wait_for()
    expect(page).to_have_url(re.compile("agree=2.*differ=1"))
    alpha = article.results.first().producer
    store_results_and_end_calls(article, alpha, {Kind.MENTION: [mention(article, "CDH1"), mention(article, "man")]})
    page.locator("a.mark", has_text="man").wait_for()
    expect(page.get_by_label("Only annotations on which servers disagree")).to_be_checked()
    expect(page.locator("#rows > li")).to_have_count(1)
    page.locator("a.mark", has_text="man").click()
    page.locator("#mention .mention-text", has_text="man").wait_for()
    assert all(part in page.url for part in ("mention=", "agree=2", "differ=1")), "choosing a word leaves the filters"
    page.get_by_role("link", name="Remove filters").click()
    page.locator("#filtered").wait_for(state="detached")
    assert page.evaluate("window.notReloaded")


def test_it_marks_the_text_by_the_chosen_servers(page, address):
    page.goto(address)
    assert page.locator("a.mark").count() == 9
    page.locator("#filters summary").click()
    page.get_by_label("Gamma").check()
    page.locator("#filtered").wait_for()
    expect(page.locator("a.mark")).to_have_count(1)


def test_it_filters_without_scripts(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.locator("#filters summary").click()
    page.get_by_label("Minimum number of servers").fill("3")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#filtered")).to_contain_text("1 of 3 match, 2 hidden")
    page.locator("a.mark", has_text="CTNNB1").click()
    expect(page.locator("#mention .mention-text")).to_have_text("CTNNB1")
    assert "agree=3" in page.url
    context.close()


def test_it_shows_sentences_of_two_together(page, address):
    page.goto(address)
    page.locator("a.mark", has_text="CTNNB1").click()
    page.locator("ol.sentences > li").nth(2).wait_for()
    page.locator(".co-occurring a", has_text="CDH1").click()
    page.get_by_role("heading", name="2 sentences that mention it together with CDH1").wait_for()
    page.locator(".co-occurring a[aria-current]").click()
    page.get_by_role("heading", name="3 sentences that mention it").wait_for()


def test_it_keeps_the_focus_in_the_list_when_results_come(page, address, article):
    Call.objects.create(
        queue=article.results.first().producer.queue,
        server=article.results.first().producer.queue.server,
        article=article,
        priority=0,
    )
    page.goto(f"{address}?kind=mention")
    page.locator("#rows a.choose", has_text="CTNNB1").focus()
    store_results_and_end_calls(article, article.results.first().producer, {Kind.TAXON: []})
    page.locator("[data-key=tab-taxon]").wait_for()
    assert page.evaluate(FOCUS) == "CTNNB1"
    assert page.evaluate("document.activeElement.tabIndex") == 0


@pytest.mark.parametrize("query", ["", "?kind=mention&agree=2", "results/"])
def test_it_fits_a_phone(phone, address, article, query):
    phone.goto(f"{address}{query}")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
