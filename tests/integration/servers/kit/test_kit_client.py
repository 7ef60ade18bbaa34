"""The client for participants, run as its own program against the site on loopback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from annotations.identifiers.models import Entry
from annotations.schema import Kind
from bcms.accounts import tokens
from evaluation.challenges.setup import creation
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.calls.models import Attempt, Call
from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call, get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry import trials
from servers.registry.models import Server
from tests.integration.evaluation_cast import create_listed_challenge, make_challenge, make_corpus

CLIENT = Path(__file__).resolve().parents[4] / "servers/kit/bcms.py"
TASK_ARGUMENTS = ("example", "training", "TX")


@pytest.fixture
def challenge(transactional_db, olga):
    return make_challenge(olga, make_corpus())


@pytest.fixture
def bcms(challenge, live_server, team, alice, tmp_path):
    """Runs the client as Alice, who is logged in; the finished process."""
    environment = {"BCMS_CONFIG": str(tmp_path / "kept" / "bcms.json"), "PATH": ""}

    def run(*arguments, status=0, **more):
        command = [sys.executable, str(CLIENT), *map(str, arguments)]
        done = subprocess.run(
            command, env={**environment, **more}, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == status, done.stderr
        return done

    run(
        "login",
        live_server.url,
        "--token",
        tokens.create_api_token_including_read_scope(alice, "client", ["servers", "runs"]),
    )
    return run


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("101\t9606\t0.9\n102\t10090\t0.8\n999\t9606\t0.7\n")
    return path


def test_it_keeps_the_token_for_its_owner_alone(bcms, tmp_path):
    assert (tmp_path / "kept" / "bcms.json").stat().st_mode & 0o777 == 0o600


def test_it_refuses_a_wrong_token(bcms, live_server):
    done = bcms("login", live_server.url, "--token", "bcms_wrong", status=1)
    assert "This token does not exist or was revoked" in done.stderr


def test_it_says_when_nobody_answers(bcms):
    done = bcms("challenges", "list", BCMS_URL="http://127.0.0.1:9", status=1)
    assert "cannot be reached" in done.stderr


def test_it_lists_challenges_and_phases(bcms):
    assert bcms("challenges", "list").stdout.splitlines()[1].split() == [
        "example",
        "Example",
        "challenge",
        "ACT,TX",
        "training",
    ]
    (phase,) = json.loads(bcms("phases", "list", "example", "--json").stdout)
    assert phase["sort"] == "training"


def test_it_downloads_articles(bcms, tmp_path):
    (tmp_path / "other").write_text("mine")
    (tmp_path / "articles.xml.part").symlink_to("other")
    assert bcms("data", "download", "example", "training").stdout.startswith("101\tArticle 101")
    bcms("data", "download", "example", "training", "--as", "bioc-xml", "-o", "articles.xml")
    assert "Article 104" in (tmp_path / "articles.xml").read_text()
    assert (tmp_path / "other").read_text() == "mine"
    assert [each.name for each in tmp_path.glob("*.part")] == ["articles.xml.part"]


def test_it_checks_a_file(bcms, file):
    done = bcms("validate", *TASK_ARGUMENTS, "-f", file)
    assert done.stdout.splitlines()[1].split()[:3] == ["3", "3", "1"]
    assert "articles that are not in the phase: 1: 999" in done.stderr
    assert not Upload.objects.exists()


def test_it_repairs_xml_if_told_so(bcms, challenge, tmp_path):
    Entry.objects.create(database="uniprot", identifier="P53_HUMAN", exists=True, successors=["P04637"])
    creation.create_task(challenge, "IPT", Kind.PAIR, "Pairs")
    (tmp_path / "run.xml").write_text(
        "<ENTRY><PPI_SUB_TASK_ID>BC2_PPI_IPS</PPI_SUB_TASK_ID><TEAM_ID>1</TEAM_ID><RUN_NR>1</RUN_NR><PMID>101</PMID>"
        "<INTERACTION_PAIR><INTERACTOR_1>P53_HUMAN</INTERACTOR_1><INTERACTOR_2>Q00987</INTERACTOR_2><RANK>1</RANK>"
        "</INTERACTION_PAIR></ENTRY>"
    )
    arguments = ("example", "training", "IPT", "-f", "run.xml")
    assert "“P53_HUMAN” was read as P04637" in bcms("validate", *arguments, "--repair").stderr
    assert "“P53_HUMAN” was read as P04637" in bcms("submit", *arguments, "--repair").stderr
    assert Run.objects.filter(task__name="IPT").exists()


def test_it_submits_a_run_and_tags_it(bcms, file):
    done = bcms("submit", *TASK_ARGUMENTS, "-f", file, "-m", "A new lexicon", "--final", "--json")
    (told,) = json.loads(done.stdout)
    run = Run.objects.get(pk=told["run"])
    assert (run.name, run.final, run.upload.message) == ("mine", True, "A new lexicon")
    compute_and_store_run_scores(run)
    assert "macro_f1" in bcms("submissions", "show", run.pk).stdout
    listed = bcms("submissions", "list", *TASK_ARGUMENTS).stdout
    assert "mine.tsv" in listed
    assert "1 of 5 runs used; files tried: 1" in listed
    assert bcms("submissions", "not-final", run.pk, "--csv").stdout.splitlines()[1] == f"{run.pk},mine,False,"
    assert "Runs cannot be withdrawn in this phase" in bcms("submissions", "withdraw", run.pk, status=1).stderr
    assert "Team Alpha" in bcms("leaderboard", "show", *TASK_ARGUMENTS).stdout
    assert json.loads(bcms("leaderboard", "download", *TASK_ARGUMENTS).stdout)["rows"][0]["run"] == run.pk
    made = json.loads(bcms("leaderboard", "files", *TASK_ARGUMENTS, run.pk, "-o", "made", "--json").stdout)
    _, *command = made[0]["command"].split()
    done = subprocess.run(
        [sys.executable, *command, "--format", "json"],
        cwd=file.parent / "made",
        env={"PYTHONPATH": str(CLIENT.parents[2])},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)["runs"][0]["figures"]["macro"]["f1"] == made[0]["figures"]["macro_f1"]


def test_it_tells_every_fault_by_line_and_column(bcms, file):
    file.write_text("101\thuman\n102\tmouse\n")
    for verb in ("validate", "submit"):
        done = bcms(verb, *TASK_ARGUMENTS, "-f", file, status=1)
        assert f"{file}:1:5: R712 “human” is not an NCBI Taxonomy ID" in done.stderr
        assert f"{file}:2:5: R712" in done.stderr


def test_it_knows_wrong_usage(bcms):
    assert "is not a file" in bcms("submit", *TASK_ARGUMENTS, "-f", "none.tsv", status=2).stderr
    assert "VERB" in bcms("servers", status=2).stderr


def test_it_registers_starts_and_stops_a_server(bcms):
    fields = ("name=Mine", "url=http://127.0.0.1:9/", "kinds=taxon,mention")
    assert "mine" in bcms("servers", "register", "--team", "team-alpha", *fields).stdout
    assert Server.objects.get(slug="mine").kinds == ["taxon", "mention"]
    assert "online" in bcms("servers", "start", "mine").stdout
    bcms("servers", "stop", "mine")
    assert "Mine  team-alpha  " in bcms("servers", "list").stdout
    assert "url" in bcms("servers", "register", "--team", "team-alpha", "name=X", "kinds=taxon", status=1).stderr


def test_it_shows_the_log_of_a_server(bcms, server, challenge):
    queue = get_or_create_queue_and_producer(server, QueueMode.LIVE)
    enqueue_articles_without_open_or_test_call(queue, [challenge.phases.get().corpus.articles.first().pk])
    Attempt.objects.create(call=Call.objects.get(), server=server, number=1, outcome="connection", message="Refused.")
    assert "Refused." in bcms("servers", "logs", "genedict").stdout


def test_it_makes_no_formula_of_a_name(bcms, challenge):
    create_listed_challenge("=HYPERLINK(1)", "bad", "", challenge.organizers.get())
    assert "bad,'=HYPERLINK(1)" in bcms("challenges", "list", "--csv").stdout


def test_it_tries_a_server(bcms, server, monkeypatch):
    """The worker is this process: what the trial found is there when it is asked for."""
    monkeypatch.setattr(trials, "TRIAL_TASK", "nobody.listens")
    begin = trials.store_and_enqueue_trial_below_limit

    def carried_out(*arguments, **options):
        begun = begin(*arguments, **options)
        trials.run_open_trial_and_store_report(begun.pk)
        return begun

    monkeypatch.setattr(trials, "store_and_enqueue_trial_below_limit", carried_out)
    done = bcms("servers", "test", "genedict", status=1)
    assert "The server failed the test." in done.stderr
    assert "Nothing listens at 127.0.0.1 port 9." in done.stdout
