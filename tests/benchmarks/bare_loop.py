"""The bare work of the serial loop, without queue: request, parse, validate and insert, article after article.

    python -m tests.benchmarks.bare_loop FIRST LAST

One thread for each server from FIRST to LAST (by its slug); prints the seconds, by the clock and of the processor. No
claim, no attempt, no lease: what a script would do that cannot go on after a crash.
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

from annotations.articles.models import Article  # noqa: E402
from annotations.results.models import Producer  # noqa: E402
from annotations.results.storage import store_results_superseding_earlier  # noqa: E402
from bcms.lib.http.exchange import Exchange  # noqa: E402
from servers.calls.client import request_answer_and_collect_broken_rules  # noqa: E402
from servers.calls.loop import check_answer_identifiers_and_build_ending  # noqa: E402
from servers.protocols.annotation_requests import AnnotationRequest  # noqa: E402
from servers.registry.models import Server  # noqa: E402


def request_all_articles(server: Server, articles: list[Article]) -> None:
    producer = Producer.objects.create(sort=Producer.Type.SERVER, name=f"bare {server.name}")
    for article in articles:
        answer = check_answer_identifiers_and_build_ending(
            request_answer_and_collect_broken_rules(build_request(server, article), Exchange())
        ).answer
        by_kind = {kind: [each for each in answer.annotations if each.kind == kind] for kind in server.registered_kinds}
        store_results_superseding_earlier(article, producer, by_kind, reply_body=answer.raw, duration_seconds=0.0)
    connection.close()


def build_request(server: Server, article: Article) -> AnnotationRequest:
    return AnnotationRequest(
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
        list(pool.map(lambda server: request_all_articles(server, articles), servers))
    print(time.monotonic() - started, time.process_time() - used)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
