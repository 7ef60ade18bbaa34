"""The cast of bad servers, each asked by the loop: how the try ends, what the team is told, and what state is left."""

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import pytest

from annotations.articles.models import Article
from annotations.results.models import Annotation, Result
from bcms.lib.http import connections
from servers.calls import loop
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode, QueueState
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.registry.states import ServerState
from tests import fakeserver as cast
from tests.fakeserver import FakeServer, answer, say, say_json

# Committed, as the heartbeat looks at the leases on a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)

CONNECTION, COMMUNICATION = Outcome.CONNECTION, Outcome.COMMUNICATION
INVALID, NO_ANSWER = Outcome.INVALID, Outcome.NO_ANSWER
URL = "http://127.0.0.1:"
LOG = "Check the server's log for a crash or a timeout"
ANOTHER = "Check caches"
ONE_OBJECT = "Send one JSON object, and nothing before or after it."


def make_server_starter(behave: cast.Behave, **how: bool) -> Callable[[], AbstractContextManager[str]]:
    """A place where a server behaves so."""

    @contextmanager
    def place():
        with FakeServer(behave, **how) as there:
            yield there.url

    return place


@contextmanager
def serve_without_tls():
    """http where https is asked for."""
    with FakeServer(answer(b""), reads=False) as there:
        yield there.url.replace("http:", "https:")


def gene(**also: object) -> dict[str, object]:
    return {"dbname": "UniProt", "dbid": "P12830"} | also


def pair(a: str, b: str) -> dict[str, object]:
    return {"dbname": "UniProt", "a": a, "b": b}


def gene_json(**also: object) -> dict[str, object]:
    return {"database": "uniprot", "identifier": "P12830"} | also


def pair_json(a: str, b: str) -> dict[str, object]:
    return {"database": "uniprot", "identifier": a, "partner": b}


@dataclass(frozen=True)
class Bad:
    """What one of the cast leads to; happened and advice are parts of what its team is told."""

    place: Callable[[], AbstractContextManager[str]]
    outcome: Outcome
    code: str
    happened: str
    advice: str
    protocol: str = "bcms"
    time_limit: int = 20


