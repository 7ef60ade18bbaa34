"""The widget on a page of another site, in a real browser: it appears, it is nobody's, and only its height gets out."""

import http.server
import threading
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A journal</title>
<h1>An article</h1>{body}</html>"""


class HostPages(http.server.BaseHTTPRequestHandler):
    """Sends every page with the policy that the manual asks for; bodies are by path."""

    bodies: dict[str, str] = {}
    policy = ""

    def do_GET(self):
        content = PAGE.format(body=self.bodies.get(self.path, "")).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        if self.path != "/hostile":
            self.send_header("Content-Security-Policy", self.policy)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Not into the output of the tests."""


@pytest.fixture
def annotated(article, server):
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    start = article.text.index("E-cadherin")
    mention = AnnotationData(Kind.MENTION, start=start, end=start + 10, text="E-cadherin")
    store_results_superseding_earlier(article, producer, {Kind.MENTION: [mention]})
    return article


@pytest.fixture
def host(live_server, annotated):
    """Another site: localhost, while the site is 127.0.0.1 or the other way round, and another port."""
    site = live_server.url
    tag = f'<script src="{site}/widget/v1.js" data-pmid="10000001" async></script>'
    HostPages.policy = f"default-src 'none'; script-src {site}; frame-src {site}"
    HostPages.bodies = {
        "/": tag,
        "/frames": f'<iframe src="{site}/articles/10000001/"></iframe>',
        "/hostile": f"""{tag}<script>
            window.heights = [];
            addEventListener("message", event => heights.push([event.origin, JSON.stringify(event.data)]));
            window.attack = () => {{
              const frame = document.querySelector("iframe");
              for (const data of [{{bcmsWidgetHeight: 4000}}, {{bcmsWidgetHeight: "1e9"}}, "x", null]) {{
                frame.contentWindow.postMessage(data, "*");
                postMessage(data, "*");
              }}
              let read = "no";
              try {{ read = frame.contentDocument ? "yes" : "no" }} catch {{ }}
              return read;
            }};
        </script>""",
    }
    other = "localhost" if urlsplit(site).hostname == "127.0.0.1" else "127.0.0.1"
    pages = http.server.ThreadingHTTPServer((other, 0), HostPages)
    thread = threading.Thread(target=pages.serve_forever, daemon=True)
    thread.start()
    yield f"http://{other}:{pages.server_port}"
    pages.shutdown()
    pages.server_close()
    thread.join()


@pytest.fixture
def logged_in(page, live_server, alice, client):
    client.force_login(alice)
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])


def is_fitted(page):
    """Whether the frame has the height of its content."""
    frame = page.frames[1]
    inner = frame.evaluate("document.documentElement.getBoundingClientRect().height")
    return abs(page.locator("iframe").bounding_box()["height"] - inner) <= 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_shows_the_heat_map_under_a_strict_policy(page, host, theme):
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.emulate_media(color_scheme=theme)
    page.goto(host)
    frame = page.frame_locator("iframe")
    expect(frame.locator("a.mark")).to_have_text(["E-cadherin"])
    expect(page.locator("iframe")).not_to_have_css("height", "320px")
    assert is_fitted(page)
    ground = page.frames[1].evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(251, 250, 247)" if theme == "light" else "rgb(20, 24, 28)")
    assert complaints == []


@pytest.mark.parametrize("path", ["10000001", "no-such-article"])
def test_everybody_can_read_it(page, live_server, annotated, path):
    page.goto(f"{live_server.url}/widget/articles/{path}/")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for width in (320, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert Axe().run(page).response["violations"] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_its_links_open_the_site_in_a_new_tab(page, host):
    page.goto(host)
    with page.context.expect_page() as opened:
        page.frame_locator("iframe").locator("a.mark").click()
    expect(opened.value.locator("#mention")).to_contain_text("E-cadherin")
    assert opened.value.evaluate("window.opener") is None


@pytest.mark.usefixtures("logged_in")
def test_no_cookie_is_set_and_what_is_sent_does_not_matter(page, host, live_server):
    before = page.context.cookies()
    answers = []
    page.on("response", lambda response: answers.append(response) if "/widget/" in response.url else None)
    page.goto(host)
    expect(page.frame_locator("iframe").locator("a.mark")).to_have_count(1)
    assert {urlsplit(answer.url).path for answer in answers} == {"/widget/v1.js", "/widget/articles/10000001/"}
    assert not any(answer.header_value("set-cookie") for answer in answers)
    assert not any(answer.request.header_value("cookie") for answer in answers)
    assert page.context.cookies() == before


def test_no_other_page_can_be_framed(page, host):
    refused = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    page.goto(f"{host}/frames")
    page.wait_for_load_state("networkidle")
    assert any("frame-ancestors" in text or "X-Frame-Options" in text or "refused" in text.lower() for text in refused)
    assert "CDH1" not in page.frames[1].content()


def test_messages_of_a_hostile_page_do_nothing(page, host):
    page.goto(f"{host}/hostile")
    expect(page.frame_locator("iframe").locator("a.mark")).to_have_count(1)
    expect(page.locator("iframe")).not_to_have_css("height", "320px")
    shown = page.frames[1].content()
    height = page.evaluate("document.querySelector('iframe').style.height")
    assert page.evaluate("attack()") == "no"
    page.wait_for_function("heights.length >= 5")
    assert page.evaluate("document.querySelector('iframe').style.height") == height
    assert page.frames[1].content() == shown
    told = page.evaluate("heights.filter(([origin]) => origin == 'null').map(([, data]) => data)")
    assert all(set(data) <= set('{"bcmsWidgetHeight":.0123456789}') for data in told)
