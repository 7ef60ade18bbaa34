"""The console sends requests of the API from the browser, and talks to this site alone."""

import re

import pytest
from playwright.sync_api import expect

from bcms.accounts import tokens
from tests.browser import PATIENCE

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


def send_request(page, tag):
    """GET what has the name of its tag."""
    page.locator(f"h3[data-tag='{tag}']").click()
    path = f"/api/v1/{tag}/"
    block = page.locator(".opblock-get", has=page.locator(f".opblock-summary-path[data-path='{path}']"))
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Execute").click()
    return block.locator(".live-responses-table .response").first


def test_it_sends_a_request_and_shows_the_answer(console, article):
    answer = send_request(console, "articles")
    expect(answer.locator(".response-col_status")).to_contain_text("200")
    expect(answer).to_contain_text(re.compile("Loss of CDH1"))


def test_it_sends_the_token_that_it_is_given(console, carol):
    token = tokens.create_api_token_including_read_scope(carol, "console", [])
    console.get_by_role("button", name="Authorize").first.click()
    field = console.locator(".auth-container", has_text="bearer").get_by_role("textbox")
    field.fill(token)
    console.locator(".auth-container", has_text="bearer").get_by_role("button", name="Apply credentials").click()
    console.get_by_role("button", name="Close").last.click()
    expect(send_request(console, "teams").locator(".response-col_status")).to_contain_text("200")
