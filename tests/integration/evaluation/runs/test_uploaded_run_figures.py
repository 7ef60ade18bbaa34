"""An uploaded run has the figures that `python -m evaluation` computes of its file."""

import json

import pytest

from evaluation.__main__ import main
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.evaluation_cast import ACT_GOLD, TX_GOLD, make_challenge, make_corpus

pytestmark = pytest.mark.django_db

# Right are 9606 of 101, 10090 and 9606 of 102, 10116 of 103.
LISTS = {
    "ranks and confidences": "101\t10090\t2\t0.2\n101\t9606\t1\t0.9\n102\t10090\t1\t0.5\n103\t7227\t3\t0.1\n",
    "confidences": "101\t10090\t0.9\n101\t9606\t0.9\n102\t9606\t0.25\n102\t7227\t0.5\n104\t9606\t0.5\n",
    "ranks with gaps": "101\t10090\t7\n101\t9606\t9\n103\t10116\t2\n103\t9606\t40\n",
    "lines alone": "101\t10090\n102\t7227\n101\t9606\n102\t9606\n102\t10090\n999\t1\n",
    "TREC": "101 Q0 9606 1 3.5 me\n101 Q0 7227 2 7.5 me\n102 Q0 9606 1 1.0 me\n",
}
CALLS = {
    "ranks and confidences": "101\t1\t1\t0.9\n102\t0\t1\t0.8\n103\t1\t2\t0.4\n104\t0\t2\t0.3\n",
    "confidences": "101\t1\t0.3\n102\t1\t0.8\n103\t1\t0.5\n104\t0\t0.5\n",
    "lines alone": "103\t1\n101\t1\n102\t0\n",
}
LIST_FIGURES = ("f1", "ap", "fap", "auc_ipr", "precision", "recall")
CALL_FIGURES = ("mcc", "auc_pr", "sensitivity", "specificity", "accuracy", "tp", "fp", "tn", "fn")


@pytest.fixture
def figures(olga, team, alice):
    """The figures of a file by the site."""
    challenge = make_challenge(olga, make_corpus())

    def of(task, text):
        phase = challenge.phases.get()
        own = intake.store_run_upload_and_process_or_enqueue(
            RunSubmission("", "", "run.txt", text.encode()), challenge.tasks.get(name=task), phase, team, alice
        )
        assert own.state == "taken", own.located_faults
        compute_and_store_run_scores(own.run)
        return Score.objects.get(run=own.run, scenario="all").figures

    return of


@pytest.fixture
def command(tmp_path, capsys):
    """The figures of a file by the command line."""

    def of(task, text, gold, *options):
        (tmp_path / "run.txt").write_text(text)
        (tmp_path / "gold.tsv").write_bytes(gold)
        files = [str(tmp_path / "run.txt"), str(tmp_path / "gold.tsv")]
        assert main(["score", "--task", task, "--format", "json", *options, *files]) == 0
        (run,) = json.loads(capsys.readouterr().out)["runs"]
        return run

    return of


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_it_gives_lists_the_same_figures(figures, command, text):
    site, told = figures("TX", text), command("tx", text, TX_GOLD)["figures"]
    names = [f"{average}_{name}" for average in ("macro", "micro") for name in LIST_FIGURES]
    assert {name: site[name] for name in names} == pytest.approx(
        {name: told[name.partition("_")[0]][name.partition("_")[2]] for name in names}
    )


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
def test_it_gives_calls_the_same_figures(figures, command, text):
    site, told = figures("ACT", text), command("act", text, ACT_GOLD, "--unreported", "negative")["figures"]
    assert {name: site[name] for name in CALL_FIGURES} == pytest.approx({name: told[name] for name in CALL_FIGURES})
