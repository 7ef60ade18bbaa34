"""How fast the article page answers: 300 articles that eight servers annotated, and a text of 100 pages.

    python -m tests.benchmarks.article_page [--articles 300]

Prints the median and the 95th percentile in milliseconds of the whole request inside the process: of the page and of
the two answers to a poll (nothing new, all new); the aim is 30 ms at the median and 80 ms at the 95th percentile. The
ratios compare with reading the annotations of the same articles from the database. Then the same of the long text with
the size of its answers, of choices for accounts, too, and, where a Chromium is found, what its reader waits for: the
first view, which is to come within a second, a choice, a key, a frame while scrolling.
"""

import statistics
import time

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site
from tests.benchmarks.spent import measure_time

SAMPLE = 300


def measure_milliseconds(request):
    start = time.perf_counter()
    request()
    return 1000 * (time.perf_counter() - start)


def print_times(name, requests):
    """Print the times of the requests, and the processor time of one; returns the median in milliseconds."""
    with measure_time() as spent:
        times = [measure_milliseconds(request) for request in requests]
    p95 = statistics.quantiles(times, n=20)[-1]
    own, database = (1000 * seconds / len(times) for seconds in (spent.own, spent.database))
    cpu = f"CPU {own:.1f} ms + {database:.1f} ms in the database"
    print(f"{name:<18} p50 {statistics.median(times):6.1f} ms   p95 {p95:6.1f} ms   ({len(times)} requests, {cpu})")
    return statistics.median(times)


def measure_made_up_articles(number, servers, paragraphs, requests, visits):
    from django.db import connection
    from django.test import Client

    import bcms.wsgi  # noqa: F401 - configures the garbage collector as in the site's processes
    from annotations.results.models import Annotation
    from servers.calls.models import Queue
    from tests.benchmarks.annotated_articles import make_annotated_articles, make_long_article

    articles = make_annotated_articles(number, servers)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"{len(articles)} articles, {Annotation.objects.count()} annotations")
    client = Client()
    measure_pages(client, articles)
    article = make_long_article(list(Queue.objects.order_by("pk")), paragraphs)
    measure_long_text(client, article, requests, visits)


