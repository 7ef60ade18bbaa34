"""Reference annotators in processes of their own, asked over HTTP on loopback."""

import http.client
import json
import signal
import socket
import subprocess
import sys
import xml.parsers.expat
import xmlrpc.client
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[4]
ARTICLE = {
    "id": "10000001",
    "title": "Loss of CDH1 releases CTNNB1",
    "abstract": "In mouse cells E-cadherin (CDH1) binds beta-catenin. α-catenin (CTNNA1) was not needed.",
}
HGNC_GENE = {
    "HGNC ID": "HGNC:1748",
    "Approved symbol": "CDH1",
    "Approved name": "cadherin 1",
    "Status": "Approved",
    "Alias symbols": "E-cadherin, CD324",
    "NCBI Gene ID(supplied by NCBI)": "999",
    "UniProt ID(supplied by UniProt)": "P12830",
    "Mouse genome database ID(supplied by MGI)": "MGI:88354",
    "Rat genome database ID(supplied by RGD)": "RGD:69279",
    "Previous symbols": "UVO",
    "Locus type": "gene with protein product",
}


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "servers.reference", *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def run_reference_server(*arguments):
    """A process and the address that it prints."""
    process = start(*arguments, "--port", 0)
    try:
        yield process, process.stdout.readline().split()[-1]
    finally:
        process.kill()
        process.communicate()


def ask(address, sent=ARTICLE):
    with xmlrpc.client.ServerProxy(address) as server:
        return server.Annotator.getAnnotation(sent)


def test_it_classifies_by_keyword():
    with run_reference_server("keyword", "--word", "bind") as (_, address):
        assert ask(address) == {"interaction": [True, pytest.approx(2 / 3)]}


def test_it_finds_mentions_within_title_and_abstract():
    with run_reference_server("mentions") as (_, address):
        mentions = ask(address)["mentions"]
    assert {mention["mention"] for mention in mentions} >= {"CDH1", "CTNNB1", "α-catenin"}
    for mention in mentions:
        assert ARTICLE[mention["section"]][mention["offset"] :].startswith(mention["mention"])


def test_it_names_the_organisms():
    with run_reference_server("species") as (_, address):
        (taxon,) = ask(address)["taxons"]
    assert taxon["taxid"] == 10090


def test_it_normalizes_genes(tmp_path):
    (tmp_path / "hgnc.tsv").write_text("\t".join(HGNC_GENE) + "\n" + "\t".join(HGNC_GENE.values()), encoding="utf-8")
    with run_reference_server("genes", "--dictionary", tmp_path / "hgnc.tsv") as (_, address):
        answer = ask(address)
    assert [(gene["dbid"], gene["taxid"]) for gene in answer["normalizations"]] == [("999", 9606), ("P12830", 9606)]
    assert [mention["mention"] for mention in answer["mentions"]] == ["CDH1", "E-cadherin", "CDH1"]


def test_it_learns_from_a_training_file(tmp_path):
    titles = {"It binds a receptor": True, "Fever and surgery": False}
    lines = [
        json.dumps({"id": str(number), "title": title, "abstract": title, "relevant": relevant})
        for title, relevant in titles.items()
        for number in range(10)
    ]
    (tmp_path / "training.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with run_reference_server("ppi", "--training", tmp_path / "training.jsonl") as (_, address):
        relevant, confidence = ask(address)["interaction"]
    assert relevant is True
    assert 0.5 < confidence <= 1.0


def test_it_takes_bare_text_too():
    with run_reference_server("keyword", "--word", "bind") as (_, address):
        assert ask(address, "A title\nIt binds.")["interaction"][0] is True


def test_it_asks_for_the_text_when_only_a_pmid_is_sent():
    refused = pytest.raises(xmlrpc.client.Fault, match="needs the article's text")
    with run_reference_server("keyword", "--word", "bind") as (_, address), refused:
        ask(address, 10000001)


def test_it_says_which_method_it_has():
    refused = pytest.raises(xmlrpc.client.Fault, match="This server has one method")
    with (
        run_reference_server("keyword", "--word", "bind") as (_, address),
        xmlrpc.client.ServerProxy(address) as server,
        refused,
    ):
        server.Annotator.annotate(ARTICLE)


def outcome(address):
    """What one call came to, as its failures look from outside."""
    call = xmlrpc.client.dumps((ARTICLE,), "Annotator.getAnnotation").encode()
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    connection.request("POST", "/", call, {"Content-Type": "text/xml"})
    response = connection.getresponse()
    if response.status != 200:
        return f"status {response.status}"
    try:
        ((answer,), _) = xmlrpc.client.loads(response.read())
    except http.client.IncompleteRead:
        return "hung up"
    except xmlrpc.client.Fault:
        return "fault"
    except xml.parsers.expat.ExpatError:
        return "not XML"
    finally:
        connection.close()
    return "good" if answer["interaction"][1] <= 1.0 else "confidence over 1"


def test_it_fails_in_every_way_when_told_to():
    with run_reference_server("keyword", "--word", "bind", "--failure-rate", 1, "--seed", 1) as (_, address):
        outcomes = {outcome(address) for _ in range(30)}
    assert outcomes == {"fault", "hung up", "status 500", "not XML", "confidence over 1"}


def test_it_fails_at_the_same_calls_for_the_same_seed():
    def outcomes():
        with run_reference_server("keyword", "--word", "bind", "--failure-rate", 0.4, "--seed", 3) as (_, address):
            return [outcome(address) for _ in range(12)]

    first = outcomes()
    assert "good" in first
    assert first == outcomes()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_on_a_signal(number):
    with run_reference_server("keyword", "--word", "bind", "--delay", 0.01) as (process, address):
        ask(address)
        process.send_signal(number)
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == ""


def test_it_says_that_a_port_is_in_use():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = start("keyword", "--word", "bind", "--port", port)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.startswith(f"Cannot listen on 127.0.0.1:{port}: ")
    assert "choose another port" in said


def test_it_says_which_file_it_cannot_read():
    process = start("genes", "--dictionary", "/nowhere/hgnc.tsv", "--port", 0)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "/nowhere/hgnc.tsv" in said
    assert "Traceback" not in said
