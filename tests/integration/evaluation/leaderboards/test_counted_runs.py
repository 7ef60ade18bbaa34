"""The organizer chooses which runs of a team count on a leaderboard, until it is published."""

from datetime import UTC, datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation import tasks
from evaluation.archives.jobs import enqueue_archive_discarding_finished_one
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.leaderboards.baselines import store_baseline_runs_replacing_earlier
from evaluation.leaderboards.models import Ranking
from evaluation.runs.models import Run
from evaluation.runs.uploads import eligibility
from evaluation.runs.uploads.models import Upload
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Membership, Team
from tests.integration.evaluation_cast import answer, make_server, relevant

pytestmark = pytest.mark.django_db
RULES = "/api/v1/challenges/example/phases/training/"
BOARD = "/api/v1/challenges/example/training/ACT/"
LABELS = {"good": "TTFF", "equal": "TTFF", "bad": "FTFT", "other": "TFFF"}


@pytest.fixture
def runs(team, phase):
    """Three runs of one team, of which the first two are equal, one run of another team, and baselines."""
    beta = Team.objects.create(name="Team Beta", slug="team-beta")
    runs = {}
    for name, labels in LABELS.items():
        run = enter_eligible_server_and_enqueue_articles(make_server(beta if name == "other" else team, name), phase)[0]
        for pmid, label in zip((101, 102, 103, 104), labels, strict=True):
            answer(run, pmid, relevant(label == "T"))
        runs[name] = run
    for run in (*runs.values(), *store_baseline_runs_replacing_earlier(runs["good"].task, phase)):
        compute_and_store_run_scores(run)
    Run.objects.filter(pk__in=(runs["bad"].pk, runs["other"].pk)).update(final=True)
    tasks.rank_stale_boards_unless_busy()
    return runs


@pytest.mark.parametrize(
    ("rule", "counted"),
    [
        ("all", {"good", "equal", "bad", "other"}),
        ("best", {"equal", "other"}),
        ("last", {"bad", "other"}),
        ("final", {"bad", "other"}),
    ],
)
def test_the_board_its_tests_files_and_pairs_have_only_runs_that_count(rule, counted, runs, organizer):
    Phase.objects.update(counted_runs=rule)
    tasks.rank_stale_boards_unless_busy()
    board = organizer.get(BOARD).json()
    keys = {runs[name].pk for name in counted}
    competing = [row for row in board["rows"] if row["sort"] != "baseline"]
    assert {row["run"] for row in competing} == keys
    assert len(board["rows"]) == len(keys) + 2
    assert all(row["first_rank"] for row in competing)
    assert board["counted_runs"] == rule
    assert len(Ranking.objects.get(measure="mcc").scores) == len(keys)
    pairs = organizer.get(f"{BOARD}pairs/").json()["pairs"]
    assert {run for pair in pairs for run in (pair["a"], pair["b"])} == keys
    csv = organizer.get("/challenges/example/training/ACT/leaderboard.csv").content.decode()
    assert csv.count("online") == len(keys)
    page = organizer.get("/challenges/example/training/ACT/").content.decode()
    assert ("of each team counts" in page or "tagged as final count" in page) == (rule != "all")
    assert tasks.rank_stale_boards_unless_busy() == "0 ranked"


def test_it_counts_the_last_run_of_a_team_without_a_score(runs, organizer):
    Phase.objects.update(counted_runs="best")
    Run.objects.get(pk=runs["other"].pk).scores.all().delete()
    rows = organizer.get(BOARD).json()["rows"]
    assert runs["other"].pk in {row["run"] for row in rows}


def send_rules(client, **changes):
    rules = client.get(RULES).json()
    return client.put(RULES, {**rules, **changes}, content_type="application/json")


def test_the_choice_is_frozen_at_publication(runs, organizer, phase):
    assert send_rules(organizer, counted_runs="best").json()["counted_runs"] == "best"
    publish_phase_or_request_if_sealed(phase)
    refused = send_rules(organizer, counted_runs="last")
    assert refused.status_code == 400
    assert "nobody can change which runs count" in str(refused.json())
    assert send_rules(organizer, counted_runs="best").status_code == 200
    assert Phase.objects.get().counted_runs == "best"


def test_its_archive_has_the_same_runs(runs, organizer, olga, phase):
    Phase.objects.update(counted_runs="best")
    enqueue_archive_discarding_finished_one(phase.challenge, olga)
    assert "fail" not in tasks.make_requested_archives_unless_busy()
    content = b"".join(organizer.get("/challenges/example/archive/file/").streaming_content)
    assert b"PK" in content[:4]


def test_it_limits_the_runs_of_a_day(phase, team, alice, client, monkeypatch):
    Phase.objects.update(daily_runs=1)
    assert Membership.objects.filter(team=team, user=alice).exists()
    client.force_login(alice)

    def upload(content):
        name = f"run-{content[:3].decode()}.tsv"
        sent = {"team": "team-alpha", "file": SimpleUploadedFile(name, content)}
        return client.post("/api/v1/challenges/example/training/TX/runs/", sent)

    assert upload(b"101\t9606\t1\t0.5\n").status_code == 201
    Upload.objects.update(received=datetime(2026, 5, 4, 23, 30, tzinfo=UTC))
    monkeypatch.setattr(eligibility.timezone, "now", lambda: datetime(2026, 5, 4, 23, 59, tzinfo=UTC))
    Phase.objects.update(opens=datetime(2026, 5, 1, tzinfo=UTC))
    refused = upload(b"102\t9606\t1\t0.5\n")
    assert refused.status_code == 409
    assert refused.json()["detail"] == (
        "Team Alpha has already uploaded as many runs of TX today as the phase allows (1). You can upload the next one "
        "from 5 May 2026, 00:00 UTC on."
    )
    monkeypatch.setattr(eligibility.timezone, "now", lambda: datetime(2026, 5, 5, 0, 0, tzinfo=UTC))
    accepted = upload(b"102\t9606\t1\t0.5\n")
    assert accepted.status_code == 201, accepted.json()
