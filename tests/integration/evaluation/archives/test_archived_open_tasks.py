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
from servers.teams.models import Membership, Team
from tests.integration.archive_cast import extract_archive_files, submit_run_content, write_challenge_archive
from tests.integration.archive_commands import list_commands, run_in_this_process
from tests.integration.open_task_cast import OPEN_TASKS, check_score, make_open_challenge

pytestmark = [pytest.mark.django_db, pytest.mark.long]
NAMES = ("NER", "NER-SPELLED", "NEL-ART", "CID-SPELLED", "CID", "TOPIC")


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
    for name in ("NER-SPELLED", "CID-SPELLED"):
        assert described[name]["settings"] == OPEN_TASKS[name][1]
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
            assert ("--type-spellings" in words) == task.endswith("-SPELLED")
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
    figures = {}
    for run in Run.objects.filter(phase__challenge=again):
        before = run.scores.get(scenario="all", superseded=None)
        assert before.figures
        assert compute_and_store_run_scores(run).figures == before.figures
        figures[run.task.name, run.name] = before.figures
    # The run writes diseases in a spelling that only the task knows, and its figures are those of the known one.
    assert figures["NER-SPELLED", "one"] == figures["NER", "one"]
    assert figures["CID-SPELLED", "one"] == figures["CID", "one"]


def test_a_run_with_a_spelling_of_the_task_is_scored_after_it_was_restored(archive, alice):
    again = restore_challenge_unless_restored_before(archive, "again").challenge
    task, phase = again.tasks.get(name="NER-SPELLED"), again.phases.get()
    _, _, _, run, _ = OPEN_TASKS["NER-SPELLED"]
    late = run.replace(b"Medical_Problem", b"ILLNESS")
    team = Team.objects.get(slug="team-beta")
    Membership.objects.create(team=team, user=alice, role="member")
    score = compute_and_store_run_scores(submit_run_content(task, phase, team, alice, "late", late))
    before = Score.objects.get(
        run__name="one", run__task=task, scenario="all", superseded=None, run__team__isnull=False
    )
    assert score.figures == before.figures


def test_it_is_refused_with_settings_that_do_not_fit(archive, tmp_path):
    broken = tmp_path / "broken.zip"
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, content.replace(b'"Disease"', b'"Dis,ease"') if name == "challenge.json" else content)
    with pytest.raises(ChallengeArchiveError):
        restore_challenge_unless_restored_before(broken, "broken")
