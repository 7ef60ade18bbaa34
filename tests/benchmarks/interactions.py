"""How soon pages show something, and how soon they react, as a Chromium measures it (Paint and Event Timing).

    python -m tests.benchmarks.interactions [--url http://localhost:8000] [--visits 5]

url: of a site that runs, such as that of `make demo`; without one, a small site is made up. Prints the median of the
first contentful paint of each page with nothing in the cache, the slowest reaction to a click or a key on it, and their
ratios to the aims: 600 ms until something is shown, 100 ms from the interaction to the next paint. Event Timing rounds
to 8 ms, and does not say what takes less than 16.
"""

import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site

PAINT_MILLISECONDS, REACTION_MILLISECONDS, LEAST_MILLISECONDS = 600, 100, 16
# Until an event whose next paint has come is among the entries.
SETTLED_MILLISECONDS = 400
WATCH_EVENTS = f"""
  window.reactions = [];
  new PerformanceObserver((list) => {{
    for (const entry of list.getEntries()) if (entry.interactionId) window.reactions.push(entry.duration);
  }}).observe({{ type: "event", durationThreshold: {LEAST_MILLISECONDS}, buffered: true }});
"""
LIST_PATHS = "links => links.map(link => link.getAttribute('href'))"
FIRST_PAINT = """() => new Promise((done) => {
  new PerformanceObserver((list) => {
    const found = list.getEntriesByName("first-contentful-paint");
    if (found.length) done(found[0].startTime);
  }).observe({ type: "paint", buffered: true });
})"""
Act = Callable[[Any], object]


@contextmanager
def serve_made_up_site() -> Iterator[str]:
    """The URL of a site with a few articles and a leaderboard, in this process."""
    with set_up_empty_site():
        from django.contrib.staticfiles.handlers import StaticFilesHandler
        from django.test.testcases import LiveServerThread

        from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
        from tests.benchmarks.mixed_site import make_board_and_abstracts

        make_board_and_abstracts(5, 30, 20, 4)
        while update_summaries_returning_whether_more_remain():
            pass
        server = LiveServerThread("127.0.0.1", StaticFilesHandler)
        server.daemon = True
        server.start()
        server.is_ready.wait()
        yield f"http://127.0.0.1:{server.port}"
        server.terminate()


def find_pages(page: Any, url: str) -> dict[str, tuple[str, list[Act]]]:
    """{name: (path, interactions)} of an article and a leaderboard of the site, and pages that every site has."""
    article = find_first_link(page, f"{url}/articles/?sort=servers", ".hits a")
    challenge, board = find_challenge_and_board_with_curves(page, url)
    return {
        "home": ("/", [type_into_search]),
        "articles": ("/articles/", [type_into_search, click("details summary")]),
        "article": (article, [click("a.mark[id]"), press("j"), press("j"), click(".tabs a:not([aria-current])")]),
        "servers": ("/servers/", [click("details summary")]),
        "challenge": (challenge, [type_into_search]),
        "leaderboard": (board, [click("table input[type=checkbox]"), click("details summary")]),
        "manual": ("/manual/articles/", [type_into_search]),
    }


def find_challenge_and_board_with_curves(page: Any, url: str) -> tuple[str, str]:
    """The paths of the first training leaderboard with a scored run, and of its challenge; LookupError without one."""
    page.goto(f"{url}/challenges/")
    for challenge in page.locator("main .rows a").evaluate_all(LIST_PATHS):
        page.goto(f"{url}{challenge}")
        for board in page.locator(f"main a[href^='{challenge}training/']").evaluate_all(LIST_PATHS):
            page.goto(f"{url}{board}")
            if page.locator("table input[type=checkbox]").count():
                return challenge, board
    raise LookupError(f"No challenge of {url} has a training leaderboard with a scored run.")


def find_first_link(page: Any, address: str, selector: str) -> str:
    page.goto(address)
    return str(page.locator(selector).first.get_attribute("href"))


def click(selector: str) -> Act:
    """Click the first such element that is shown."""
    return lambda page: page.locator(selector).locator("visible=true").first.click()


def press(key: str) -> Act:
    return lambda page: page.keyboard.press(key)


def type_into_search(page: Any) -> None:
    page.locator("header.site input[type=search]").press_sequentially("CDH1", delay=50)


def measure_visit(browser: Any, address: str, acts: list[Act]) -> tuple[float, float]:
    """The first contentful paint with nothing in the cache, and the slowest reaction, in milliseconds."""
    from tests.browser import WIDE

    context = browser.new_context(viewport=WIDE, ignore_https_errors=True)
    page = context.new_page()
    page.add_init_script(WATCH_EVENTS)
    page.goto(address)
    paint = page.evaluate(FIRST_PAINT)
    for act in acts:
        act(page)
        page.wait_for_timeout(SETTLED_MILLISECONDS)
    slowest = max(page.evaluate("[0, ...window.reactions]"))
    context.close()
    return paint, slowest


def measure_site(url: str, visits: int) -> None:
    from playwright.sync_api import sync_playwright

    from tests.browser import launch

    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        if browser is None:
            raise SystemExit("No Chromium was found.")
        pages = find_pages(browser.new_page(ignore_https_errors=True), url)
        for name, (path, acts) in pages.items():
            readings = [measure_visit(browser, url + path, acts) for _ in range(visits)]
            paint, reaction = statistics.median(paint for paint, _ in readings), max(slowest for _, slowest in readings)
            shown = f"{reaction:.0f} ms" if reaction else f"below {LEAST_MILLISECONDS} ms"
            print(f"{name:<12} first paint {paint:4.0f} ms   slowest reaction {shown}")
            print_ratio(f"first paint of {name} / aim", paint, PAINT_MILLISECONDS)
            print_ratio(f"slowest reaction of {name} / aim", reaction or LEAST_MILLISECONDS, REACTION_MILLISECONDS)
        browser.close()


def main(url: str = "", visits: int = 5) -> None:
    if url:
        measure_site(url.rstrip("/"), visits)
        return
    with serve_made_up_site() as made_up:
        measure_site(made_up, visits)


if __name__ == "__main__":
    run_main(main)
