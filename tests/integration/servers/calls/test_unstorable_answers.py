"""What the database cannot store, in every value of an answer: a broken rule or an accepted text, never our error."""

import json
import xmlrpc.client
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from annotations.articles.models import Article
from annotations.results.models import Annotation
from servers.calls import loop, retry
from servers.calls.models import Attempt, Call
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.fakeserver import ABSTRACT, TEXT, TITLE
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)

KINDS = ["mention", "normalization", "taxon", "classification", "pair", "method", "passage"]
START = TEXT.index("CDH1")
SENTENCE = "E-cadherin"
GENE = {"database": "uniprot", "identifier": "P12830"}
REST_ANSWER = {
    "id": "60000001",
    "version": "2.1",
    "annotations": {
        "mention": [{"start": START, "end": START + 4, "text": "CDH1", "type": "gene", "confidence": 0.5}],
        "normalization": [GENE | {"taxon": 9606, "rank": 1, "confidence": 0.5}],
        "taxon": [{"identifier": "9606", "rank": 1}],
        "classification": {"relevant": True, "confidence": 0.5},
        "pair": [GENE | {"partner": "P35222", "rank": 1}],
        "method": [{"identifier": "MI:0018"}],
        "passage": [GENE | {"partner": "P35222", "text": SENTENCE, "rank": 1}],
    },
}
PUBANNOTATION_ANSWER = {
    "text": TEXT,
    "sourcedb": "PubMed",
    "sourceid": "60000001",
    "denotations": [
        {"id": "T1", "span": {"begin": START, "end": START + 4}, "obj": "uniprot:P12830"},
        {"id": "T2", "span": {"begin": START, "end": START + 3}, "obj": "uniprot:P35222"},
    ],
    "attributes": [{"id": "A1", "subj": "T1", "pred": "organism", "obj": "taxonomy:9606"}],
    "relations": [{"id": "R1", "subj": "T1", "pred": "binds", "obj": "T2"}],
}
XMLRPC_ANSWER = {
    "mentions": [{"offset": START, "section": "title", "mention": "CDH1", "confidence": 0.5}],
    "normalizations": [{"dbname": "UniProt", "dbid": "P12830", "taxid": 9606, "confidence": 0.5, "rank": 1}],
    "taxons": [{"taxid": 9606, "confidence": 0.5}],
    "interaction": {"relevant": True, "confidence": 0.5},
    "pairs": [{"dbname": "UniProt", "a": "P12830", "b": "P35222", "rank": 1}],
    "methods": [{"miid": "MI:0018", "rank": 1}],
    "passages": [{"dbname": "UniProt", "a": "P12830", "b": "P35222", "passage": SENTENCE, "rank": 1}],
}
ACKNOWLEDGEMENT = {"status": 200, "success": True, "key": "k", "message": "ok", "errorName": ""}
LONG = "x" * 20_000
JSON_VALUES = ["foo\0bar", "P\ud800", LONG, 10**30, -(10**400), float("nan"), float("inf"), 1e-320, True, None, [], {}]
XMLRPC_VALUES = [LONG, 2**31 - 1, -(2**31), float("nan"), 1e-320, True, [], {}, b"\0\xff", datetime(1, 1, 1)]


def iter_changed_answers(answer: object, value: object) -> Iterator[object]:
    """The answer with each of its values in turn replaced by the value, and each name by a hostile one."""
    if isinstance(answer, dict):
        for name, part in answer.items():
            yield from ({**answer, name: changed} for changed in iter_changed_answers(part, value))
        if isinstance(value, str):
            yield {**answer, f"{value}!": 1}
    elif isinstance(answer, list):
        for index, part in enumerate(answer):
            for changed in iter_changed_answers(part, value):
                yield [*answer[:index], changed, *answer[index + 1 :]]
    yield value


def encode_json(answer: object) -> bytes:
    return json.dumps(answer).encode()


def encode_xmlrpc(answer: object) -> bytes:
    return xmlrpc.client.dumps((answer,), methodresponse=True).encode()


@pytest.fixture(autouse=True)
def hour_until_retry(monkeypatch):
    """No call is tried again before all others were tried once."""
    monkeypatch.setattr(retry, "WAITS", (timedelta(hours=1),))


