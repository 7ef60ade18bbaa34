"""How fast the article page answers: 300 articles that eight servers annotated, in a database of its own.

    DATABASE_URL=... REDIS_URL=... SECRET_KEY=x python -m tests.benchmarks.article_page

Prints the median and the 95th percentile in milliseconds of the whole request inside the process: of the page and of
the two answers to a poll (nothing new, all new); the aim is 50 ms at the 95th percentile.
"""

import os
import statistics
import time

import django


def milliseconds(request):
    started = time.perf_counter()
    request()
    return 1000 * (time.perf_counter() - started)


def measure(name, requests):
    times = [milliseconds(request) for request in requests]
    p95 = statistics.quantiles(times, n=20)[-1]
    print(f"{name:<18} p50 {statistics.median(times):6.1f} ms   p95 {p95:6.1f} ms   ({len(times)} requests)")


def run():
    from django.db import connection
    from django.test import Client

    from annotations.models import Annotation
    from tests.benchmarks.annotated_articles import fill

    articles = fill(300, 8)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"{len(articles)} articles, {Annotation.objects.count()} annotations")
    client = Client()
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
