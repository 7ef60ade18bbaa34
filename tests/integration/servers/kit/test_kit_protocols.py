"""PubAnnotation and BeCalm as the kit speaks them: types, identifiers, parts and relations, also of two articles."""

import json
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

from annotations.schema import EntityId, Kind, RelationArgument, Span, make_mention, make_relation
from servers.kit.checks.callback_listener import CallbackListener
from servers.kit.checks.sample_articles import SAMPLE_ARTICLES
from servers.kit.checks.server_check import CheckTarget, check_server_noting_failure
from servers.kit.failures import FailureGenerator
from servers.kit.handlers import CallbackAddress
from servers.kit.serving import AnnotationServer
from tests.integration.servers.kit.test_kit_server import post_to_server

SAMPLE = SAMPLE_ARTICLES[1]
LOOPBACK = ("127.0.0.0/8",)


def find_spans(text, *words):
    return [Span(text.index(word), text.index(word) + len(word)) for word in words]


def list_mentions(text):
    beta = make_mention(find_spans(text, "CTNNB1"), "CTNNB1", "Gene", [EntityId("ncbigene", "1499")], confidence=0.5)
    parts = find_spans(text, "E-cadherin", "CDH1")
    return [beta, make_mention(parts, "E-cadherin CDH1", "Gene", [EntityId("ncbigene", "999"), EntityId("", "cad")])]


def annotate_openly(article):
    """Linked mentions, of which one is in two parts, and a relation of them; nothing in the other samples."""
    if "CTNNB1" in article.text:
        mentions = list_mentions(article.text)
        ends = [RelationArgument("", each.identifiers, each.parts, each.type, each.text) for each in mentions]
        return [*mentions, make_relation("binds", ends, qualifiers={"novelty": "No"}, confidence=0.25)]
    return []


def annotate_plainly(article):
    """Mentions in one part of the title or the abstract, without relations."""
    return list_mentions(article.text)[:1] if "CTNNB1" in article.text else []


@contextmanager
def serve_and_check(protocol, annotate, sample=SAMPLE, **fields):
    """The check of a server of the kit that takes several articles; BeCalm is called back by a listener."""
    other = next(each for each in SAMPLE_ARTICLES if each.identifier != sample.identifier)
    documents = {1: [sample.identifier], 2: [sample.identifier, other.identifier]}
    settings = {"method": "", "delay": 0.0, "failures": FailureGenerator(0.0, 1)}
    with CallbackListener(documents) as listener:
        settings["callback"] = CallbackAddress(listener.url, "key")
        with AnnotationServer(annotate, ("127.0.0.1", 0), protocol=protocol, **settings) as server:
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
            target = {"kinds": (Kind.MENTION, Kind.RELATION), "entity_types": ("Gene",), "articles_per_request": 8}
            target |= {"protocol": protocol, "method": "POST", "networks": LOOPBACK} | fields
            yield (
                check_server_noting_failure(
                    CheckTarget(server.address, wait_for_callback=listener.await_callback, **target), sample
                ),
                listener,
            )
            server.shutdown()


@pytest.mark.parametrize("protocol", ["rest", "pubannotation", "becalm"])
@pytest.mark.parametrize("annotate", [annotate_openly, annotate_plainly])
def test_the_kit_answers_one_article_and_two(protocol, annotate):
    form = {annotate_openly: "bioc", annotate_plainly: "json"}[annotate] if protocol == "becalm" else ""
    with serve_and_check(protocol, annotate) as (check, listener):
        assert check.failure == "" and check.broken_rules == []
        assert check.batch.passed and list(check.batch.articles) == ["90000002", "90000001"]
    # The JSON of BeCalm has types of its own.
    expected = [replace(each, type="GENE") if form == "json" else each for each in annotate(SAMPLE)]
    assert set(check.answer.annotations) == set(expected)
    assert {each for each, _ in listener.first_callbacks.values()} == ({form} if form else set())


@pytest.mark.parametrize("send", ["text", "pmid"])
def test_pubannotation_answers_the_text_alone_and_the_id_alone(send):
    with serve_and_check("pubannotation", annotate_plainly, send=send, articles_per_request=1) as (check, _):
        assert check.failure == ""
        assert check.answer.annotations == (annotate_plainly(SAMPLE) if send == "text" else [])


def test_pubannotation_leaves_out_relations_of_entities_that_no_mention_has():
    unknown = RelationArgument("", (EntityId("mesh", "D001943"),))
    known = RelationArgument("", (EntityId("ncbigene", "999"),))

    def annotate(article):
        mentions = list_mentions(article.text)
        return [*mentions, make_relation("a", [known, unknown]), make_relation("b", [known, known, known])]

    with serve_and_check("pubannotation", annotate, articles_per_request=1) as (check, _):
        assert check.answer.annotations == list_mentions(SAMPLE.text)


@contextmanager
def serve_becalm():
    settings = {"method": "", "delay": 0.0, "failures": FailureGenerator(0.0, 1)}
    with AnnotationServer(annotate_plainly, ("127.0.0.1", 0), protocol="becalm", **settings) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server.address
        server.shutdown()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"method": "getState"}, {"data": {"state": "Running"}}),
        ({"method": "getAll"}, {"message": "This server has the methods getAnnotations and getState, not getAll."}),
        ([], {"message": 'The request is not an object with a "method"; send {method, becalm_key, parameters}.'}),
        (
            {"method": "getAnnotations", "parameters": {"documents": [{}], "communication_id": 7}},
            {"message": 'A document has no "document_id".'},
        ),
        (
            {"method": "getAnnotations", "parameters": []},
            {"message": 'The request has no "parameters" with "documents" and a "communication_id".'},
        ),
    ],
)
def test_becalm_says_how_it_is_and_what_is_wrong(call, said):
    with serve_becalm() as address:
        _, answer = post_to_server(address, json.dumps(call).encode())
    assert answer["success"] is ("data" in said)
    assert {name: answer[name] for name in said} == said
