"""The servers to be copied: each is started by its own interpreter and passed by the check."""

import ast
import http.client
import json
import queue
import shutil
import subprocess
import sys
import threading
import xmlrpc.client
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from servers.kit.checks.sample_articles import SAMPLE_ARTICLES
from servers.kit.starter_files import STARTER_FOLDER, STARTERS

ROOT = Path(__file__).resolve().parents[4]
SECONDS_TO_START = 60
# What all of them find in the samples, at the places that Python's strings have.
GENES = [["BRCA1", "BARD1", "BRCA1", "BARD1", "TP53"], ["CTNNB1", "CDH1"], []]
TAXA = [{"9606", "10090"}, {"4932"}, set()]
# Characters of two UTF-16 units and of two to four bytes, quotation marks, markup, and other ends of lines.
HARD = {
    "id": "opaque-1",
    "title": 'The "𝛼𝛽" & <γ> \\u0041 BRCA1 𐐷TP53',
    "abstract": "é\u0301\r\nTP53\t\u2028𠜎 &amp; BRCA2 in HUMAN mouse2 \U0010ffffCDH1.",
}
HARD_GENES = ["BRCA1", "TP53", "TP53", "BRCA2", "CDH1"]
STARTER_BY_NAME = {starter.name: starter for starter in STARTERS}


def list_starter_names(protocols=("bcms", "rest"), *, taking_several=False):
    """The other languages, which start slowly, are left to the long tests."""
    return [
        pytest.param(starter.name, marks=() if starter.interpreter == "python3" else pytest.mark.long)
        for starter in STARTERS
        if starter.protocol in protocols and starter.takes_several >= taking_several and not starter.asks_model
    ]


