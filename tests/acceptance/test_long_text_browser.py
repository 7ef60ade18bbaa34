"""A text of many pages in a real browser: it comes in portions, with scripts while the reader scrolls."""

import hashlib

import pytest
from playwright.sync_api import expect

from annotations.articles.models import Article
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.article_page.text.text_portions import PORTION_CHARACTERS
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PARAGRAPHS = 60
# On the first page of the list, and in the last portion of the text.
LISTED_LATE = "GENE45"
FILLER = "words of a method that goes on and on " * (PORTION_CHARACTERS * 3 // PARAGRAPHS // 37)

SCROLL_UNTIL_ALL_ARE_HERE = """(number) => {
  window.scrollTo(0, document.querySelector('.text').getBoundingClientRect().bottom + scrollY);
  return document.querySelectorAll('.text a.mark').length === number;
}"""


@pytest.fixture
def paper(server):
    """Three portions; each paragraph has a name of its own that a server marks."""
    texts = ["A long paper", *(f"GENE{number} and {FILLER.strip()}." for number in range(PARAGRAPHS))]
    passages = [{"type": "paragraph" if number else "title", "text": text} for number, text in enumerate(texts)]
    text = "\n".join(texts)
    article = Article.objects.create(
        pmid=77, passages=passages, text=text, content_hash=hashlib.sha256(text.encode()).hexdigest()
    )
    Server.objects.update(state="offline")
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    Producer.objects.update(public=True)
    mentions = []
    for number in range(PARAGRAPHS):
        start = text.index(f"GENE{number} ")
        end = start + len(f"GENE{number}")
        mentions.append(AnnotationData(Kind.MENTION, 0.9, start=start, end=end, text=text[start:end], type="protein"))
    store_results_superseding_earlier(article, queue.producer, {Kind.MENTION: mentions})
    return article


@pytest.fixture
def address(live_server, paper):
    return f"{live_server.url}/articles/{paper.pmid}/"


def get_query(page):
    return page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")


def test_the_rest_comes_while_the_reader_scrolls(page, address):
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    marks = page.locator(".text a.mark")
    assert marks.count() < PARAGRAPHS
    page.wait_for_function(SCROLL_UNTIL_ALL_ARE_HERE, arg=PARAGRAPHS)
    expect(marks).to_have_count(PARAGRAPHS)
    expect(page.locator("nav.portions").last).to_contain_text("Portions 1 to 3 of 3")
    assert get_query(page) == {"portion": "1-3"}
    # A mark of a portion that came later is chosen without the text being sent again.
    page.evaluate("document.querySelector('.text').dataset.stays = 'yes'")
    mark = page.locator(".text a.mark", has_text=f"GENE{PARAGRAPHS - 2}").first
    mark.click()
    expect(page.locator("#mention .mention-text")).to_have_text(f"GENE{PARAGRAPHS - 2}")
    assert page.evaluate("document.querySelector('.text').dataset.stays") == "yes"
    page.reload()
    expect(page.locator(".text a.mark")).to_have_count(PARAGRAPHS)
    assert complaints == []


def test_a_choice_from_the_list_shows_its_portion(page, address):
    page.goto(f"{address}?kind=mention&show=single")
    page.locator("#rows a.choose", has_text=LISTED_LATE).click()
    mark = page.locator(".text a.mark.on", has_text=LISTED_LATE)
    expect(mark).to_be_in_viewport()
    expect(page.locator("#mention .mention-text")).to_have_text(LISTED_LATE)
    expect(page.locator("nav.portions").first).to_contain_text("Portion 3 of 3")


@pytest.fixture
def plain(browser):
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def test_links_reach_every_portion_and_the_whole_without_scripts(plain, address):
    # Paragraphs get their height when they come into view, so that what is below them moves away from a click.
    plain.goto(address)
    seen = plain.locator(".text a.mark").count()
    for number in (2, 3):
        plain.get_by_role("link", name="Next portion").last.press("Enter")
        expect(plain.locator("nav.portions").last).to_contain_text(f"Portion {number} of 3")
        expect(plain.get_by_role("heading", name="A long paper")).to_be_visible()
        seen += plain.locator(".text a.mark").count()
    assert seen == PARAGRAPHS
    expect(plain.get_by_role("link", name="Next portion")).to_have_count(0)
    plain.get_by_role("link", name="Whole text").last.press("Enter")
    expect(plain.locator(".text a.mark")).to_have_count(PARAGRAPHS)
    plain.get_by_role("link", name="Show it in portions").press("Enter")
    expect(plain.locator("nav.portions").last).to_contain_text("Portion 1 of 3")


def scroll_to_the_end(page):
    page.wait_for_function(SCROLL_UNTIL_ALL_ARE_HERE, arg=PARAGRAPHS)


def test_back_closes_the_card_and_leaves_the_portions(page, address):
    page.goto(address)
    page.locator(".text a.mark", has_text="GENE3").first.click()
    expect(page.locator("#mention .mention-text")).to_have_text("GENE3")
    scroll_to_the_end(page)
    page.go_back()
    expect(page.locator("#mention .mention-text")).to_have_count(0)
    expect(page.locator(".text a.mark")).to_have_count(PARAGRAPHS)
    assert get_query(page) == {"portion": "1-3"}
    page.go_forward()
    expect(page.locator("#mention .mention-text")).to_have_text("GENE3")
    expect(page.locator(".text a.mark")).to_have_count(PARAGRAPHS)
    assert get_query(page)["portion"] in ("1-3", "all")


def test_a_portion_that_fails_is_tried_again(page, address):
    failures = []

    def fail_once(route):
        failures.append(route.request.url)
        if len(failures) > 1:
            return route.continue_()
        return route.fulfill(status=503, headers={"Retry-After": "1"}, body="")

    page.route("**/articles/77/?*portion=2*", fail_once)
    page.goto(address)
    nav = page.locator("nav.portions").last
    page.evaluate("document.querySelector('nav.portions').scrollIntoView()")
    expect(nav).to_contain_text("The next portion could not be loaded. Trying again in 1 s.")
    scroll_to_the_end(page)
    expect(nav).to_contain_text("Portions 1 to 3 of 3")
    assert len(failures) == 2


class HeldRequests(list):
    """The requests like a pattern, from now on until they may go on."""

    def __init__(self, page, pattern):
        self.goes_on = False
        page.route(pattern, self.take)

    def take(self, route):
        if self.goes_on:
            route.continue_()
        else:
            self.append(route)

    def release(self):
        self.goes_on = True
        assert self
        for route in self:
            route.continue_()


def test_a_choice_while_a_portion_comes_keeps_the_order_of_the_text(page, address):
    held = HeldRequests(page, "**/articles/77/?*portion=2*")
    page.goto(f"{address}?kind=mention&show=single")
    page.evaluate("document.querySelector('nav.portions').scrollIntoView()")
    page.locator("#rows a.choose", has_text=LISTED_LATE).click()
    expect(page.locator("nav.portions").first).to_contain_text("Portion 3 of 3")
    shown = page.locator(".text a.mark").count()
    held.release()
    page.wait_for_load_state("networkidle")
    assert page.locator(".text a.mark").count() == shown
    assert "portion=3" in page.locator("#article").get_attribute("data-live")


def test_an_update_under_way_leaves_the_portions_that_came_meanwhile(page, address):
    page.goto(address)
    held = HeldRequests(page, "**/articles/77/live/?*")
    page.locator(".text a.mark", has_text="GENE3").first.click()
    page.wait_for_function("() => location.search.includes('mention=')")
    scroll_to_the_end(page)
    held.release()
    expect(page.locator("#mention .mention-text")).to_have_text("GENE3")
    expect(page.locator(".text a.mark")).to_have_count(PARAGRAPHS)
    # Nor does the page count on the text of before.
    assert page.locator("#article").get_attribute("data-keep").endswith("-1-3")
    assert get_query(page)["portion"] == "1-3"


def test_the_links_of_portions_keep_what_was_chosen_since(page, address):
    page.goto(f"{address}?kind=mention")
    page.get_by_role("link", name="confidence", exact=True).click()
    expect(page.locator("#article-browser b", has_text="confidence")).to_be_visible()
    for name in ("Next portion", "Whole text"):
        assert "order=confidence" in page.get_by_role("link", name=name).last.get_attribute("href")
