"""One round of crashes: servers with long queues, blows, the wait until every server answers anew, and the counts."""

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

from annotations.articles.models import Article
from annotations.results.models import Annotation, Reply, Result
from servers.calls.models import Attempt, Batch, Call, Queue
from servers.calls.queues import contents
from servers.calls.states import OPEN_CALLS, CallState, Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.teams.models import Team
from tests.crashes.annotators import Annotator
from tests.crashes.blows import BLOWS
from tests.crashes.figures import Figures
from tests.crashes.progress import LIMIT_SECONDS, wait_for_new_answers
from tests.crashes.site import Site, wait_until

# "batches" are REST servers that take several articles in one request.
PROTOCOLS = ("bcms", "batches", "rest", "becalm")
ARTICLES_PER_REQUEST = 4
TEAMS = 4


@dataclass
class Round:
    site: Site
    annotators: dict[int, Annotator]

    @classmethod
    def begin(cls, site: Site, servers: int, articles: int, seconds: float) -> "Round":
        """Servers online with all articles in their queues; no worker runs yet."""
        ids = make_articles(articles)
        teams = [Team.objects.create(name=f"T{n}", slug=f"t{n}") for n in range(TEAMS)]
        made = {}
        for number, protocol in zip(range(servers), cycle(PROTOCOLS), strict=False):
            annotator = Annotator(protocol, seconds)
            server = Server.objects.create(
                review="accepted",
                team=teams[number % TEAMS],
                name=f"S{number}",
                slug=f"s{number}",
                url=annotator.url,
                protocol="rest" if protocol == "batches" else protocol,
                articles_per_request=ARTICLES_PER_REQUEST if protocol == "batches" else 1,
                kinds=["mention"],
            )
            callback_url = f"http://127.0.0.1:{site.web_port}/api/saveAnnotations/JSON"
            annotator.call_back_to = f"{callback_url}?apikey={server.api_key}"
            contents.enqueue_articles_without_open_or_test_call(
                contents.get_or_create_queue_and_producer(server, QueueMode.LIVE), ids
            )
            lifecycle.bring_server_online_and_resume_resting_queues(server)
            made[server.pk] = annotator
        return cls(site, made)

    def strike(self, name: str, chance: random.Random) -> float:
        """One blow at a random moment; the seconds from the part's return until every server has a new answer."""
        time.sleep(chance.uniform(0, 2))
        BLOWS[name](self.site, chance)
        return wait_for_new_answers()

    def end(self) -> None:
        """Remove calls that were not begun, and wait until interrupted ones, which come after them, have ended."""
        waiting = Call.objects.filter(state=CallState.WAITING, begun_attempts=0)
        # In one statement, which leaves those alone that are claimed meanwhile.
        waiting._raw_delete(waiting.db)
        begun = Call.objects.filter(state=CallState.WAITING, attempts__isnull=False)
        wait_until(lambda: not begun.exists(), "interrupted calls are repeated", LIMIT_SECONDS)
        for queue in Queue.objects.all():
            contents.delete_untried_or_fail_waiting_calls(queue)
        still_open = Call.objects.filter(state__in=sorted(OPEN_CALLS))
        wait_until(lambda: not still_open.exists(), "the last calls end", LIMIT_SECONDS)

    def count_figures(self, longest: dict[str, float]) -> Figures:
        asked = {
            (server, article): times
            for server, annotator in self.annotators.items()
            for article, times in annotator.counts.requests.items()
        }
        calls = Call.objects.filter(state=CallState.ANSWERED)
        stored = set(
            Result.objects.filter(superseded__isnull=True).values_list("producer__queue__server", "article__pmid")
        )
        tries = Counter(Attempt.objects.values_list("server", "call__article__pmid"))
        results = Result.objects.count()
        return Figures(
            answered=calls.count(),
            lost=len({(server, int(article)) for server, article in asked} - stored),
            doubled=max(results, Reply.objects.count(), Annotation.objects.count()) - calls.count(),
            charged=Call.objects.exclude(tries=1).count(),
            asked_again=sum(asked.values()) - len(asked),
            cut_off=Attempt.objects.exclude(outcome=Outcome.ANSWERED).count(),
            unexplained=sum(max(times - tries[server, int(pmid)], 0) for (server, pmid), times in asked.items()),
            most_at_once=max(annotator.counts.most_at_once for annotator in self.annotators.values()),
            left=Batch.objects.count(),
            outcomes=dict(Counter(Attempt.objects.values_list("outcome", flat=True))),
            longest=longest,
        )


def make_articles(number: int) -> Sequence[int]:
    passages = [{"type": "title", "text": "CDH1 in a case"}, {"type": "abstract", "text": "None."}]
    text = "CDH1 in a case\nNone."
    made = Article.objects.bulk_create(
        (Article(pmid=n, passages=passages, text=text, content_hash=f"{n:064d}") for n in range(1, number + 1)),
        batch_size=2000,
    )
    return [article.pk for article in made]
