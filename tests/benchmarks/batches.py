"""Texts per second with 1, 8 and 64 articles in one request, to a server that costs 200 ms and 10 ms for each text.

    python -m tests.benchmarks.batches [--articles 192] [--milliseconds 200] [--each 10]

One loop calls one server, which sleeps and answers with one mention for each text. Prints texts a second beside what
the server alone could do, and how many times as fast each size is as one article in a request.
"""

import time

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site

SIZES = (1, 8, 64)
TEXT = "CDH1 in a case of gastric cancer"
FOUND = {"mention": [{"start": 0, "end": 4, "text": "CDH1", "type": "Gene"}]}


def make_articles(number: int) -> list[int]:
    from annotations.articles.models import Article

    passages = [{"type": "title", "text": TEXT}]
    made = Article.objects.bulk_create(
        Article(pmid=n, passages=passages, text=TEXT, content_hash=f"{n:064d}") for n in range(1, number + 1)
    )
    return [article.pk for article in made]


def measure_seconds(size: int, article_ids: list[int], milliseconds: float, each: float) -> float:
    """Seconds until a server that takes so many articles in one request has answered all of them."""
    from servers.calls import loop
    from servers.calls.models import Call
    from servers.calls.queues import contents
    from servers.calls.states import CallState, QueueMode
    from servers.registry import lifecycle
    from servers.registry.models import Server
    from servers.teams.models import Team
    from tests.taskserver import TaskServer

    def annotate(asked):
        sent = asked.json
        articles = sent if isinstance(sent, list) else [sent]
        time.sleep((milliseconds + each * len(articles)) / 1000)
        answers = [{"id": article["id"], "annotations": FOUND} for article in articles]
        return 200, {}, answers if isinstance(sent, list) else answers[0]

    team, _ = Team.objects.get_or_create(name="T", slug="t")
    with TaskServer(annotate) as there:
        server = Server.objects.create(
            team=team,
            name=f"S{size}",
            slug=f"s{size}",
            url=there.url,
            protocol="rest",
            kinds=["mention"],
            articles_per_request=size,
        )
        queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
        contents.enqueue_articles_without_open_or_test_call(queue, article_ids)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        started = time.monotonic()
        while loop.run_slices_if_slot_and_lease_free(server.pk) != "idle":
            pass
        seconds = time.monotonic() - started
    assert Call.objects.filter(queue=queue, state=CallState.ANSWERED, tries=1).count() == len(article_ids)
    return seconds


def main(articles: int = 192, milliseconds: float = 200.0, each: float = 10.0) -> None:
    with set_up_empty_site():
        ids = make_articles(articles)
        speeds = {}
        for size in SIZES:
            speeds[size] = articles / measure_seconds(size, ids, milliseconds, each)
            alone = 1000 / (milliseconds / size + each)
            print(f"{size:2} articles in one request: {speeds[size]:5.1f} texts/s (the server alone: {alone:.1f})")
        for size in SIZES[1:]:
            print_ratio(f"texts/s with {size} articles in one request / with one", speeds[size], speeds[1])


if __name__ == "__main__":
    run_main(main)
