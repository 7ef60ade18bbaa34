"""How fast articles are found in whatever the database holds; it writes only article summaries that are out of date.

    python -m tests.benchmarks.searching --articles 300
    DATABASE_URL=... REDIS_URL=... SECRET_KEY=x python -m tests.benchmarks.searching

Prints for each sort of search the median, the 95th percentile and the longest time in milliseconds of the whole request
inside the process, the number of queries, the mean milliseconds of processor time here and in the database and the
number of articles found, 10,001 for more than 10,000; the aim is 150 ms at the 95th percentile over all of them. The
ratios compare the medians with looking through all texts for one word without an index.
What is searched for is taken from the database: words of every nth title, identifiers, organisms and servers of every
nth summary, so two runs on the same data search for the same. --best-of 3 takes the fastest of three requests for each
search, on a machine that has other things to do meanwhile.
"""

import re
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_site
from tests.benchmarks.spent import measure_time

SAMPLE = 40
PAGES = 15
LOOK_THROUGH = "SELECT count(*) FROM annotations_article WHERE text ILIKE '%protein%'"


@dataclass(frozen=True)
class SearchGroup:
    """Searches of one sort, as the fields of the form."""

    name: str
    searches: list[dict[str, str]]


def measure_searches(best_of=1, sample=SAMPLE, pages=PAGES):
    update_summaries()
    looking = statistics.median(measure_look_through() for _ in range(3))
    print(f"{'looking through all texts':<30}{looking:7.1f}")
    print(f"{'':<30}{'p50':>7}{'p95':>7}{'max':>7}  queries   CPU +database  found (median)")
    times = []
    for group in iter_search_groups(sample, pages):
        own = measure_group(group, best_of)
        print_ratio(f"{group.name} / looking through all texts", statistics.median(own), looking)
        times += own
    print(f"{'all':<30}{format_percentiles(times)}")