BAD = {
    "refused": Bad(cast.dead, CONNECTION, "refused", "Nothing listens at 127.0.0.1 port", "Start the server"),
    "unreachable": Bad(cast.deaf, CONNECTION, "unreachable", "cannot be reached at port", "that its firewall allows"),
    "accepts nobody in time": Bad(
        cast.deaf,
        CONNECTION,
        "not-sent",
        "could not be sent completely within the time limit of 1 s",
        "accepts connections",
        time_limit=1,
    ),
    "wrong path": Bad(
        make_server_starter(cast.wrong_path),
        CONNECTION,
        "wrong-path",
        "HTTP status 404 (Not Found)",
        "answer only at / or /RPC2",
    ),
    "TLS error": Bad(
        make_server_starter(cast.good, tls=True),
        CONNECTION,
        "tls",
        "certificate was not accepted: self-signed",
        "Check that the cert",
    ),
    "no TLS": Bad(serve_without_tls, CONNECTION, "tls", "TLS", "Use http:// if the server does not support TLS"),
    "redirect to 127.0.0.1": Bad(
        make_server_starter(cast.redirect_inside),
        CONNECTION,
        "redirect",
        "another URL: http://127.0.0.1:8080/RPC2.",
        "register the URL that",
    ),
    "redirect loop": Bad(
        make_server_starter(cast.redirect_loop),
        CONNECTION,
        "redirect",
        f"to the same URL: {URL}",
        "Answer at the registered URL",
    ),
    "slow loris": Bad(
        make_server_starter(cast.slow_loris),
        NO_ANSWER,
        "no-answer",
        "no complete answer arrived within 2 s",
        "faster",
        time_limit=2,
    ),
    "answer after the deadline": Bad(
        make_server_starter(cast.late(1.5, cast.good)),
        NO_ANSWER,
        "no-answer",
        "no complete answer arrived within 1 s",
        "faster",
        time_limit=1,
    ),
    "endless body": Bad(
        make_server_starter(cast.endless_chunks),
        COMMUNICATION,
        "too-large",
        "larger than 16,777,216 bytes.",
        "Send fewer annotations",
    ),
    "gzip bomb": Bad(
        make_server_starter(cast.gzip_bomb(20)),
        COMMUNICATION,
        "too-large",
        "16,777,216 bytes when it is decompressed",
        "Send fewer",
    ),
    "billion laughs": Bad(
        make_server_starter(cast.billion_laughs),
        COMMUNICATION,
        "dtd",
        "document type declaration (DTD), which is not allowed",
        "without a DTD",
    ),
    "external entity": Bad(
        make_server_starter(cast.external_entity), COMMUNICATION, "dtd", "which is not allowed", "or entities"
    ),
    "not XML": Bad(
        make_server_starter(cast.not_xml),
        COMMUNICATION,
        "not-xml",
        "not XML: syntax error at line 1",
        "Send an XML-RPC",
    ),
    "fault": Bad(
        make_server_starter(cast.fault),
        COMMUNICATION,
        "fault",
        "The server raised fault 7: no model loaded.",
        "Check the server's log",
    ),
    "truncated": Bad(
        make_server_starter(cast.truncated), COMMUNICATION, "cut-off", "ended in the middle of the answer", LOG
    ),
    "breaks off": Bad(make_server_starter(cast.breaks_off), COMMUNICATION, "cut-off", "is incomplete: ", LOG),
    "Latin-1 declared UTF-8": Bad(
        make_server_starter(cast.latin1),
        COMMUNICATION,
        "wrong-encoding",
        '0xEF, is not valid utf-8; in Latin-1 it is "ï"',
        "UTF-8",
    ),
    "confidence NaN": Bad(
        make_server_starter(say(normalizations=[gene(confidence=float("nan"))])),
        *(INVALID, "R101", "normalizations[0].confidence: The confidence is not a number.", "Scale confidences"),
    ),
    "confidence negative": Bad(
        make_server_starter(say(normalizations=[gene(confidence=-0.5)])),
        INVALID,
        "R101",
        "The confidence is -0.5",
        "Scale confidences",
    ),
    "ranks doubled": Bad(
        make_server_starter(say(normalizations=[gene(rank=1), gene(dbid="P35222", rank=1)])),
        *(INVALID, "R103", "normalizations[1].rank: Another annotation already has rank 1", "its own rank"),
    ),
    "offsets in bytes": Bad(
        make_server_starter(say(mentions=cast.mentions(cast.count_bytes))),
        INVALID,
        "R105",
        "count bytes",
        "code points from 0",
    ),
    "offsets in UTF-16": Bad(
        make_server_starter(say(mentions=cast.mentions(cast.count_utf16_units))),
        INVALID,
        "R105",
        "as in Java and JavaScript",
        "code points",
    ),
    "offsets from 1": Bad(
        make_server_starter(say(mentions=cast.mentions(cast.count_from_one))),
        INVALID,
        "R105",
        "count from 1 instead of 0",
        "from 0",
    ),
    "title left out": Bad(
        make_server_starter(say(mentions=cast.mentions(cast.count_without_title))),
        INVALID,
        "R105",
        "omit the title. Count it",
        "code points",
    ),
    "entry names for accessions": Bad(
        make_server_starter(say(normalizations=[gene(dbid="CADH1_HUMAN")])),
        *(INVALID, "R112", '"CADH1_HUMAN" is a UniProt entry name', "Map entry names to accessions"),
    ),
    "100,000 annotations": Bad(
        make_server_starter(cast.hundred_thousand),
        COMMUNICATION,
        "too-many-values",
        "more than 200,000 values",
        "Send fewer",
    ),
    "swapped pairs": Bad(
        make_server_starter(say(pairs=[pair("P12830", "P35222"), pair("P35222", "P12830")])),
        *(INVALID, "R120", "pairs[1]: The answer already contains this annotation (pairs", "Send each"),
    ),
    "answer for another article": Bad(
        make_server_starter(cast.other_article),
        INVALID,
        "R107",
        "nor any other mention of the answer occurs in the article",
        ANOTHER,
    ),
    "answers twice in one document": Bad(
        make_server_starter(cast.answers_twice),
        COMMUNICATION,
        "not-xml",
        "extra data after the root element",
        "nothing before or after it",
    ),
}


