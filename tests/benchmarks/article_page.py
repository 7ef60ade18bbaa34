"""How fast the article page answers: 300 articles that eight servers annotated, and a text of 100 pages.

    DATABASE_URL=... REDIS_URL=... SECRET_KEY=x python -m tests.benchmarks.article_page

Prints the median and the 95th percentile in milliseconds of the whole request inside the process: of the page and of
the two answers to a poll (nothing new, all new); the aim is 30 ms at the median and 80 ms at the 95th percentile. Then
the same of the long text with the size of its answers, and, where a Chromium is found, what its reader waits for: the
first view, which is to come within a second, a choice, a key, a frame while scrolling. Works on a database of its own.
"""

import os
import statistics
import time

import django

from tests.benchmarks.spent import spending

SAMPLE = 300


def milliseconds(request):
    started = time.perf_counter()
    request()
    return 1000 * (time.perf_counter() - started)


def measure(name, requests):
    """Prints the times of the requests, and what one takes of the processors."""
    with spending() as spent:
        times = [milliseconds(request) for request in requests]
    p95 = statistics.quantiles(times, n=20)[-1]
    own, database = (1000 * seconds / len(times) for seconds in (spent.own, spent.database))
    cpu = f"CPU {own:.1f} ms + {database:.1f} ms in the database"
    print(f"{name:<18} p50 {statistics.median(times):6.1f} ms   p95 {p95:6.1f} ms   ({len(times)} requests, {cpu})")


def run():
    from django.db import connection
    from django.test import Client

    import bcms.wsgi  # noqa: F401 - sets the collector as the site's processes have it
    from annotations.models import Annotation
    from servers.models import Queue
    from tests.benchmarks.annotated_articles import fill, long_article

    articles = fill(300, 8)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"{len(articles)} articles, {Annotation.objects.count()} annotations")
    client = Client()
    pages_of(client, articles)
    long_text(client, long_article(list(Queue.objects.order_by("pk"))))