def measure_stored_articles(sample=SAMPLE):
    """The pages of some articles of whatever the database holds, and how large they are."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    import bcms.wsgi  # noqa: F401 - as above
    from annotations.articles.models import Article

    keys = list(Article.objects.filter(standing__servers__gte=1).order_by("pk").values_list("pk", flat=True))
    articles = list(Article.objects.filter(pk__in=keys[:: max(len(keys) // sample, 1)][:sample]))
    client = Client(SERVER_NAME="localhost")
    measure_pages(client, articles)
    for name, rest in (("page", ""), ("poll, all new", "live/?v=0")):
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/articles/{articles[0].pmid}/{rest}")
            number = len(queries)
        plain = compute_median_size(client, articles, rest, {})
        packed = compute_median_size(client, articles, rest, {"accept-encoding": "gzip"})
        print(f"{name:<18} {number} queries, median {plain:.1f} kB, {packed:.1f} kB packed")


def compute_median_size(client, articles, rest, headers):
    """The median size of an answer in kB, of every tenth article."""
    answers = (client.get(f"/articles/{own.pmid}/{rest}", headers=headers) for own in articles[::10])
    return statistics.median(len(answer.content) for answer in answers) / 1000


def read_annotations(article):
    from annotations.results.models import Annotation

    return list(Annotation.objects.filter(result__article=article, result__superseded__isnull=True).values_list())


def measure_pages(client, articles):
    """With a cookie, as a page that is made for a visitor without is kept for the next one."""
    visitor = type(client)()
    client.cookies["reader"] = "1"
    for article in articles[:10]:
        client.get(f"/articles/{article.pmid}/")
        visitor.get(f"/articles/{article.pmid}/")
    pages = {article: client.get(f"/articles/{article.pmid}/").context["page"] for article in articles}
    reading = print_times("annotations alone", [lambda a=a: read_annotations(a) for a in articles])
    for name, requests in (
        ("page", [lambda a=a: client.get(f"/articles/{a.pmid}/") for a in articles]),
        ("page, kept", [lambda a=a: visitor.get(f"/articles/{a.pmid}/") for a in articles[:10] * 30]),
        ("page, a mention", [lambda a=a: client.get(f"/articles/{a.pmid}/", {"mention": "0-3"}) for a in articles]),
        ("poll, all new", [lambda a=a: client.get(f"/articles/{a.pmid}/live/", {"v": "0"}) for a in articles]),
        (
            "poll, nothing new",
            [lambda a=a, v=p.version: client.get(f"/articles/{a.pmid}/live/", {"v": v}) for a, p in pages.items()],
        ),
    ):
        print_ratio(f"{name} / reading the annotations alone", print_times(name, requests), reading)


def measure_long_text(client, article, requests, visits):
    url = f"/articles/{article.pmid}/"
    from bcms.article_page.text.marked_text import format_parts

    page = client.get(url).context["page"]
    print(f"{len(article.text):,} characters, {len(read_annotations(article)):,} annotations")
    mentions = [format_parts(each) for each in page.reading.mention_links.mentions]
    reading = print_times("annotations alone", [lambda: read_annotations(article)] * requests)
    paths = {
        "page": (url, {}),
        "page, mentions": (url, {"kind": "mention"}),
        "page, filtered": (url, {"kind": "mention", "taxon": "9606", "agree": "2"}),
    }
    for name, (path, query) in paths.items():
        median = print_times(f"long {name}", [lambda p=path, q=query: client.get(p, q)] * requests)
        plain = len(client.get(path, query).content)
        packed = len(client.get(path, query, headers={"accept-encoding": "gzip"}).content)
        print(f"{'':<18} {plain / 1000:,.0f} kB, {packed / 1000:,.0f} kB packed")
        print_ratio(f"long {name} / reading the annotations alone", median, reading)
    chosen = mentions[: 3 * (requests + 1) : 3]
    for kind in ("normalization", "mention"):
        measure_choices(f"long a choice, {kind}", client, url, kind, chosen, reading)
    for name, reader in iter_accounts():
        measure_choices(f"long a choice, {name}", reader, url, "normalization", chosen, reading)
    if visits:
        measure_in_browser(url, visits)


def iter_accounts():
    """The name and the client of accounts that see as much as visitors, what their team does, and everything."""
    from django.contrib.auth.models import User
    from django.test import Client

    from servers.teams.models import Membership, Team

    users = {name: User.objects.create_user(name, is_staff=name == "staff") for name in ("account", "member", "staff")}
    Membership.objects.create(team=Team.objects.get(), user=users["member"])
    for name, user in users.items():
        client = Client()
        client.force_login(user)
        yield name, client


def measure_choices(name, client, url, kind, mentions, reading):
    """Words that a reader chooses one after the other on a page that has the text and the rows of the choice before."""
    kept, sizes = [], []

    def choose(mention):
        response = client.get(f"{url}live/", {"v": "", "keep": kept, "kind": kind, "mention": mention})
        page = response.context["page"]
        kept[:] = [page.reading.text_signature, page.rows_signature]
        sizes.append(len(response.content))

    choose(mentions[0])
    median = print_times(name, [lambda m=m: choose(m) for m in mentions[1:]])
    print(f"{'':<18} {statistics.mean(sizes[1:]) / 1000:,.0f} kB")
    print_ratio(f"{name} / reading the annotations alone", median, reading)


FIRST_VIEW = """() => new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntries()[0].startTime)).observe({ type: "paint", buffered: true });
})"""
CHOICE = """(mark) => new Promise((done, fail) => {
  const start = performance.now();
  const word = mark.textContent;
  const wait = () => {
    if (performance.now() - start > 30000) fail(new Error("the chosen mention is not shown within 30 s"));
    else if (document.querySelector("#mention .mention-text")?.textContent === word) done(performance.now() - start);
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


def measure_in_browser(url, visits):
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
            print("no Chromium was found")
            return
        address = f"http://127.0.0.1:{server.port}{url}"
        first_views = [measure_first_view(browser, WIDE, address) for _ in range(visits)]
        print(f"first view         median {statistics.median(first_views):6.0f} ms   ({visits} visits)")
        page = browser.new_page(viewport=WIDE)
        page.goto(address)
        print(f"{'':<18} {page.evaluate('document.querySelectorAll(`*`).length'):,} elements")
        choices = list(iter_choice_times(page, 2 * visits))
        print(f"choosing a word    median {statistics.median(choices):6.0f} ms   ({len(choices)} words)")
        keys = list(iter_key_times(page, 8 * visits))
        print(f"a key              median {statistics.median(keys):6.1f} ms   ({len(keys)} keys)")
        frames = page.evaluate(FRAMES)
        print(f"scrolling a screen median {statistics.median(frames):6.1f} ms   slowest {max(frames):.0f} ms")
        browser.close()
    server.terminate()


def measure_first_view(browser, viewport, address):
    page = browser.new_context(viewport=viewport).new_page()
    page.goto(address)
    milliseconds = page.evaluate(FIRST_VIEW)
    page.context.close()
    return milliseconds


def iter_choice_times(page, number):
    """Milliseconds from the click on a marked word until its sentences are beside the text."""
    for each in range(number):
        mark = page.locator("a.mark[id]").nth(each * 3)
        yield mark.evaluate(CHOICE)


def iter_key_times(page, number):
    """Milliseconds from a key until the next frame is drawn."""
    page.locator("a.mark[tabindex='0']").first.focus()
    for _ in range(number):
        yield page.evaluate(
            "() => new Promise(done => { const start = performance.now();"
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true}));"
            "requestAnimationFrame(() => done(performance.now() - start)); })"
        )


def main(articles: int = 300, servers: int = 8, paragraphs: int = 500, requests: int = 12, visits: int = 5) -> None:
    with set_up_empty_site():
        measure_made_up_articles(articles, servers, paragraphs, requests, visits)


if __name__ == "__main__":
    run_main(main)
