"""Asking one server for one article, against servers that answer well, badly, or not at all."""

import socket
import xmlrpc.client

import pytest

from annotations.schema import AnnotationData, Kind
from bcms.lib.http.exchange import Exchange
from servers.calls.client import request_answer_and_collect_broken_rules
from servers.calls.errors import CallError, Stage
from tests import fakeserver
from tests.annotator import Annotator
from tests.conftest import ABSTRACT, TITLE
from tests.fakeserver import FakeServer, answer
from tests.questions import question

BODY = len(TITLE) + 1


def ask_annotator(said, **values):
    with Annotator(lambda sent: said) as annotator:
        return request_answer_and_collect_broken_rules(question(url=annotator.url, **values), Exchange())


def failure(url, **values):
    with pytest.raises(CallError) as caught:
        request_answer_and_collect_broken_rules(question(url=url, **values), Exchange())
    found = caught.value.diagnosis
    return found.stage, found.code, found.happened


def fetch_failure(behave, **values):
    with FakeServer(behave) as server:
        return failure(server.url, **values)


def response(value):
    return answer(f"<methodResponse><params><param><value>{value}</value></param></params></methodResponse>".encode())


def test_it_asks_and_reads_the_answer():
    exchange = Exchange()
    good = {"mentions": [{"section": "abstract", "offset": 27, "mention": "CDH1"}], "taxons": [{"taxid": 10090}]}
    with Annotator(lambda sent: good) as annotator:
        found = request_answer_and_collect_broken_rules(question(url=annotator.url), exchange)
    assert annotator.asked == [{"id": "10000001", "title": TITLE, "abstract": ABSTRACT, "text": f"{TITLE}\n{ABSTRACT}"}]
    assert found.annotations == [
        AnnotationData(Kind.MENTION, start=BODY + 27, end=BODY + 31, text="CDH1"),
        AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="10090"),
    ]
    assert (found.broken_rules, found.notes) == ([], [])
    assert found.raw == exchange.received
    assert b"<methodName>Annotator.getAnnotation</methodName>" in exchange.request
    assert exchange.request_sent


def test_it_sends_what_the_server_wants():
    with Annotator(lambda sent: {}) as annotator:
        for send in ("pmid", "text"):
            request_answer_and_collect_broken_rules(question(url=annotator.url, send=send), Exchange())
    assert annotator.asked == [10000001, f"{TITLE}\n{ABSTRACT}"]


def test_it_keeps_only_the_kinds_that_the_server_is_registered_for():
    found = ask_annotator({"taxons": [{"taxid": 10090}], "interaction": [True]}, kinds=(Kind.TAXON,))
    assert [finding.kind for finding in found.annotations] == [Kind.TAXON]
    assert "not registered for" in found.notes[0]


@pytest.mark.parametrize(("confidence", "said"), [(0.0, "is 0,"), (1.5, "is 1.5,"), (0, "is 0,")])
def test_it_names_a_confidence_out_of_range(confidence, said):
    found = ask_annotator({"taxons": [{"taxid": 9606}, {"taxid": 10090, "confidence": confidence}]})
    (rule,) = found.broken_rules
    assert (rule.code, rule.where, rule.index) == ("R101", "taxons[1].confidence", 1)
    assert said in rule.message


def test_it_names_offsets_outside_the_text():
    found = ask_annotator({"mentions": [{"section": "title", "offset": 900, "mention": "CDH1"}]})
    (rule,) = found.broken_rules
    assert (rule.code, rule.where) == ("R104", "mentions[0].offset")


def test_it_names_what_cannot_be_read_first_and_reads_the_rest():
    found = ask_annotator({"taxons": [{"taxid": 0}, {"taxid": "human"}, {"taxid": 9606}]})
    assert [(rule.code, rule.where, rule.index) for rule in found.broken_rules] == [
        ("R202", "taxons[1].taxid", None),
        ("R114", "taxons[0].taxid", 0),
    ]
    assert [finding.identifier for finding in found.annotations] == ["0", "9606"]


def test_it_says_that_an_address_is_not_allowed():
    assert failure("http://127.0.0.1:9/", networks=())[:2] == (Stage.CONNECTION, "blocked-address")


def test_it_says_that_the_method_is_wrong():
    with Annotator(lambda sent: {}) as annotator:
        assert failure(annotator.url, method="Other.method")[:2] == (Stage.COMMUNICATION, "wrong-method")


def test_it_recognizes_a_page_in_place_of_an_answer():
    stage, code, happened = fetch_failure(answer(b"<!DOCTYPE html><title>Welcome</title>"))
    assert (stage, code) == (Stage.COMMUNICATION, "not-xml")
    assert 'an HTML page titled "Welcome"' in happened


@pytest.mark.parametrize(
    ("behave", "stage", "code"),
    [
        (answer(b"%PDF-1.4 \x00\xff"), Stage.COMMUNICATION, "wrong-encoding"),
        (answer(b"no annotations"), Stage.COMMUNICATION, "not-xml"),
        (answer(b""), Stage.COMMUNICATION, "not-xml"),
        (answer(b"<annotations/>"), Stage.COMMUNICATION, "not-xmlrpc"),
        (answer(b"oops", "500 Internal Server Error"), Stage.COMMUNICATION, "http-status"),
        (fakeserver.raw(b""), Stage.COMMUNICATION, "cut-off"),
        (fakeserver.raw(b"SSH-2.0-OpenSSH\r\n"), Stage.COMMUNICATION, "not-http"),
        (response("<array><data><value>" * 99 + "</value></data></array>" * 99), Stage.COMMUNICATION, "too-deep"),
    ],
)
def test_it_tells_what_is_wrong_with_an_answer(behave, stage, code):
    assert fetch_failure(behave)[:2] == (stage, code)


def test_it_says_that_it_was_halted():
    exchange = Exchange()
    exchange.abort()
    with pytest.raises(CallError) as caught:
        request_answer_and_collect_broken_rules(question(), exchange)
    assert caught.value.diagnosis.code == "halted"


def test_it_judges_twenty_thousand_annotations():
    many = [{"offset": at % 100, "mention": f"x{at}", "confidence": 0.5} for at in range(20_000)]
    body = xmlrpc.client.dumps(({"mentions": many},), methodresponse=True).encode()
    with FakeServer(answer(body)) as server:
        found = request_answer_and_collect_broken_rules(question(url=server.url), Exchange())
    assert len(found.annotations) == 20_000
    assert len(found.broken_rules) >= 20_000


def test_it_says_that_the_name_is_unknown(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    stage, code, happened = failure("http://annotations.example.org/")
    assert (stage, code) == (Stage.CONNECTION, "name-not-found")
    assert "annotations.example.org" in happened
