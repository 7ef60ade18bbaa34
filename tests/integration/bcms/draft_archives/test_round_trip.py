"""The archive of a challenge becomes a draft, whose runs are scored anew to the figures of the archive."""

import json
import zipfile

import pytest

from bcms.draft_archives.creation import create_draft_from_archive
from evaluation.challenges.models import Challenge
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from evaluation.scoring.stale_scores import list_runs_due_for_scoring
from tests.integration.archive_cast import beta, play_challenge, write_challenge_archive

pytestmark = pytest.mark.django_db


@pytest.fixture
def archive(olga, team, alice, django_user_model, tmp_path):
    challenge = play_challenge(olga, team, alice, *beta(django_user_model))
    return write_challenge_archive(challenge, tmp_path / "example.zip")


def read_archived_figures(path):
    """{(task, name of the run, scenario): figures and intervals}."""
    found = {}
    with zipfile.ZipFile(path) as archive:
        for part in json.loads(archive.read("challenge.json"))["parts"]:
            document = json.loads(archive.read(f"{part['folder']}/scores.json"))
            names = {run["stem"]: run["name"] for run in document["runs"]}
            for score in document["scores"]:
                if score["superseded"] is None:
                    key = part["task"], names[score["run"]], score["scenario"]
                    found[key] = score["figures"], score["intervals"], score["absent"]
    return found


def test_the_draft_has_everything_and_the_same_scores(archive, dora):
    created = create_draft_from_archive(archive.read_bytes(), "example.zip", dora)
    draft = created.challenge
    assert (draft.slug, draft.state, list(draft.organizers.all())) == ("example-2", "draft", [dora])
    original = Challenge.objects.get(slug="example")
    assert draft.description == original.description
    assert [task.name for task in draft.tasks.order_by("pk")] == ["ACT", "TX", "GN"]
    runs = Run.objects.filter(phase__challenge=draft)
    assert set(runs.values_list("sort", "team")) == {("imported", None)}
    due = [run for run in list_runs_due_for_scoring() if run.phase.challenge_id == draft.pk]
    for run in due:
        compute_and_store_run_scores(run)
    figures = {
        (score.run.task.name, score.run.name, score.scenario): (score.figures, score.intervals, score.absent)
        for run in runs
        for score in run.scores.all()
    }
    assert figures == read_archived_figures(archive)