BAD |= {
    f"{protocol}: {name}": Bad(place, outcome, code, happened, advice, protocol, time_limit)
    for protocol in ("rest", "pubannotation", "becalm")
    for name, place, outcome, code, happened, advice, time_limit in [
        ("refused", cast.dead, CONNECTION, "refused", "Nothing listens at", "Start the server", 20),
        (
            "wrong path",
            make_server_starter(cast.wrong_path),
            CONNECTION,
            "wrong-path",
            "404",
            "Correct the path in the server's URL",
            20,
        ),
        (
            "redirect",
            make_server_starter(cast.redirect_inside),
            CONNECTION,
            "redirect",
            "http://127.0.0.1:8080/RPC2.",
            "Redirects of calls are not followed",
            20,
        ),
        ("late", make_server_starter(cast.silence), NO_ANSWER, "no-answer", "within 1 s", "Make the server faster", 1),
        (
            "truncated",
            make_server_starter(cast.truncated),
            COMMUNICATION,
            "cut-off",
            "in the middle of the answer",
            LOG,
            20,
        ),
        ("breaks off", make_server_starter(cast.breaks_off_json), COMMUNICATION, "cut-off", "is incomplete", LOG, 20),
        (
            "not JSON",
            make_server_starter(cast.not_xml),
            COMMUNICATION,
            "not-json",
            "The answer is not JSON: a value is missing",
            ONE_OBJECT,
            20,
        ),
        (
            "twice",
            make_server_starter(cast.answers_twice_json),
            COMMUNICATION,
            "not-json",
            "extra data after the value",
            ONE_OBJECT,
            20,
        ),
        (
            "Latin-1",
            make_server_starter(cast.latin1_json),
            COMMUNICATION,
            "wrong-encoding",
            'in Latin-1 it is "ï"',
            "in UTF-8",
            20,
        ),
        (
            "100,000",
            make_server_starter(cast.hundred_thousand_json),
            COMMUNICATION,
            "too-many-values",
            "200,000",
            "Send fewer",
            20,
        ),
    ]
}
BAD |= {
    f"rest: {name}": Bad(make_server_starter(behave), INVALID, code, happened, advice, "rest")
    for name, behave, code, happened, advice in [
        ("NaN", say_json(normalization=[gene_json(confidence=float("nan"))]), "R101", "is not a number", "Scale"),
        ("negative", say_json(normalization=[gene_json(confidence=-0.5)]), "R101", "is -0.5, which is not", "Scale"),
        (
            "ranks doubled",
            say_json(normalization=[gene_json(rank=1), gene_json(identifier="P35222", rank=1)]),
            *("R103", "annotations.normalization[1].rank: Another", "its own rank"),
        ),
        ("bytes", say_json(mention=cast.spans(cast.count_bytes)), "R105", "count bytes", "code points from 0"),
        (
            "UTF-16",
            say_json(mention=cast.spans(cast.count_utf16_units)),
            "R105",
            "count UTF-16 code units",
            "code points",
        ),
        ("from 1", say_json(mention=cast.spans(cast.count_from_one)), "R105", "count from 1 instead of 0", "from 0"),
        (
            "inclusive",
            say_json(mention=cast.spans(cast.count_code_points, last=-1)),
            "R105",
            "the mention's last character",
            "code points",
        ),
        (
            "no title",
            say_json(mention=cast.spans(cast.count_without_title)),
            "R105",
            "omit the title",
            "code points",
        ),
        ("entry names", say_json(normalization=[gene_json(identifier="CADH1_HUMAN")]), "R112", "entry name", "Map"),
        (
            "swapped pairs",
            say_json(pair=[pair_json("P12830", "P35222"), pair_json("P35222", "P12830")]),
            *("R120", "pairs have no direction", "once"),
        ),
        (
            "other article",
            cast.other_article_json,
            "wrong-article",
            "is about article 999, but article 60000001",
            ANOTHER,
        ),
    ]
}
BAD |= {
    "pubannotation: other article": Bad(
        make_server_starter(answer(b'{"sourceid": "999", "denotations": []}')),
        *(INVALID, "wrong-article", "is about article 999, but article 60000001", ANOTHER, "pubannotation"),
    ),
    "pubannotation: span outside": Bad(
        make_server_starter(answer(b'{"denotations": [{"span": {"begin": 3, "end": 900}, "obj": "Gene"}]}')),
        *(
            INVALID,
            "R104",
            "denotations[0].span.begin: The mention covers characters 3 to 900",
            "Count characters",
            "pubannotation",
        ),
    ),
}


