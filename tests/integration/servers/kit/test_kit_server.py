"""An annotate function served by the kit, in both protocols, as the check sees it."""

import json
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from xmlrpc.client import Fault

import pytest

from annotations.schema import AnnotationData, Kind
from servers.kit.__main__ import main
from servers.kit.checks.sample_articles import SAMPLE_ARTICLES
from servers.kit.failures import FailureGenerator
from servers.kit.serving import AnnotationServer


def annotate(article):
    """The word that stands behind a character of two UTF-16 units, and an organism."""
    at = article.text.find("CTNNB1")
    if at >= 0:
        yield AnnotationData(Kind.MENTION, start=at, end=at + 6, text="CTNNB1", confidence=0.9)
        yield AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606")


@contextmanager
def serve_annotate_function(protocol, annotate=annotate, rate=0.0):
    settings = {"method": "Annotator.getAnnotation", "delay": 0.0, "failures": FailureGenerator(rate, 1)}
    with AnnotationServer(annotate, ("127.0.0.1", 0), protocol=protocol, **settings) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server.address
        server.shutdown()


def test_it_answers_several_articles_in_one_request(capsys):
    with serve_annotate_function("rest") as address:
        assert main(["check", address, "--protocol", "rest", "--articles-per-request", "8"]) == 0
    assert "in one request with article 90000001: both answers break no rule" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["check", "http://127.0.0.1:9/", "--articles-per-request", "8"])
    assert "XML-RPC has one article in a request" in capsys.readouterr().err


@pytest.mark.parametrize("protocol", ["bcms", "rest"])
@pytest.mark.parametrize("send", ["struct", "text"])
def test_it_is_passed_by_the_check(capsys, protocol, send):
    with serve_annotate_function(protocol) as address:
        assert main(["check", address, "--protocol", protocol, "--send", send, "--json"]) == 0
    found = [article["findings"] for article in json.loads(capsys.readouterr().out)["articles"]]
    assert [[each["where"] for each in findings] for findings in found] == [[], ["81-87", "ncbitaxon"], []]


@pytest.mark.parametrize("send", ["struct", "text", "pmid"])
def test_it_gives_the_article_whatever_is_sent_of_it(send):
    seen = []
    with serve_annotate_function("rest", lambda article: seen.append(article) or []) as address:
        assert main(["check", address, "--protocol", "rest", "--send", send]) == 0
    sample, article = SAMPLE_ARTICLES[0], seen[0]
    assert (article.identifier, article.pmid) == ("90000001", None if send == "text" else 90000001)
    text = ("", "", "") if send == "pmid" else (sample.title, sample.abstract, sample.text)
    assert (article.title, article.abstract, article.text) == text


def post_to_server(address, body):
    try:
        with urllib.request.urlopen(address, body, timeout=60) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize("body", [b"nonsense", b"[]", b"{}", b'{"id": 7}', b"[" * 100_000])
def test_it_says_what_is_wrong_with_a_request(body):
    with serve_annotate_function("rest") as address:
        status, said = post_to_server(address, body)
    assert status == 400
    assert said["error"].startswith("The request is no")


def test_it_tells_of_an_annotator_that_fails(capfd):
    def failing(article):
        raise KeyError("p53") if article.identifier == "1" else Fault(3, "Send the text.")

    with serve_annotate_function("rest", failing) as address:
        assert post_to_server(address, b'{"id": "1"}') == (500, {"error": "KeyError: 'p53'"})
        assert post_to_server(address, b'{"id": "2"}') == (400, {"error": "Send the text."})
    assert "Traceback" in capfd.readouterr().err


def test_it_fails_in_every_way_when_told_to(tmp_path, capsys):
    path = tmp_path / "articles.jsonl"
    lines = [json.dumps({"id": str(number), "title": "CTNNB1"}) + "\n" for number in range(1, 31)]
    path.write_text("".join(lines), encoding="utf-8")
    with serve_annotate_function("rest", rate=1.0) as address:
        assert main(["check", address, "--protocol", "rest", "--articles", str(path), "--json"]) == 1
    articles = json.loads(capsys.readouterr().out)["articles"]
    codes = {
        article["failure"]["code"] if article["failure"] else article["broken_rules"][0]["code"] for article in articles
    }
    assert codes == {"http-status", "cut-off", "wrong-encoding", "R104"}
