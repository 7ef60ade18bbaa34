"""The bare work of the serial loop, without queue: ask, parse, validate and insert, article after article.

    python -m tests.benchmarks.bare_loop FIRST LAST

One thread for each server from FIRST to LAST (by its slug); prints the seconds, by the clock and of the processor. No
claim, no attempt, no lease: what a script would do that loses its place when it dies.
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from annotations.models import Article, Producer  # noqa: E402
from annotations.storing import store_results  # noqa: E402
from bcms.lib.http import Exchange  # noqa: E402
from servers.client import Question, ask  # noqa: E402
from servers.loop import judged  # noqa: E402
from servers.models import Server  # noqa: E402


def ask_all(server: Server, articles: list[Article]) -> None:
    producer = Producer.objects.create(sort=Producer.Sort.SERVER, name=f"bare {server.name}")
    for article in articles:
        answer = judged(ask(question_of(server, article), Exchange())).answer
        by_kind = {kind: [f for f in answer.findings if f.kind == kind] for kind in server.registered_kinds}
        store_results(article, producer, by_kind, reply=answer.raw, duration=0.0)
    connection.close()


def question_of(server: Server, article: Article) -> Question:
    return Question(
        url=server.url,
        protocol=server.protocol,
        method=server.method,
        send=server.send,
        kinds=server.registered_kinds,
        time_limit=600.0,
        networks=settings.ALLOWED_NETWORKS,
        identifier=str(article.pmid),
        pmid=article.pmid,
        title=article.title,
        abstract=article.abstract,
        text=article.text,
    )


def main(first: int, last: int) -> None:
    articles = list(Article.objects.order_by("pk"))
    servers = [Server.objects.select_related("team").get(slug=f"s{number}") for number in range(first, last)]
    started, used = time.monotonic(), time.process_time()
    with ThreadPoolExecutor(len(servers)) as pool:
        list(pool.map(lambda server: ask_all(server, articles), servers))
    print(time.monotonic() - started, time.process_time() - used)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
