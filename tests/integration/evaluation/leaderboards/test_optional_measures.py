"""Measures that a leaderboard has only if its task chooses them: figures, intervals, order, files and commands."""

import pytest

from evaluation import tasks
from evaluation.challenges.models import Task
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup.corrections import update_task_refusing_breaking_changes
from evaluation.measures.classification.further_figures import FURTHER_CALL_FIGURES
from evaluation.measures.lists.further_figures import FURTHER_LIST_FIGURES
from evaluation.runs.models import Run
from tests.integration.archive_cast import beta, play_challenge
from tests.integration.archive_commands import same_scores
from tests.integration.evaluation.leaderboards.test_score_files import (
    download_files_and_commands,
    run_printed_command,
)

pytestmark = pytest.mark.django_db
CHOICES = {"GN": ("mrr", FURTHER_LIST_FIGURES), "ACT": ("roc_area", FURTHER_CALL_FIGURES)}


@pytest.fixture
def challenge(olga, team, alice, django_user_model, settings):
    settings.API_FILES_PER_MINUTE = 1000
    return play_challenge(olga, team, alice, *beta(django_user_model))


def choose_measures(challenge, name):
    task = Task.objects.get(name=name)
    primary, further = CHOICES[name]
    fields = {"name": task.name, "kind": task.kind, "title": task.title, "note": task.note}
    update_task_refusing_breaking_changes(task, **fields, primary=primary, further=list(further))
    return task


@pytest.mark.parametrize("name", CHOICES)
def test_a_task_can_choose_them(client, challenge, name, tmp_path, monkeypatch, capsys):
    primary, further = CHOICES[name]
    run = Run.objects.filter(task__name=name, sort=Run.Source.UPLOAD).first()
    assert set(further).isdisjoint(run.scores.get(scenario="all").figures)
    choose_measures(challenge, name)
    # Scores without the measures are out of date; other tasks are not scored again.
    scored = Run.objects.filter(task__name=name, producer__results__isnull=False).distinct().count()
    assert tasks.score_due_runs_after_cleaning_unless_busy() == f"{scored} of {scored} scored"
    tasks.rank_stale_boards_unless_busy()
    score = run.scores.get(scenario="all", superseded=None)
    assert set(further) <= set(score.figures)
    for figure in further:
        low, high = score.intervals[figure]
        assert low <= high
    publish_phase_or_request_if_sealed(challenge.phases.get())
    board = client.get(f"/api/v1/challenges/example/training/{name}/").json()
    assert next(measure["name"] for measure in board["measures"]) == primary
    assert {measure["name"] for measure in board["measures"]} == set(further)
    assert client.get(f"/challenges/example/training/{name}/").status_code == 200
    monkeypatch.chdir(tmp_path)
    commands = download_files_and_commands(client, f"/challenges/example/training/{name}/scores/{run.pk}/", tmp_path)
    stored = list(run.scores.filter(superseded=None, absent="").values("scenario", "figures", "intervals"))
    for own in stored:
        for values in (own["figures"], own["intervals"]):
            for figure in set(further) & set(values) if name == "GN" else ():
                values[f"further_{figure}"] = values.pop(figure)
    made = {
        scenario
        for command in commands
        for scenario, _ in same_scores(
            command, run_printed_command(command, capsys), [own | {"run": f"run-{run.pk}"} for own in stored]
        )
    }
    assert made == {own["scenario"] for own in stored}


def test_the_api_says_that_leaderboards_can_have_them(client):
    measures = {(one["name"], one["scored"]) for one in client.get("/api/v1/measures/").json()}
    assert {(name, True) for name in (*FURTHER_LIST_FIGURES, *FURTHER_CALL_FIGURES)} <= measures