@pytest.fixture
def queue(server):
    """The article of the cast waits for a server that is registered for four kinds."""
    passages = [{"type": "title", "text": cast.TITLE}, {"type": "abstract", "text": cast.ABSTRACT}]
    article = Article.objects.create(pmid=60000001, passages=passages, text=cast.TEXT, content_hash="0" * 64)
    Server.objects.filter(pk=server.pk).update(kinds=["mention", "normalization", "taxon", "pair"])
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    return queue


def serve(server, url, **fields):
    Server.objects.filter(pk=server.pk).update(url=url, **fields)
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    loop.run_slices_if_slot_and_lease_free(server.pk)
    return Attempt.objects.latest("pk")


@pytest.fixture
def impatient(monkeypatch):
    """A host that drops packets is called unreachable after 15 s; here sooner."""
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 0.2)


@pytest.mark.parametrize("name", BAD)
def test_it_survives_each_of_the_cast_and_tells_its_team(server, queue, name, request):
    bad = BAD[name]
    if bad.code == "unreachable":
        request.getfixturevalue("impatient")
    with bad.place() as url:
        attempt = serve(server, url, protocol=bad.protocol, time_limit=bad.time_limit)
    assert (attempt.outcome, attempt.diagnosis) == (bad.outcome, bad.code), attempt.message
    told = attempt.message
    assert 0 <= told.find(bad.happened) < told.rfind(bad.advice), told
    call, after = Call.objects.get(), Server.objects.get()
    assert (call.state, call.tries, call.reason) == (CallState.WAITING, 1, attempt.message)
    assert 4 <= (call.due - attempt.finished).total_seconds() <= 7
    assert Queue.objects.get().state == QueueState.RUNNING
    assert (after.state, after.misses) == (ServerState.ONLINE, int(bad.outcome == CONNECTION))
    assert not Result.objects.exists()


def test_it_gives_up_a_server_that_does_not_read(server, queue):
    """What the system buffers for it is not read yet: the article is longer than that."""
    Article.objects.update(text="x" * 12_000_000)
    with FakeServer(cast.silence, reads=False) as there:
        attempt = serve(server, there.url, time_limit=2, send="text")
    assert (attempt.outcome, attempt.diagnosis) == (CONNECTION, "not-sent")
    assert "Check that the server accepts connections and reads requests without delay." in attempt.message
    assert (Call.objects.get().state, Server.objects.get().misses) == (CallState.WAITING, 1)


def test_it_takes_the_first_of_two_answers_once(server, queue):
    with FakeServer(cast.sends_two_answers) as there:
        attempt = serve(server, there.url)
    assert (attempt.outcome, attempt.diagnosis, Call.objects.get().state) == (
        Outcome.ANSWERED,
        "",
        CallState.ANSWERED,
    )
    assert list(Annotation.objects.order_by("start").values_list("text", flat=True)) == [
        "CDH1",
        "catenin",
        "E-cadherin",
        "CTNNA1",
    ]
    assert Result.objects.count() == 4
    assert len(there.requests) == 1


def test_it_stores_nothing_of_an_answer_after_the_deadline_and_asks_again(server, queue):
    with FakeServer(cast.late(1.2, cast.good)) as there:
        assert serve(server, there.url, time_limit=1).outcome == NO_ANSWER
        assert not there.closing.wait(0.4)
    assert not Result.objects.exists()
    Call.objects.update(due=Attempt.objects.get().started)
    with FakeServer(cast.good) as there:
        assert serve(server, there.url).outcome == Outcome.ANSWERED
    assert (Call.objects.get().tries, Annotation.objects.count()) == (2, 4)
