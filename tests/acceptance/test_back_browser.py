"""Back to a page with filters: they show what the page shows, and not what was chosen before leaving it."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("address", "name"), [("/servers/", "Kind"), ("/articles/", "Sort by")])
def test_filters_are_those_of_the_address_after_going_back(page, live_server, server, address, name):
    page.goto(live_server.url + address)
    filters = page.get_by_label(name)
    before = filters.input_value()
    other = filters.locator("option").last.get_attribute("value")
    assert other != before

    filters.select_option(other)
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url(lambda url: url.endswith(f"={other}") or f"={other}&" in url)
    expect(filters).to_have_value(other)

    page.go_back()
    expect(filters).to_have_value(before)
