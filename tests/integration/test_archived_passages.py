"""Evidence passages in an archive: scored again by what was decided, and restored with it."""

import json
import re
import subprocess
import sys

import pytest
from django.conf import settings

from evaluation import tasks
from evaluation.archives.restoring import import_challenge
from evaluation.models import PooledPassage, Run, Score
from evaluation.pooling.closing import close
from evaluation.scoring import score_run, stale_runs
from tests.integration.archive_cast import archived, unpacked
from tests.integration.pooling_cast import first_run, judge_all, make_judges, make_phase, make_pool, second_run

pytestmark = pytest.mark.django_db
NAMES = {"mrr": "passage_mrr", "relevant_share": "relevant_share"}


@pytest.fixture
def phase(olga, team):
    phase = make_phase(olga)
    runs = first_run(team, phase), second_run(team, phase)
    judges = make_judges("jane", "jim")
    pool = make_pool(phase, *judges)
    judge_all(pool, *judges)
    close(pool, olga)
    for run in runs:
        score_run(run)
    tasks.rank_stale_boards()
    return phase


def test_passages_are_scored_again_to_the_same_digits(phase, tmp_path):
    folder = unpacked(archived(phase.challenge, tmp_path / "a.zip"), tmp_path / "archive")
    score, compare = re.findall(r"^    python (-m evaluation .*)$", (folder / "README.md").read_text(), re.M)
    stored = {own["run"]: own for own in json.loads((folder / "training/ISS/scores.json").read_text())["scores"]}
    for own in printed(score, folder)["runs"]:
        figures = {NAMES[name]: value for name, value in own["figures"].items() if name in NAMES}
        assert figures == {name: stored[own["run"]]["figures"][name] for name in NAMES.values()}
        drawn = {NAMES[name]: value for name, value in own["intervals"].items() if name in NAMES}
        assert drawn == {name: stored[own["run"]]["intervals"][name] for name in NAMES.values()}
    (board,) = json.loads((folder / "boards/training-ISS.json").read_text()).values()
    assert [pair["p"] for pair in printed(compare, folder)["pairs"]] == [pair["p"] for pair in board["pairs"]]


def printed(command, folder):
    env = {"PYTHONPATH": str(settings.BASE_DIR)}
    done = subprocess.run(
        f"{sys.executable} {command}", shell=True, cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_was_decided_is_restored(phase, tmp_path):
    restored = import_challenge(archived(phase.challenge, tmp_path / "a.zip"), "again").challenge
    assert stale_runs() == []
    fields = ("article", "database", "first", "second", "passage", "relevant", "best")
    ours, theirs = (PooledPassage.objects.filter(pool__phase__challenge=own) for own in (restored, phase.challenge))
    assert list(ours.order_by("pk").values_list(*fields)) == list(theirs.order_by("pk").values_list(*fields))
    for run in Run.objects.filter(phase__challenge=restored):
        before = Score.objects.get(run=run)
        after = score_run(run)
        assert (after.figures, after.intervals) == (before.figures, before.intervals)


def test_what_was_decided_of_a_test_stays_out_until_it_is_published(phase, tmp_path):
    phase.challenge.phases.update(sort="test")
    names = {path.name for path in files_of(phase, tmp_path / "before")}
    assert not names & {"gold.tsv", "gold.jsonl", "pool.jsonl"}
    phase.challenge.phases.update(published="2026-01-01T00:00Z")
    assert {"gold.tsv", "gold.jsonl", "pool.jsonl"} <= {path.name for path in files_of(phase, tmp_path / "after")}


def files_of(phase, folder):
    folder.mkdir()
    return list(unpacked(archived(phase.challenge, folder / "a.zip"), folder / "archive").rglob("*"))