def of_some():
    """The pages of 300 articles of whatever the database holds, and how large they are."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    import bcms.wsgi  # noqa: F401 - as above
    from annotations.models import Article

    keys = list(Article.objects.filter(standing__servers__gte=1).order_by("pk").values_list("pk", flat=True))
    articles = list(Article.objects.filter(pk__in=keys[:: max(len(keys) // SAMPLE, 1)][:SAMPLE]))
    client = Client(SERVER_NAME="localhost")
    pages_of(client, articles)
    for name, rest in (("page", ""), ("poll, all new", "live/?v=0")):
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/articles/{articles[0].pmid}/{rest}")
            number = len(queries)
        plain = sizes(client, articles, rest, {})
        packed = sizes(client, articles, rest, {"accept-encoding": "gzip"})
        print(f"{name:<18} {number} queries, median {plain:.1f} kB, {packed:.1f} kB packed")


def sizes(client, articles, rest, headers):
    """The median size of an answer in kB, of every tenth article."""
    answers = (client.get(f"/articles/{own.pmid}/{rest}", headers=headers) for own in articles[::10])
    return statistics.median(len(answer.content) for answer in answers) / 1000


def pages_of(client, articles):
    for article in articles[:10]:
        client.get(f"/articles/{article.pmid}/")
    pages = {article: client.get(f"/articles/{article.pmid}/").context["page"] for article in articles}
    measure("page", [lambda a=a: client.get(f"/articles/{a.pmid}/") for a in articles])
    measure("page, a mention", [lambda a=a: client.get(f"/articles/{a.pmid}/", {"mention": "0-3"}) for a in articles])
    measure("poll, all new", [lambda a=a: client.get(f"/articles/{a.pmid}/live/", {"v": "0"}) for a in articles])
    measure(
        "poll, nothing new",
        [lambda a=a, v=page.version: client.get(f"/articles/{a.pmid}/live/", {"v": v}) for a, page in pages.items()],
    )


def long_text(client, article):
    from annotations.models import Annotation

    url = f"/articles/{article.pmid}/"
    page = client.get(url).context["page"]
    number = Annotation.objects.filter(result__article=article).count()
    print(f"{len(article.text):,} characters, {number:,} annotations")
    mention = "-".join(map(str, page.reading.words.spans[0]))
    keep = {"keep": page.reading.text_signature, "mention": mention}
    asked = {
        "page": (url, {}),
        "page, mentions": (url, {"kind": "mention"}),
        "page, filtered": (url, {"kind": "mention", "taxon": "9606", "agree": "2"}),
        "a choice": (f"{url}live/", {**keep, "kind": "mention"}),
    }
    for name, (path, query) in asked.items():
        measure(f"long {name}", [lambda p=path, q=query: client.get(p, q)] * 12)
        plain = len(client.get(path, query).content)
        packed = len(client.get(path, query, headers={"accept-encoding": "gzip"}).content)
        print(f"{'':<18} {plain / 1000:,.0f} kB, {packed / 1000:,.0f} kB packed")
    in_browser(url)


FIRST_VIEW = """() => new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntries()[0].startTime)).observe({ type: "paint", buffered: true });
})"""
CHOICE = """(mark) => new Promise((done) => {
  const start = performance.now();
  const word = mark.textContent;
  const wait = () => {
    if (document.querySelector("#mention .word")?.textContent === word) done(performance.now() - start);
    else setTimeout(wait, 2);
  };
  mark.click();
  wait();
})"""
FRAMES = """async () => {
  const times = [];
  let last = performance.now();
  for (let step = 0; step < 60; step += 1) {
    window.scrollBy(0, 900);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  return times;
}"""


def in_browser(url):
    """What a reader of the long text waits for, in a Chromium that is found on the machine."""
    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.test.testcases import LiveServerThread
    from playwright.sync_api import sync_playwright

    from tests.browser import WIDE, launch

    server = LiveServerThread("127.0.0.1", StaticFilesHandler)
    server.daemon = True
    server.start()
    server.is_ready.wait()
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        if browser is None:
            print("no Chromium is found here")
            return
        firsts = [first_view(browser, WIDE, f"http://127.0.0.1:{server.port}{url}") for _ in range(5)]
        print(f"first view         median {statistics.median(firsts):6.0f} ms   (5 visits)")
        page = browser.new_page(viewport=WIDE)
        page.goto(f"http://127.0.0.1:{server.port}{url}")
        print(f"{'':<18} {page.evaluate('document.querySelectorAll(`*`).length'):,} elements")
        print(f"choosing a word    median {statistics.median(choices(page)):6.0f} ms   (10 words)")
        print(f"a key              median {statistics.median(moves(page)):6.1f} ms   (40 keys)")
        frames = page.evaluate(FRAMES)
        print(f"scrolling a screen median {statistics.median(frames):6.1f} ms   slowest {max(frames):.0f} ms")
        browser.close()
    server.terminate()


def first_view(browser, viewport, address):
    page = browser.new_context(viewport=viewport).new_page()
    page.goto(address)
    view = page.evaluate(FIRST_VIEW)
    page.context.close()
    return view


def choices(page):
    """From the click on a marked word until its sentences stand beside the text."""
    for number in range(10):
        mark = page.locator("a.mark[id]").nth(number * 3)
        yield mark.evaluate(CHOICE)


def moves(page):
    """From a key until the next frame is drawn."""
    page.locator("a.mark[tabindex='0']").first.focus()
    for _ in range(40):
        yield page.evaluate(
            "() => new Promise(done => { const start = performance.now();"
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true}));"
            "requestAnimationFrame(() => done(performance.now() - start)); })"
        )


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
    django.setup()
    from django.test.utils import get_runner, setup_test_environment, teardown_test_environment

    setup_test_environment()
    from django.conf import settings

    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        run()
    finally:
        runner.teardown_databases(databases)
        teardown_test_environment()


if __name__ == "__main__":
    main()
