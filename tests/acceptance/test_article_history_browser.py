"""The address and the history of the article page: what a reader chose is in the address, and Back undoes it."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from tests.integration.article_cast import URL, live_queue, make_article_of_three_servers, mention

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


@pytest.fixture
def address(live_server, article):
    return f"{live_server.url}{URL}"


def choose(page, word):
    page.locator("a.mark", has_text=word).first.click()
    page.locator("#mention .mention-text", has_text=word).wait_for()


def test_it_keeps_a_word_in_the_address_that_is_chosen_during_a_refresh(page, address):
    held = []
    page.route(re.compile(r"/live/.*mention=.*&v=(&|$)"), lambda route: held.append(route))
    page.goto(address)
    with page.expect_request(re.compile(r"/live/\?.*mention=")):
        page.locator("a.mark", has_text="CTNNB1").click()
    assert "mention=" in page.url
    # A refresh that becomes due meanwhile neither ends the visit nor takes its place.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    held[0].continue_()
    expect(page.locator("#mention .mention-text")).to_have_text("CTNNB1")
    assert "mention=" in page.url


def test_the_type_of_mentions_that_is_chosen_in_the_legend_is_in_the_address(page, address, article, team):
    disease = replace(mention(article, "cerevisiae"), type="disease")
    store_results_superseding_earlier(article, live_queue(team, "Delta").producer, {Kind.MENTION: [disease]})
    page.goto(f"{address}?kind=mention")
    page.locator("[data-key=type-disease]").click()
    expect(page).to_have_url(re.compile(r"type=disease"))
    assert "mention=" not in page.url
    expect(page.locator(".text a.mark, h1 a.mark")).to_have_text(["cerevisiae"])
    expect(page.locator("[data-key=type-disease]")).not_to_have_attribute("title", re.compile("undefined"))


def test_back_closes_the_card_of_a_mention(page, address):
    page.goto(f"{address}?kind=mention")
    page.evaluate("window.notReloaded = true")
    choose(page, "CTNNB1")
    choose(page, "beta-catenin")
    page.go_back()
    expect(page.locator(".mention-text")).to_have_count(0)
    expect(page.locator("a.mark.on")).to_have_count(0)
    expect(page).to_have_url(f"{address}?kind=mention")
    page.go_forward()
    expect(page.locator("#mention .mention-text")).to_have_text("beta-catenin")
    assert page.evaluate("window.notReloaded")


def test_closing_the_card_leaves_no_step_behind(page, address):
    page.goto("about:blank")
    page.goto(address)
    steps = page.evaluate("history.length")
    for word in ("CTNNB1", "beta-catenin"):
        choose(page, word)
        page.get_by_role("link", name="Close").click()
        expect(page.locator(".mention-text")).to_have_count(0)
    assert page.evaluate("history.length") <= steps + 1, "the second card takes the place of the first"
    page.go_back()
    assert page.url == "about:blank"


def test_back_returns_to_the_list_before(page, address):
    page.goto(address)
    page.locator("[data-key=tab-mention]").click()
    expect(page.locator("[data-key=tab-mention]")).to_have_attribute("aria-current", "true")
    page.locator("[data-key=order]").click()
    expect(page).to_have_url(re.compile("order=confidence"))
    page.go_back()
    expect(page.locator("[data-key=tab-normalization]")).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(address)


def test_back_closes_the_card_on_a_phone(phone, address):
    phone.goto(address)
    choose(phone, "CTNNB1")
    assert phone.locator("section.mention").evaluate("card => getComputedStyle(card).position") == "fixed"
    phone.go_back()
    expect(phone.locator(".mention-text")).to_have_count(0)
    assert phone.url == address


def test_back_moves_the_focus_from_the_card_to_the_text(page, address):
    page.goto(address)
    choose(page, "CTNNB1")
    page.get_by_role("link", name="Close").focus()
    page.go_back()
    expect(page.locator(".mention-text")).to_have_count(0)
    assert page.evaluate("document.activeElement.textContent") == "CTNNB1"


def test_it_keeps_the_servers_that_are_chosen_in_place(page, address):
    page.goto(address)
    page.locator("#filters summary").click()
    page.get_by_label("Gamma").check()
    expect(page.locator("#chosen-filters")).to_have_text("Showing 1 of 3 servers, reset")
    expect(page).to_have_url(re.compile("server=gamma"))
    assert "remember" not in page.url
    page.goto(address)
    expect(page.locator("a.mark")).to_have_count(1)
    page.get_by_role("link", name="reset").click()
    expect(page.locator("#chosen-filters")).to_have_count(0)
    page.goto(address)
    expect(page.locator("a.mark")).to_have_count(9)
