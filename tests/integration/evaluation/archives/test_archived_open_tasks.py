"""Tasks of any types in an archive: their settings, scored again without the site, and restored with their figures."""

import json
import shlex
import zipfile

import pytest

from evaluation import tasks
from evaluation.archives.errors import ChallengeArchiveError
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.challenges.models import Task
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.measures.leaderboard_scenarios import get_fixed_or_build_scenario
from evaluation.measures.open_tasks import list_command_options
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Team
from tests.integration.archive_cast import extract_archive_files, submit_run_content, write_challenge_archive
from tests.integration.archive_commands import list_commands, run_in_this_process
from tests.integration.open_task_cast import OPEN_TASKS, check_score, make_open_challenge

pytestmark = pytest.mark.django_db
NAMES = ("NER", "NEL-ART", "CID", "TOPIC")


@pytest.fixture
def archive(olga, alice, team, tmp_path):
    challenge, phase = make_open_challenge(olga, NAMES)
    beta = Team.objects.create(name="Team Beta", slug="team-beta")
    for task in challenge.tasks.all():
        _, _, gold, *runs = OPEN_TASKS[task.name]
        store_gold_sealed_or_open(task, phase, gold, "gold.txt")
        for name, content in zip(("one", "two"), runs, strict=True):
            run = submit_run_content(task, phase, team, alice, name, content)
            compute_and_store_run_scores(run)
            Run.objects.filter(pk=run.pk, name="two").update(team=beta)
    tasks.rank_stale_boards_unless_busy()
    return write_challenge_archive(challenge, tmp_path / "a.zip")


def test_its_commands_give_its_figures(archive, tmp_path):
    folder = extract_archive_files(archive, tmp_path / "archive")
    described = {task["name"]: task for task in json.loads((folder / "challenge.json").read_text())["tasks"]}
    assert described["NER"]["settings"] == {"entity_types": ["Disease"]}
    stored = {}
    for score in Score.objects.filter(absent=""):
        task, scenario = score.run.task, get_fixed_or_build_scenario(score.scenario)
        options = list_command_options(task.compared_form, task.get_settings(), scenario)
        stored[task.name, tuple(options), score.run.name] = score
    checked = set()
    for command in list_commands(folder):
        printed, words = run_in_this_process(command, folder), shlex.split(command)
        task = command.partition("training/")[2].partition("/")[0]
        if "score" in words:
            options = tuple(words[words.index("--task") + 2 : words.index("--bootstrap")])
            for one in printed["runs"]:
                key = (task, options, one["run"].partition("-")[2])
                check_score(stored[key], one)
                checked.add(key)
    assert checked == stored.keys()


def test_it_is_restored_with_its_settings_and_figures(archive):
    again = restore_challenge_unless_restored_before(archive, "again").challenge
    assert {task.name: task.settings for task in again.tasks.all()} == {
        task.name: task.settings for task in Task.objects.filter(challenge__slug="open-tasks")
    }
    for run in Run.objects.filter(phase__challenge=again):
        before = run.scores.get(scenario="all", superseded=None)
        assert before.figures
        assert compute_and_store_run_scores(run).figures == before.figures


def test_it_is_refused_with_settings_that_do_not_fit(archive, tmp_path):
    broken = tmp_path / "broken.zip"
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, content.replace(b'"Disease"', b'"Dis,ease"') if name == "challenge.json" else content)
    with pytest.raises(ChallengeArchiveError):
        restore_challenge_unless_restored_before(broken, "broken")
