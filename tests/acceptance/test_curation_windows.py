"""Two windows with one curation warn of each other, without a reload, until one of them is closed."""

import pytest
from playwright.sync_api import expect

from tests.integration.article_cast import make_read_article
from tests.integration.curation_cast import begin

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WARNING = "You have this article open in another window, too."


def test_two_windows_warn_of_each_other_until_one_is_closed(page, live_server, client, alice):
    client.force_login(alice)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])
    address = f"{live_server.url}/curation/{begin(alice, make_read_article()).pk}/"
    page.goto(address)
    other = page.context.new_page()
    other.goto(address)
    for each in (page, other):
        expect(each.locator("#windows")).to_contain_text(WARNING)
        expect(each.locator("#announcer")).to_contain_text(WARNING)
    other.close(run_before_unload=True)
    expect(page.locator("#windows")).to_be_empty()
    page.get_by_role("link", name="Entities").click()
    page.get_by_role("heading", name="Entities").wait_for()
    with page.expect_response(lambda response: "/live/" in response.url) as answer:
        pass
    assert answer.value.status == 204