def queue_articles(server, number):
    passages = [{"type": "title", "text": TITLE}, {"type": "abstract", "text": ABSTRACT}]
    Article.objects.bulk_create(
        Article(pmid=60000001 + index, passages=passages, text=TEXT, content_hash="0" * 64) for index in range(number)
    )
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, list(Article.objects.values_list("pk", flat=True)))


def serve_answers(server, answers: list[bytes]) -> list[Attempt]:
    """One call for each answer, all in order; their attempts."""
    queue_articles(server, len(answers))
    remaining = iter(answers)
    with TaskServer(lambda asked: (200, {}, next(remaining))) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url, kinds=KINDS)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        while Call.objects.filter(state=CallState.WAITING, tries=0).exists():
            Server.objects.update(misses=0, failures_running=0)
            assert loop.run_slices_if_slot_and_lease_free(server.pk) != "busy"
    return list(Attempt.objects.order_by("pk"))


@pytest.mark.parametrize(
    ("protocol", "answer", "values", "encode"),
    [
        ("rest", REST_ANSWER, JSON_VALUES, encode_json),
        ("pubannotation", PUBANNOTATION_ANSWER, JSON_VALUES, encode_json),
        ("becalm", ACKNOWLEDGEMENT, JSON_VALUES[:3], encode_json),
        ("bcms", XMLRPC_ANSWER, XMLRPC_VALUES, encode_xmlrpc),
    ],
)
@pytest.mark.long
def test_it_blames_itself_for_no_value_of_an_answer(server, protocol, answer, values, encode):
    Server.objects.filter(pk=server.pk).update(protocol=protocol)
    bodies = [encode(changed) for value in values for changed in iter_changed_answers(answer, value)]
    if protocol == "becalm":
        # An accepted request is in flight, so only those that are refused are tried.
        bodies = [body for body in bodies if b'"success": true' not in body or b'"status": 200' not in body]
    attempts = serve_answers(server, bodies)
    assert len(attempts) == len(bodies)
    blamed = [
        (body[:300], each.message)
        for body, each in zip(bodies, attempts, strict=True)
        if each.outcome == Outcome.OUR_FAULT
    ]
    assert blamed == []


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"database": "foo\0bar"}, "database"),
        ({"database": "uniprot\ud800"}, "database"),
        ({"identifier": "P\0"}, "identifier"),
        ({"identifier": "P\ud800"}, "identifier"),
    ],
)
def test_it_calls_it_one_broken_rule_and_says_where(server, changes, where):
    Server.objects.filter(pk=server.pk).update(protocol="rest")
    answer = {"annotations": {"normalization": [GENE, GENE | changes]}}
    [attempt] = serve_answers(server, [encode_json(answer)])
    assert (attempt.outcome, attempt.diagnosis) == (Outcome.INVALID, "R106")
    [rule] = attempt.broken_rules
    assert (rule["code"], rule["where"]) == ("R106", f"annotations.normalization[1].{where}")
    assert "U+0000" in rule["message"] or "U+D800" in rule["message"]


def test_it_refuses_a_type_that_no_column_can_hold(server):
    Server.objects.filter(pk=server.pk).update(protocol="rest")
    mention = {"start": START, "end": START + 4, "text": "CDH1", "type": "g" * 101}
    [attempt] = serve_answers(server, [encode_json({"annotations": {"mention": [mention]}})])
    assert (attempt.outcome, attempt.diagnosis) == (Outcome.INVALID, "R108")
    assert "annotations.mention[0].type: The type has 101 characters; at most 100 are allowed." in attempt.message
    assert not Annotation.objects.exists()


@pytest.mark.parametrize("name", ["\0", "\ud800"])
def test_it_quotes_what_it_does_not_know_without_what_it_cannot_store(server, name):
    Server.objects.filter(pk=server.pk).update(protocol="pubannotation")
    denotation = {"id": "T1", "span": {"begin": START, "end": START + 4}, "obj": f"x{name}"}
    [attempt] = serve_answers(server, [encode_json({"denotations": [denotation], f"y{name}": 1})])
    assert (attempt.outcome, attempt.diagnosis) == (Outcome.INVALID, "R106")
    assert attempt.broken_rules[0]["where"] == "denotations[0].obj"
