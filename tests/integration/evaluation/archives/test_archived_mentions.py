"""A task of gene mentions in an archive: scored without the site to the same digits, and restored with alternatives."""

import pytest

from evaluation import tasks
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.gold.alternatives import AlternativesFile, find_decrypted_alternatives
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Team
from tests.integration.archive_cast import extract_archive_files, write_challenge_archive
from tests.integration.archive_commands import check_mention_figures
from tests.integration.mention_cast import ALTERNATIVES, GOLD, OTHER, RUN, make_mention_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def archive(olga, alice, team, tmp_path):
    task, phase = make_mention_task(olga)
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt", AlternativesFile(ALTERNATIVES, "ALTGENE.eval"))
    phase.refresh_from_db()
    for name, content in {"one": RUN, "two": OTHER}.items():
        compute_and_store_run_scores(
            intake.store_run_upload_and_process_or_enqueue(
                RunSubmission(name, "", f"{name}.txt", content), task, phase, team, alice
            ).run
        )
    Run.objects.filter(name="two").update(team=Team.objects.create(name="Team Beta", slug="team-beta"))
    tasks.rank_stale_boards_unless_busy()
    return write_challenge_archive(task.challenge, tmp_path / "a.zip")


def test_it_is_scored_again_to_the_same_digits(archive, tmp_path):
    check_mention_figures(extract_archive_files(archive, tmp_path / "archive"))


def test_it_is_restored_with_its_alternatives(archive):
    again = restore_challenge_unless_restored_before(archive, "again").challenge
    before, restored = (GoldStandard.objects.get(phase__challenge__slug=slug) for slug in ("genes", "again"))
    assert find_decrypted_alternatives(restored) == find_decrypted_alternatives(before)
    for run in Run.objects.filter(phase__challenge=again):
        last = run.scores.get(scenario="all").figures
        assert compute_and_store_run_scores(run).figures == last
