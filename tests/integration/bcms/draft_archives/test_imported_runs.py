"""Imported runs are marked wherever they are shown, have no rank, and are nobody's."""

import csv
from io import StringIO

import pytest

from annotations.results.models import Producer
from bcms.draft_archives.creation import create_draft_from_archive
from evaluation import tasks
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.challenges.deletion.challenge_deletion import delete_challenge_without_runs
from evaluation.challenges.models import Challenge, ChallengeState
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.states.transitions import change_challenge_state
from evaluation.errors import ChallengeError
from evaluation.leaderboards.models import Ranking
from evaluation.runs.models import Run
from evaluation.runs.run_page.baseline_mark import set_baseline_mark_until_publication
from evaluation.scoring.run_scores import compute_and_store_run_scores
from evaluation.scoring.stale_scores import list_runs_due_for_scoring
from servers.review.states import ReviewState
from tests.integration.archive_cast import beta, play_challenge, write_challenge_archive

pytestmark = pytest.mark.django_db
BOARD = "/challenges/mine/training/GN/"


@pytest.fixture
def draft(olga, team, alice, django_user_model, tmp_path, dora):
    challenge = play_challenge(olga, team, alice, *beta(django_user_model))
    content = write_challenge_archive(challenge, tmp_path / "example.zip").read_bytes()
    created = create_draft_from_archive(content, "example.zip", dora, {"slug": "mine"})
    for run in list_runs_due_for_scoring():
        compute_and_store_run_scores(run)
    return created.challenge


def test_boards_and_files_mark_them_and_give_no_rank(draft, client, dora, alice):
    client.force_login(dora)
    page = client.get(BOARD).content.decode()
    assert "Team Beta (imported)" in page and '<span class="chip">imported</span>' in page
    assert "imported runs have no rank" in page and "Ranks appear after" not in page
    rows = list(csv.DictReader(StringIO(client.get(f"{BOARD}leaderboard.csv").content.decode())))
    assert {(row["sort"], row["rank"]) for row in rows} == {("imported", "")}
    assert {row["team"] for row in rows} == {"Team Alpha (imported)", "Team Beta (imported)"}
    runs = client.get(f"{BOARD}leaderboard.json").json()["runs"]
    assert {(run["sort"], run["rank"]) for run in runs} == {("imported", None)}
    assert "Team Beta (imported)" in client.get(f"{BOARD}leaderboard.tex").content.decode()
    rest = client.get("/api/v1/challenges/mine/training/GN/").json()["rows"]
    assert {(run["sort"], run["first_rank"]) for run in rest} == {("imported", None)}
    client.force_login(alice)
    assert client.get(BOARD).status_code == 404, "a draft, although she is on a team of that name"


def test_pages_of_a_run_mark_it(draft, client, dora, alice):
    run = Run.objects.get(phase__challenge=draft, name="Second")
    client.force_login(dora)
    page = client.get(f"/runs/{run.pk}/").content.decode()
    assert "Team Beta (imported)" in page and '<span class="chip">imported</span>' in page
    assert "Mark as baseline" not in page
    rest = client.get(f"/api/v1/runs/{run.pk}/").json()
    assert (rest["sort"], rest["team"], rest["upload"]) == ("imported", None, None)
    for address in (f"{BOARD}scores/{run.pk}/", f"/runs/{run.pk}/articles/"):
        assert "Team Beta (imported)" in client.get(address).content.decode(), address
    assert run.producer.name == "Second, Team Beta (imported)"
    client.force_login(alice)
    assert client.get(f"/runs/{run.pk}/").status_code == 404


def test_they_are_in_no_test_and_cannot_become_baselines(draft):
    tasks.rank_stale_boards_unless_busy()
    assert not Ranking.objects.filter(phase__challenge=draft).exists()
    run = Run.objects.filter(phase__challenge=draft).first()
    with pytest.raises(ChallengeError, match="was imported with the challenge"):
        set_baseline_mark_until_publication(run, is_baseline=True)
    assert not run.producer.public and not run.producer.published


def test_they_do_not_keep_a_draft_from_being_deleted(draft, dora):
    producers = Producer.objects.filter(runs__phase__challenge=draft)
    keys = list(producers.values_list("pk", flat=True))
    delete_challenge_without_runs(draft)
    assert keys and not Producer.objects.filter(pk__in=keys).exists()


def test_an_archive_of_the_draft_keeps_the_marks(draft, tmp_path, dora):
    path = write_challenge_archive(draft, tmp_path / "again.zip")
    restored = restore_challenge_unless_restored_before(path, "restored").challenge
    second = create_draft_from_archive(path.read_bytes(), "again.zip", dora, {"slug": "second"}).challenge
    for challenge in (restored, second):
        runs = Run.objects.filter(phase__challenge=challenge, name="Second")
        assert list(runs.values_list("sort", "imported_team", "team")) == [("imported", "Team Beta", None)]


def test_baselines_of_the_other_site_are_published_on_no_article(draft, tmp_path, dora):
    second = write_challenge_archive(draft, tmp_path / "again.zip").read_bytes()
    drafts = (draft, create_draft_from_archive(second, "again.zip", dora, {"slug": "second"}).challenge)
    for challenge in drafts:
        change_challenge_state(challenge, ChallengeState.LISTED)
        Challenge.objects.filter(pk=challenge.pk).update(review=ReviewState.ACCEPTED)
        publish_phase_or_request_if_sealed(challenge.phases.get())
        runs = Run.objects.filter(phase__challenge=challenge)
        made = runs.filter(name__startswith="Baseline: ")
        assert made.exists() and set(made.values_list("sort", "baseline")) == {("imported", True)}
        assert set(made.values_list("producer__published", "producer__public")) == {(True, False)}
        others = runs.exclude(name__startswith="Baseline: ")
        assert set(others.values_list("baseline", "producer__public")) == {(False, True)}
