"""Articles in, in a real browser: one that is not here is asked for; files are sent in, by dropping them too."""

import base64
import threading

import pytest
from django.db import connections
from playwright.sync_api import expect

from annotations.articles.models import Article
from bcms.tasks import answer_all_article_requests_unless_locked
from tests.integration.annotations.articles.test_entrez_client import hold, pubmed  # noqa: F401

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_visitor_asks_for_an_article_and_sees_it_without_reloading(page, live_server, pubmed, settings):  # noqa: F811
    settings.ENTREZ_URL, settings.ALLOWED_NETWORKS = pubmed.url, ["127.0.0.0/8"]
    hold(pubmed, 16054130)
    page.goto(f"{live_server.url}/articles/16054130/")
    page.get_by_role("button", name="Fetch from PubMed").press("Enter")
    page.get_by_text("Fetching PMID 16054130 from PubMed (").wait_for()
    run_in_thread(answer_all_article_requests_unless_locked)
    expect(page.get_by_role("heading", level=1)).to_have_text("No 16054130")
    assert page.url == f"{live_server.url}/articles/16054130/"


def run_in_thread(task):
    """Playwright's loop runs in this thread, where no other may."""

    def work():
        task()
        connections.close_all()

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()


@pytest.fixture
def staff(page, live_server, admin_client):
    cookie = {"name": "sessionid", "value": admin_client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])
    page.goto(f"{live_server.url}/articles/upload/")
    return page


def test_files_are_dropped_checked_and_stored(staff):
    files = {"a.txt": "12|t|p53 binds.\n", "b.txt": "13|t|Mdm2\n"}
    drop(staff, files)
    expect(staff.locator("[data-chosen] li")).to_have_text(["a.txt, 16 B", "b.txt, 10 B"])
    staff.get_by_role("button", name="Upload").click()
    staff.get_by_text("All articles in 2 files were stored.").wait_for()
    staff.get_by_role("link", name="13").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("Mdm2")


def drop(page, files):
    script = """([form, files]) => {
      const data = new DataTransfer();
      for (const [name, text] of Object.entries(files)) data.items.add(new File([atob(text)], name));
      form.dispatchEvent(new DragEvent("dragover", {dataTransfer: data, bubbles: true, cancelable: true}));
      form.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
    }"""
    packed = {name: base64.b64encode(text.encode()).decode() for name, text in files.items()}
    page.evaluate(script, [page.locator("form[data-drop]").element_handle(), packed])


def test_a_fault_is_told_with_its_place(staff):
    bad = {"name": "bad.txt", "mimeType": "text/plain", "buffer": b"12|t|A\n12\tx\t3\tp53\tGene\t-\n"}
    staff.get_by_label("Files").set_input_files([bad])
    staff.get_by_role("button", name="Upload").press("Enter")
    staff.get_by_text("Nothing was stored").wait_for()
    row = staff.locator("tbody tr").first.inner_text().split("\t")
    assert row[:3] == ["2", "4", "R654"]
    assert not Article.objects.exists()


@pytest.mark.parametrize("width", [1280, 420, 320])
def test_its_pages_fit_the_width_of_the_screen(staff, live_server, width):
    staff.set_viewport_size({"width": width, "height": 800})
    long = {"name": f"{'long-name-' * 20}.txt", "mimeType": "text/plain", "buffer": b"12|t|A\n12\tx\t3\tp53\tGene\t-\n"}
    staff.get_by_label("Files").set_input_files([long])
    assert staff.evaluate("document.documentElement.scrollWidth") <= width
    staff.get_by_role("button", name="Upload").click()
    staff.get_by_text("Nothing was stored").wait_for()
    assert staff.evaluate("document.documentElement.scrollWidth") <= width
    staff.goto(f"{live_server.url}/articles/4711/")
    staff.get_by_role("button", name="Fetch from PubMed").click()
    staff.get_by_text("Fetching PMID 4711").wait_for()
    assert staff.evaluate("document.documentElement.scrollWidth") <= width
