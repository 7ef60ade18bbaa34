"""The console sends requests of the API from the browser, and talks to this site alone."""

import re

import pytest
from playwright.sync_api import expect

from bcms.accounts import tokens
from bcms.api.groups import find_operation_group
from tests.acceptance.test_access_browser import AXE, COLOUR_RULES, RULES, RUN, TOO_WIDE
from tests.browser import NARROW, PATIENCE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def console(page, live_server):
    """The open console; what it asks other hosts for, and what the browser has stopped."""
    page.set_default_timeout(PATIENCE)
    stopped, foreign = [], []
    page.on("console", lambda message: stopped.append(message.text) if message.type == "error" else None)
    page.on("request", lambda sent: None if sent.url.startswith((live_server.url, "data:")) else foreign.append(sent))
    page.goto(f"{live_server.url}/api/v1/console/")
    page.locator(".opblock-tag").first.wait_for()
    yield page
    assert (stopped, foreign) == ([], [])


def open_operation(page, resource, method="get"):
    path = f"/api/v1/{resource}/"
    page.locator(f"h3[data-tag='{find_operation_group(f'/{resource}/')}']").click()
    block = page.locator(f".opblock-{method}", has=page.locator(f".opblock-summary-path[data-path='{path}']"))
    block.locator(".opblock-summary-control").click()
    return block


def send_request(page, resource):
    block = open_operation(page, resource)
    block.get_by_role("button", name="Execute").click()
    return block.locator(".live-responses-table .response").first


def test_it_sends_a_request_and_shows_the_answer(console, article):
    answer = send_request(console, "articles")
    expect(answer.locator(".response-col_status")).to_contain_text("200")
    expect(answer).to_contain_text(re.compile("Loss of CDH1"))


def test_the_filter_leaves_the_groups_that_match(console):
    console.get_by_placeholder("Filter groups").fill("digital")
    expect(console.locator(".opblock-tag")).to_have_count(1)


def test_the_ring_of_the_focus_has_the_accent_of_the_theme(console):
    console.emulate_media(color_scheme="dark")
    block = open_operation(console, "article-requests", "post")
    for part in (block.locator(".opblock-summary-control"), block.locator("textarea")):
        part.focus()
        console.keyboard.press("Shift+Tab")
        console.keyboard.press("Tab")
        expect(part).to_be_focused()
        expect(part).to_have_css("outline", "rgb(141, 184, 238) solid 3px")


def test_the_page_has_one_main_part(console):
    expect(console.get_by_role("main")).to_have_count(1)
    expect(console.get_by_role("group", name="Operations")).to_be_visible()


def test_it_sends_the_token_that_it_is_given(console, carol):
    token = tokens.create_api_token_including_read_scope(carol, "console", [])
    console.get_by_role("button", name="Authorize").first.click()
    field = console.locator(".auth-container", has_text="bearer").get_by_role("textbox")
    field.fill(token)
    console.locator(".auth-container", has_text="bearer").get_by_role("button", name="Apply credentials").click()
    console.get_by_role("button", name="Close").last.click()
    expect(send_request(console, "teams").locator(".response-col_status")).to_contain_text("200")


def test_it_asks_nobody_for_the_cookie_of_the_log_in(console):
    console.get_by_role("button", name="Authorize").first.click()
    expect(console.locator(".auth-container")).to_have_count(2)
    expect(console.locator(".auth-container", has_text="cookie")).to_have_count(0)


@pytest.mark.long
def test_open_operations_are_for_everybody(console):
    """In both themes, on a phone, with a form and an answer."""
    expect(send_request(console, "measures").locator(".response-col_status")).to_contain_text("200")
    open_operation(console, "article-requests", "post")
    console.set_viewport_size(NARROW)
    console.emulate_media(color_scheme="dark")
    console.locator("a.skip").press("Enter")
    expect(console.locator("#main")).to_be_focused()
    console.evaluate(AXE)
    assert console.evaluate(RUN, ["tag", RULES]) == []
    assert not console.evaluate(TOO_WIDE)
    console.emulate_media(color_scheme="light")
    assert console.evaluate(RUN, ["rule", COLOUR_RULES]) == []
    console.get_by_role("button", name="Authorize").first.click()
    console.locator(".auth-container").first.wait_for()
    assert console.evaluate(RUN, ["tag", RULES]) == []
