"""An upgrade as docs/operations.md describes it: each process is replaced, and nobody loses anything."""

import re
import threading
import time
from contextlib import ExitStack

import pytest

from tests.annotator import Annotator
from tests.compose_file import ROOT
from tests.deployment.crowd import run_crowd
from tests.deployment.registration import register_server
from tests.deployment.running import STOP_SECONDS, get_service, list_parts, wait_until
from tests.deployment.visitor import Visitor

pytestmark = pytest.mark.long

OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
FOUND = {"mentions": [{"offset": 0, "section": "title", "mention": "Article"}]}
SECONDS = 0.7
ARTICLES = range(930_001, 930_081)
# Less than in docker-compose.yml for asking workers, because a call of this test lasts until its worker is killed.
ASKING_STOP_SECONDS = 10.0
CALLS = """
SELECT call.state, call.tries, count(DISTINCT result.id), string_agg(DISTINCT attempt.outcome, ' ')
FROM servers_call call JOIN servers_server server ON server.id = call.server_id
JOIN servers_queue queue ON queue.id = call.queue_id
LEFT JOIN annotations_result result ON result.article_id = call.article_id AND result.producer_id = queue.producer_id
LEFT JOIN servers_attempt attempt ON attempt.call_id = call.id
WHERE server.name LIKE 'Rolling %' GROUP BY call.id
"""


def list_services_of_the_operator():
    """The services that the commands of the document replace, in their order."""
    section = OPERATIONS.split("\n## Upgrades\n")[1].split("\n## ")[0]
    named = re.findall(r"^    docker compose up -d --no-deps (?:--wait )?([\w ]+)$", section, re.MULTILINE)
    return " ".join(named).split()


def list_restarted_parts():
    return [
        part for service in list_services_of_the_operator() for part in list_parts() if get_service(part) == service
    ]


class Patience:
    """An annotation server that answers the first article of its queue only when it is asked again."""

    def __init__(self):
        self.pmids, self.over = [], threading.Event()

    def answer(self, sent):
        self.pmids.append(int(sent["id"]))
        if self.pmids[-1] == ARTICLES[0] and self.count_requests() == 1:
            self.over.wait()
        return FOUND

    def count_requests(self):
        return self.pmids.count(ARTICLES[0])


def answer_after_a_while(sent):
    time.sleep(SECONDS)
    return FOUND


def test_the_operator_replaces_every_process():
    assert set(list_services_of_the_operator()) == {get_service(part) for part in list_parts()}


@pytest.fixture
def uploader(deployment):
    """The organizer."""
    visitor = Visitor(deployment.url, deployment.certificate)
    visitor.log_in("olga")
    return visitor


@pytest.fixture
def patience():
    behaviour = Patience()
    yield behaviour
    behaviour.over.set()


@pytest.fixture
def annotators(manager, uploader, patience):
    """Three servers with calls under way; the last one answers only when its worker has been killed."""
    with ExitStack() as stack:
        quick = [stack.enter_context(Annotator(answer_after_a_while)) for _ in range(2)]
        slow = stack.enter_context(Annotator(patience.answer))
        pages = [register_server(manager, each, f"Rolling {n}", 300) for n, each in enumerate([*quick, slow])]
        # Not earlier: a trial sends any article.
        content = "\n".join(f"{pmid}|t|Article {pmid}\n{pmid}|a|In cells.\n" for pmid in ARTICLES).encode()
        uploader.post("/articles/upload/", files={"file": ("queue.pubtator", content)})
        for page, pmids in zip(pages, [ARTICLES, ARTICLES, ARTICLES[:1]], strict=True):
            manager.post(page, f"{page}load/", pmids=" ".join(map(str, pmids)))
        wait_until(lambda: patience.count_requests() == 1, "the slow server is asked")
        yield [*quick, slow]


def restart_part(deployment, part):
    """Replace a process; whether the former one ended by itself."""
    seconds = ASKING_STOP_SECONDS if get_service(part) == "asking" else STOP_SECONDS
    return deployment.restart_part(part, seconds)


def list_calls(deployment):
    """State, tries, results and outcomes of each call."""
    return [line.split("|") for line in deployment.query("bcms", f"--command={CALLS}").splitlines()]


def count_requests(annotators):
    """How often articles of the queues were sent."""
    return sum(int(sent["id"]) in ARTICLES for each in annotators for sent in each.asked)


def test_nobody_loses_anything_while_processes_are_replaced(deployment, uploader, patience, annotators):
    with run_crowd(uploader) as crowd:
        killed = [part for part in list_restarted_parts() if not restart_part(deployment, part)]
        wait_until(lambda: patience.count_requests() == 2, "the call of the killed worker is made again")
    wait_until(lambda: {state for state, *_ in list_calls(deployment)} == {"answered"}, "all calls are answered")
    calls = list_calls(deployment)
    given_back = [outcomes for *_, outcomes in calls if "lost" in outcomes]
    asked = count_requests(annotators)
    print(f"{crowd.answered} requests, {len(crowd.uploaded)} uploads, the slowest page {crowd.slowest:.1f} s")
    print(f"{len(calls)} calls, {asked} requests at servers, {len(given_back)} calls given back, killed: {killed}")

    assert crowd.faults == []
    assert crowd.answered >= 300
    numbers = ",".join(map(str, crowd.uploaded))
    stored = deployment.query("bcms", f"--command=SELECT count(*) FROM annotations_article WHERE pmid IN ({numbers})")
    assert int(stored) == len(crowd.uploaded)
    # One result of each call, and no try counted for what was given back.
    assert [(tries, results) for _, tries, results, _ in calls] == [("1", "1")] * (2 * len(ARTICLES) + 1)
    assert {outcomes for *_, outcomes in calls} == {"answered", "answered lost"}
    assert asked == len(calls) + len(given_back)
    assert {get_service(part) for part in killed} == {"asking"}
