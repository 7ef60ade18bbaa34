"""What pages say while something is missing: the connection, or an article that is being fetched."""

import pytest
from playwright.sync_api import expect

from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call, get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry import lifecycle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def find_notice(page):
    return page.get_by_text("No connection to the site. What you see may be out of date.").first


def test_every_page_says_that_the_computer_is_offline(page, live_server):
    page.goto(f"{live_server.url}/about/")
    expect(find_notice(page)).to_be_hidden()

    page.context.set_offline(True)
    expect(find_notice(page)).to_be_visible()

    page.context.set_offline(False)
    expect(find_notice(page)).to_be_hidden()


def test_a_page_that_keeps_itself_up_to_date_says_that_the_site_does_not_answer(page, live_server, article, server):
    """As it waits for a server, it asks the site every second."""
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    enqueue_articles_without_open_or_test_call(get_or_create_queue_and_producer(server, QueueMode.LIVE), [article.pk])
    page.goto(f"{live_server.url}/articles/{article.pmid}/")
    page.route("**/live/**", lambda route: route.abort())
    expect(find_notice(page)).to_be_visible(timeout=15_000)

    page.unroute("**/live/**")
    expect(find_notice(page)).to_be_hidden(timeout=15_000)
    expect(page.locator("#announcer")).to_have_text("The connection is back.")
