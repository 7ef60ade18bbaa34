"""The command bcms against the site on loopback."""

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bcms_client.commands import login, main
from bcms_client.commands.output import clean_text
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.fakeserver import FakeServer
from tests.integration.clients.test_client_errors import build_reply
from tests.integration.published_cast import publish_interaction

PACKAGE = Path(__file__).resolve().parents[3] / "clients/python"
TASK = ("example", "training", "TX")


@pytest.fixture
def run(capsys, monkeypatch):
    """Carries out a command: (exit status, standard output, standard error)."""

    def carry_out(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = main.main([str(each) for each in arguments])
        return status, *capsys.readouterr()

    return carry_out


@pytest.fixture
def bcms(run, site, token):
    """The output of a command as alice, who is logged in; JSON is decoded."""
    assert run("login", site, typed=f"{token}\n")[0] == 0

    def carry_out(*arguments):
        status, output, errors = run(*arguments)
        assert status == 0, errors
        return json.loads(output) if "--json" in arguments else output

    return carry_out


def test_it_logs_in_with_a_token_that_nobody_sees(run, site, token, login_file, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    asked = []
    monkeypatch.setattr(login, "getpass", lambda prompt: asked.append(prompt) or token)
    monkeypatch.setattr(io, "StringIO", Terminal)
    status, output, errors = run("login", site)
    assert (status, asked, errors) == (0, ["Token from your account page: "], "")
    assert "Your teams: team-alpha" in output
    assert token not in output
    assert login_file.stat().st_mode & 0o777 == 0o600


def test_it_stores_no_token_that_the_site_refuses(run, site, login_file):
    status, output, errors = run("login", site, typed="bcms_wrong\n")
    assert (status, output) == (1, "")
    assert "does not exist or was revoked" in errors
    assert "bcms_wrong" not in errors
    assert not login_file.exists()
    assert "No token was given" in run("login", site, typed="")[2]
    assert "unencrypted" in run("login", "http://bcms.example.org", typed="x\n")[2]


def test_servers_and_queues(bcms, run):
    assert bcms("servers", "list").splitlines()[1].split()[:4] == ["genedict", "GeneDict", "team-alpha", "offline"]
    [listed] = bcms("servers", "list", "--json", "--unreviewed")
    assert listed["live"]["waiting"] == 1
    assert "http://127.0.0.1:9/" in bcms("servers", "show", "genedict")
    assert bcms("servers", "status", "genedict").splitlines()[1].startswith("24h")
    assert len(bcms("servers", "status", "genedict", "--json")["windows"]) == 4
    assert "online" in bcms("servers", "start", "genedict")
    assert bcms("servers", "stop", "genedict", "--now", "--json")["state"] == "offline"
    [queue] = bcms("queues", "list", "genedict", "--json")
    assert bcms("queues", "load", "genedict", "--pmids", "102") == "Added to the queue: 1; already waiting there: 0.\n"
    assert len(bcms("queues", "calls", "genedict", "--most", "1", "--json")) == 1
    assert "2 articles removed" in bcms("queues", "act", "genedict", queue["id"], "clear")
    status, _, errors = run("queues", "act", "genedict", queue["id"], "retry")
    assert (status, errors) == (1, "The queue is not stopped any more.\n")


def test_it_asks_for_no_more_calls_than_it_lists(run):
    entry = {**dict.fromkeys(("article", "mode", "queue", "reason"), "x"), "id": 1}
    times = dict.fromkeys(("due", "created"), "2026-03-02T12:00:00Z")
    page = {"results": [{**entry, **times}], "next": "https://x/?offset=1"}
    with FakeServer(lambda peer, _: peer.sendall(build_reply(200, page))) as server:
        status, output, _ = run("queues", "calls", "genedict", "--most", "1", "--json", "--url", server.url)
    assert (status, len(json.loads(output)), len(server.requests)) == (0, 1, 1)


def test_queues_are_for_the_team(run, site):
    status, _, errors = run("queues", "list", "genedict", "--url", site)
    assert (status, "Only members" in errors) == (1, True)


def test_challenges_and_runs(bcms, run, run_file, tmp_path):
    assert "ACT, TX" in bcms("challenges", "list")
    assert "training  four" in bcms("challenges", "show", "example")
    target = tmp_path / "articles"
    assert bcms("challenges", "articles", *TASK[:2], target, "--as", "jsonl") == f"Wrote {target}.\n"
    assert len(target.read_text().splitlines()) == 4
    assert bcms("runs", "check", *TASK, run_file, "--json")["results"] == 2
    upload = bcms("runs", "upload", *TASK, run_file, "-m", "A new lexicon", "--final", "--json")
    assert (upload["final"], upload["message"]) == (True, "A new lexicon")
    assert "No score that you may see yet." in bcms("runs", "show", upload["run"])
    compute_and_store_run_scores(Run.objects.get(pk=upload["run"]))
    assert "macro_f1" in bcms("runs", "show", upload["run"])
    assert bcms("runs", "show", upload["run"], "--json")["score"]["figures"]["macro_f1"] > 0
    assert "1 of 5 runs used; files tried: 1" in bcms("runs", "list", *TASK)
    assert bcms("runs", "list", *TASK, "--json")["used"] == 1
    assert "Team Alpha" in bcms("challenges", "leaderboard", *TASK)
    assert bcms("challenges", "leaderboard", *TASK, "--json", "--average", "micro")["rows"][0]["run"] == upload["run"]
    assert bcms("runs", "describe", upload["run"], "--method", "Lexicon", "--json")["method_name"] == "Lexicon"
    described = bcms("runs", "describe", upload["run"], "--code", "https://example.org/code", "--json")
    assert (described["method_name"], described["code"]) == ("Lexicon", "https://example.org/code")
    assert bcms("runs", "describe", upload["run"], "--code", "", "--json")["code"] == ""
    assert bcms("runs", "not-final", upload["run"], "--json")["final"] is False
    assert bcms("runs", "final", upload["run"], "--json")["final"] is True
    assert "cannot be withdrawn" in run("runs", "withdraw", upload["run"])[2]


def test_every_fault_of_a_file_by_line_and_column(bcms, run, run_file):
    run_file.write_text("101\thuman\n102\tmouse\n")
    for verb in ("check", "upload"):
        status, _, errors = run("runs", verb, *TASK, run_file)
        assert status == 1
        assert f"{run_file}:1:5: R712 “human” is not an NCBI Taxonomy ID" in errors
        assert f"{run_file}:2:5: R712" in errors


def test_a_file_that_is_not_there(bcms, run):
    assert run("runs", "upload", *TASK, "none.tsv")[::2] == (1, "none.tsv: No such file or directory\n")


def test_curation(bcms, run, read_article, record_file, carol, tmp_path):
    curation = bcms("curate", "begin", "20000001", "--json")["id"]
    assert "20000001" in bcms("curate", "worklist")
    assert bcms("curate", "worklist", "--json")["unfinished"] == 1
    assert bcms("curate", "list", "--json")[0]["id"] == curation
    assert bcms("curate", "upload", curation, record_file, "--origin", "author", "--json")["interactions"] == 1
    record_file.write_text(record_file.read_text().replace("20000001", "20000002") + record_file.read_text())
    errors = run("curate", "upload", curation, record_file)[2]
    assert errors == f"{record_file}: 1 interaction of 20000002 left out: another article\n"
    assert "INTERACTIONS  1" in bcms("curate", "show", curation)
    assert run("curate", "finish", curation, "--seen", "0")[0] == 1
    assert bcms("curate", "projects", "--json") == []
    publish_interaction(carol, read_article)
    formats = bcms("curate", "formats", "--json")
    target = tmp_path / "record"
    assert bcms("curate", "download", "20000001", formats[0]["slug"], target) == f"Wrote {target}.\n"
    assert bcms("curate", "download-all", formats[0]["slug"], target, "-q", "cadherin") == f"Wrote {target}.\n"
    assert formats[0]["slug"] in bcms("curate", "formats")


def test_exports(bcms, run, read_article, tmp_path):
    assert "pubtator" in bcms("export", "formats")
    assert "four" in bcms("export", "corpora")
    target = tmp_path / "file"
    bcms("export", "article", "20000001", "pubtator", target)
    assert target.read_text().startswith("20000001|t|")
    bcms("export", "search", "pubtator", target, "-q", "cadherin", "--filter", "kind=mention")
    assert target.read_text().startswith("20000001|t|")
    assert bcms("export", "corpus", "four", "pubtator", target, "--json") == {"file": str(target)}
    assert "20000001" not in target.read_text()
    for name in ("colour", "format", "target"):
        status, _, errors = run("export", "search", "pubtator", target, "--filter", f"{name}=red")
        assert (status, name in errors) == (1, True)


@pytest.mark.parametrize("line", ["", "servers", "servers paint", "runs show x", "export search a b --filter q"])
def test_it_knows_wrong_usage(run, line):
    with pytest.raises(SystemExit) as raised:
        run(*line.split())
    assert raised.value.code == 2


def test_texts_cannot_steer_the_terminal():
    assert clean_text("a\x1b[2Jb\r\nc\u202ed") == "a\ufffd[2Jb\ufffd\ufffdc\ufffdd"
    assert clean_text("5\u2009mg of\xa0IL-2") == "5 mg of IL-2"


def test_no_column_of_a_leaderboard_can_steer_the_terminal(run):
    board = {
        **dict.fromkeys(("challenge", "phase", "task", "kind", "note", "primary", "scenario"), ""),
        **{"published": None, "rows": []},
        "measures": [{"name": "f", "label": "F\x1b[2J", "title": "", "higher_is_better": True}],
    }
    with FakeServer(lambda peer, _: peer.sendall(build_reply(200, board))) as server:
        status, output, _ = run("challenges", "leaderboard", *TASK, "--url", server.url)
    assert (status, output) == (0, "RANK  RUN  NAME  TEAM  F\ufffd[2J\n")


def test_it_prints_what_the_encoding_does_not_have(login_file):
    corpora = {"next": None, "results": [{"slug": "x", "name": "TGF-β", "number_of_articles": 1}]}
    with FakeServer(lambda peer, _: peer.sendall(build_reply(200, corpora))) as server:
        command = [sys.executable, "-m", "bcms_client", "export", "corpora", "--url", server.url]
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "PYTHONIOENCODING": "ascii"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr, "TGF-?" in done.stdout) == (0, "", True)


def test_it_runs_as_a_program(login_file):
    command = [sys.executable, "-m", "bcms_client", "servers", "list"]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE / "src")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "No site is chosen. Run bcms login URL, set BCMS_URL, or pass url=.\n"


def test_its_readme_shows_commands_that_exist():
    commands = [line[4:] for line in (PACKAGE / "README.md").read_text().splitlines() if line.startswith("    bcms ")]
    assert len(commands) > 8
    for command in commands:
        main.build_parser().parse_args(shlex.split(command)[1:])