@contextmanager
def run_starter(starter):
    """The address that the server prints."""
    if shutil.which(starter.interpreter) is None:
        pytest.skip(f"NOT TRIED: {starter.name}, as there is no {starter.interpreter} on this machine")
    command = [starter.interpreter, str(starter.path), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield read_printed_address(process)
        finally:
            process.kill()
            process.communicate()


def read_printed_address(process):
    printed = queue.Queue()
    threading.Thread(target=lambda: printed.put(process.stdout.readline()), daemon=True).start()
    line = printed.get(timeout=SECONDS_TO_START)
    assert line.startswith("Listening at http://127.0.0.1:"), line or process.stderr.read()
    return line.split()[-1]


@pytest.fixture(scope="module", params=list_starter_names())
def started(request):
    """Each server in turn, started once, with its address."""
    with run_starter(STARTER_BY_NAME[request.param]) as address:
        yield STARTER_BY_NAME[request.param], address


def parametrize_starters(protocol):
    """Only the servers that speak it."""
    return pytest.mark.parametrize("started", list_starter_names([protocol]), indirect=True)


def check(started, *more):
    starter, address = started
    command = [sys.executable, "-m", "servers.kit", "check", address, "--protocol", starter.protocol, "--json", *more]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    articles = json.loads(done.stdout)["articles"]
    assert not any(article["notes"] for article in articles)
    return articles


def list_kind_faults(article, kind):
    return [(each["what"], each["where"]) for each in article["findings"] if each["kind"] == kind]


@pytest.mark.parametrize("send", ["struct", "text"])
def test_it_is_passed_by_the_check(started, send):
    articles = check(started, "--send", send)
    assert [[what for what, _ in list_kind_faults(article, "mention")] for article in articles] == GENES
    assert [{what for what, _ in list_kind_faults(article, "taxon")} for article in articles] == TAXA


@pytest.mark.parametrize("started", list_starter_names(["rest"], taking_several=True), indirect=True)
def test_it_answers_several_articles_in_one_request(started):
    articles = check(started, "--articles-per-request", "8")
    assert [article["batch"]["passed"] for article in articles] == [True] * 3


def test_it_counts_characters_as_the_rules_do(started, tmp_path):
    path = tmp_path / "articles.jsonl"
    path.write_text(json.dumps(HARD) + "\n", encoding="utf-8")
    [article] = check(started, "--articles", str(path))
    text = f"{HARD['title']}\n{HARD['abstract']}"
    mentions = list_kind_faults(article, "mention")
    assert [what for what, _ in mentions] == HARD_GENES
    assert [text[slice(*map(int, where.split("-")))] for _, where in mentions] == HARD_GENES
    assert list_kind_faults(article, "taxon") == [("9606", "ncbitaxon")]


def test_it_answers_a_long_article(started, tmp_path):
    title, abstract = "A long one", '\U0001d6fc "BRCA1" binds\n' * 20_000
    path = tmp_path / "articles.jsonl"
    path.write_text(json.dumps({"id": "7", "title": title, "abstract": abstract}) + "\n", encoding="utf-8")
    [article] = check(started, "--articles", str(path), "--time-limit", "60")
    assert article["stored"] == {"mention": 20_000}


def send_request(address, body, method="POST"):
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
    connection.request(method, "/", body, {"Content-Type": "application/json"})
    reply = connection.getresponse()
    said = json.loads(reply.read())
    connection.close()
    return reply.status, said


@pytest.mark.parametrize(
    "body",
    [
        b"nonsense",
        b"",
        b"[1, 2]",
        b'{"id": "7"}',
        b'{"text": ["TP53"]}',
        b'{"text": "TP53',
        b"\xff\xfe{",
        b"[" * 100_000,
    ],
)
@parametrize_starters("rest")
def test_it_refuses_a_bad_request(started, body):
    status, said = send_request(started[1], body)
    assert (status, list(said)) == (400, ["error"])
    assert said["error"].startswith("The request ")
    assert send_request(started[1], b'{"id": "7", "text": "TP53", "kinds": []}')[0] == 200


@parametrize_starters("rest")
def test_it_refuses_what_is_no_post(started):
    assert send_request(started[1], None, method="GET") == (405, {"error": "Send articles by POST."})


@parametrize_starters("bcms")
def test_it_raises_a_fault_for_a_bad_call(started):
    with xmlrpc.client.ServerProxy(started[1]) as proxy:
        for sent in (10000001, {"id": "7"}, {"text": 7}, True):
            with pytest.raises(xmlrpc.client.Fault, match="The call has no text"):
                proxy.Annotator.getAnnotation(sent)
        with pytest.raises(xmlrpc.client.Fault, match="method"):
            proxy.Annotator.getAnnotations("TP53")
        assert proxy.Annotator.getAnnotation("TP53")["mentions"] == [{"offset": 0, "mention": "TP53"}]


@pytest.mark.parametrize("body", [b"nonsense", b"", b"<methodCall>", b"\xff\xfe"])
@parametrize_starters("bcms")
def test_it_raises_a_fault_for_what_is_no_call(started, body):
    connection = http.client.HTTPConnection(urlsplit(started[1]).netloc, timeout=20)
    connection.request("POST", "/", body, {"Content-Type": "text/xml"})
    with pytest.raises(xmlrpc.client.Fault):
        xmlrpc.client.loads(connection.getresponse().read())
    connection.close()


def test_it_says_how_it_is_started(started):
    starter, _ = started
    done = subprocess.run([starter.interpreter, str(starter.path)], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert f"{starter.name} PORT [HOST]" in done.stderr


def test_it_is_short_and_has_no_other_files_beside_it():
    assert {path.name for path in STARTER_FOLDER.iterdir() if path.name != "__pycache__"} == set(STARTER_BY_NAME)
    assert len(SAMPLE_ARTICLES) == len(GENES)
    for starter in STARTERS:
        lines = starter.path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= (400 if starter.asks_model else 120), starter.name
        assert max(map(len, lines)) <= 120, starter.name


@pytest.mark.parametrize(
    "starter", [each for each in STARTERS if each.interpreter == "python3"], ids=lambda each: each.name
)
def test_it_has_no_syntax_that_old_pythons_lack(starter):
    ast.parse(starter.path.read_text(encoding="utf-8"), feature_version=(3, 8))