def update_summaries():
    from django.db import connection

    from annotations.articles.models import Article
    from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
    from annotations.results.models import Annotation, ArticleSummary

    start = time.perf_counter()
    before = ArticleSummary.objects.count()
    while update_summaries_returning_whether_more_remain():
        pass
    print(f"{Article.objects.count():,} articles, {Annotation.objects.count():,} annotations")
    print(f"summaries: {ArticleSummary.objects.count() - before:,} more in {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    update_summaries_returning_whether_more_remain()
    print(f"           {1000 * (time.perf_counter() - start):.0f} ms to see that none has changed")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def measure_look_through():
    """Milliseconds."""
    from django.db import connection

    start = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute(LOOK_THROUGH)
    return 1000 * (time.perf_counter() - start)


def measure_group(group, best_of):
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(SERVER_NAME="localhost")
    client.get("/articles/", group.searches[0])
    times, counts = [], []
    with measure_time() as spent:
        for fields in group.searches:
            tries = [measure_search(client, fields) for _ in range(best_of)]
            times.append(min(milliseconds for milliseconds, _ in tries))
            counts.append(tries[0][1])
    own, database = (1000 * seconds / len(times) / best_of for seconds in (spent.own, spent.database))
    with CaptureQueriesContext(connection) as queries:
        client.get("/articles/", group.searches[0])
    cpu = f"{own:6.1f}  +{database:6.1f}"
    found = statistics.median(counts)
    print(f"{group.name:<30}{format_percentiles(times)}  {len(queries):>7}{cpu}  {found:,.0f}", flush=True)
    return times


def measure_search(client, fields):
    """Milliseconds and the number of articles found; a redirect leads to the only one."""
    start = time.perf_counter()
    response = client.get("/articles/", fields)
    milliseconds = 1000 * (time.perf_counter() - start)
    return milliseconds, response.context["search"].results.count if response.status_code == 200 else 1


def format_percentiles(times):
    p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return f"{statistics.median(times):7.1f}{p95:7.1f}{max(times):7.1f}"


def iter_search_groups(sample, pages) -> Iterator[SearchGroup]:
    words, genes = list_title_words(sample), list_identifiers(sample, "uniprot", "ncbigene")
    taxa = list_identifiers(sample, "ncbitaxon")
    orders = ("newest", "ppi", "servers", "disagreement")
    likely = [{"server": own, "ppi": "1", "sort": "ppi"} for own in list_server_slugs()]
    years = {"year_from": "1978", "year_to": "2021"}
    everything = {"taxon": "9606", "servers": "2", "sort": "ppi"}
    combined = [{"q": word, "gene": gene, **everything} for word, gene in zip(words, genes, strict=False)]
    disagreeing = {"disagree": "1", "servers": "3", "sort": "disagreement"}
    gene_mention = {"type": "Gene", "confidence": "0.5"}
    disputed = {"sort": "disagreement", "servers": "2"}
    for name, searches in (
        ("no filter", [{"sort": own} for own in orders] * max(sample // 4, 1)),
        ("a frequent word", [{"q": own} for own in list_frequent_words(sample)]),
        ("a word", [{"q": own} for own in words]),
        ("two words", [{"q": f"{a} {b}"} for a, b in pairwise(words)]),
        ("a phrase", [{"q": f'"{own}"'} for own in list_phrases(sample)]),
        ("one or another, -without", [{"q": f"{a} or {b} -cell"} for a, b in pairwise(words)]),
        ("a word, likeliest first", [{"q": own, "sort": "ppi"} for own in words]),
        ("a word, most disputed first", [{"q": own, **disputed} for own in words]),
        ("a journal and years", [{"journal": own, **years} for own in list_journals(sample)]),
        ("a gene by identifier", [{"gene": own} for own in genes]),
        ("a gene by name", [{"gene": own} for own in list_symbols(sample)]),
        ("an organism", [{"taxon": own.partition(":")[2]} for own in taxa]),
        ("a type, with a confidence", [{"type": own, "confidence": "0.9"} for own in list_types(sample)]),
        ("a mention", [{"mention": own} for own in list_mentions(sample)]),
        ("a mention, type, confidence", [{"mention": own, **gene_mention} for own in list_mentions(sample)]),
        ("an entity", [{"entity": own} for own in genes]),
        ("an entity, with a confidence", [{"entity": own, "confidence": "0.8"} for own in genes]),
        ("a server, likely", likely * 3),
        ("disagreeing, three servers", [disagreeing] * max(sample // 4, 1)),
        ("everything", combined),
        ("deep pages", list(iter_deep_pages(pages)) or [{"q": "protein"}]),
    ):
        yield SearchGroup(name, searches)


def iter_deep_pages(pages):
    """The addresses of so many pages after the first one, in each order."""
    from urllib.parse import parse_qsl

    from django.test import Client

    client = Client(SERVER_NAME="localhost")
    for order in ("newest", "ppi", "servers", "disagreement", "relevance"):
        fields = {"q": "protein", "sort": order}
        for _ in range(pages):
            following = client.get("/articles/", fields).context["search"].results.following
            if not following:
                break
            fields = dict(parse_qsl(following.removeprefix("?")))
            yield fields


def select_every_nth(rows, number):
    return rows[:: max(len(rows) // number, 1)][:number]


def list_titles(order, sample):
    """Every nth title."""
    from annotations.articles.models import Article

    keys = select_every_nth(list(Article.objects.order_by(order).values_list("pk", flat=True)), sample)
    titles = Article.objects.filter(pk__in=keys).order_by("pk").values_list("passages__0__text", flat=True)
    return [title or "" for title in titles]


def list_title_words(sample):
    """One long word of every nth title."""
    titles = list_titles("pk", sample)
    return [max(re.findall(r"[A-Za-z]{4,}", title) or ["cell"], key=len) for title in titles] or ["cell"]


def list_phrases(sample):
    phrases = [" ".join(re.findall(r"[A-Za-z]+", title)[:3]) for title in list_titles("-pk", sample)]
    return [own for own in phrases if own] or ["cell"]


def list_frequent_words(sample):
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT word FROM ts_stat('SELECT words FROM annotations_article ORDER BY id LIMIT 3000') "
            "WHERE length(word) > 3 ORDER BY ndoc DESC LIMIT %s",
            [sample],
        )
        return [word for (word,) in cursor.fetchall()] or ["cell"]


def list_identifiers(sample, *databases):
    """The most frequent identifiers, and every nth of all."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM annotations_articlesummary, unnest(named) AS name "
            "WHERE split_part(name, ':', 1) = ANY(%s) "
            "GROUP BY name ORDER BY count(*) DESC, name LIMIT 2000",
            [list(databases)],
        )
        names = [name for (name,) in cursor.fetchall()]
    half = max(sample // 2, 1)
    return [*names[:half], *select_every_nth(names, half)] or [f"{databases[0]}:1"]


def list_types(sample):
    from annotations.search.annotated_types import list_annotated_types

    names = list_annotated_types().list_entity_type_names()[:sample]
    return names * max(sample // max(len(names), 1), 1) or ["Gene"]


def list_mentions(sample):
    """The texts of the most frequent mentions, and of every nth one."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT text FROM annotations_annotation WHERE start IS NOT NULL "
            "GROUP BY text ORDER BY count(*) DESC, text LIMIT 20000"
        )
        texts = [text for (text,) in cursor.fetchall()]
    half = max(sample // 2, 1)
    return [*texts[:half], *select_every_nth(texts, half)] or ["TNF"]


def list_symbols(sample):
    from annotations.identifiers.models import Entry

    symbols = list(Entry.objects.exclude(symbol="").order_by("pk").values_list("symbol", flat=True)[:20_000])
    return select_every_nth(symbols, sample) or ["TP53"]


def list_journals(sample):
    from django.db.models import Count

    from annotations.articles.models import Article

    counted = Article.objects.exclude(journal="").values("journal").annotate(own=Count("pk")).order_by("-own")
    return [own["journal"] for own in counted[:sample]] or ["cell"]


def list_server_slugs():
    from servers.registry.models import Server

    return list(Server.objects.order_by("pk").values_list("slug", flat=True)) or ["none"]


def main(articles: int = 0, best_of: int = 1, sample: int = SAMPLE, pages: int = PAGES) -> None:
    """articles: made up, instead of those of the database"""
    with set_up_site(articles):
        measure_searches(best_of, sample, pages)


if __name__ == "__main__":
    run_main(main)
