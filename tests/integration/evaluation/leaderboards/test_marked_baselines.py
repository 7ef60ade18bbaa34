"""Runs that an organizer marks as baselines: on the board without a rank, in no test, until the phase is published."""

import pytest

from evaluation import tasks
from evaluation.archives.jobs import enqueue_archive_discarding_finished_one
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.leaderboards.models import Ranking
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.audit.models import AuditEvent
from servers.teams.models import Team
from tests.integration.evaluation_cast import answer, make_server, relevant

pytestmark = pytest.mark.django_db
BOARD = "/api/v1/challenges/example/training/ACT/"
LABELS = {"good": "TTFF", "fair": "TFFF", "other": "TTTF"}


@pytest.fixture
def runs(team, phase):
    beta = Team.objects.create(name="Team Beta", slug="team-beta")
    runs = {}
    for name, labels in LABELS.items():
        run = enter_eligible_server_and_enqueue_articles(make_server(beta if name == "other" else team, name), phase)[0]
        for pmid, label in zip((101, 102, 103, 104), labels, strict=True):
            answer(run, pmid, relevant(label == "T"))
        runs[name] = run
    for run in runs.values():
        compute_and_store_run_scores(run)
    tasks.rank_stale_boards_unless_busy()
    return runs


def mark(client, run):
    return client.post(f"/api/v1/runs/{run.pk}/baseline/")


def read_rows(client):
    return {row["run"]: row for row in client.get(BOARD).json()["rows"]}


def test_a_marked_run_has_no_rank_and_is_in_no_test(runs, organizer):
    marked = mark(organizer, runs["good"])
    assert marked.status_code == 200, marked.json()
    assert marked.json()["baseline"] is True
    tasks.rank_stale_boards_unless_busy()
    rows = read_rows(organizer)
    row = rows.pop(runs["good"].pk)
    assert (row["sort"], row["first_rank"], row["team"]) == ("baseline", None, "Team Alpha")
    assert all(other["first_rank"] for other in rows.values())
    assert len(Ranking.objects.get(measure="mcc").scores) == 2
    assert runs["good"].pk not in Ranking.objects.get(measure="mcc").ensemble["runs"]
    csv = organizer.get("/challenges/example/training/ACT/leaderboard.csv").content.decode()
    assert csv.count("baseline") == 1
    assert '<tr class="base' in organizer.get("/challenges/example/training/ACT/").content.decode()
    unmarked = organizer.delete(f"/api/v1/runs/{runs['good'].pk}/baseline/")
    assert unmarked.json()["baseline"] is False
    tasks.rank_stale_boards_unless_busy()
    assert read_rows(organizer)[runs["good"].pk]["first_rank"] == 1


def test_it_counts_beside_the_counted_run_of_its_team(runs, organizer):
    Phase.objects.update(counted_runs="best")
    assert set(read_rows(organizer)) == {runs["good"].pk, runs["other"].pk}
    mark(organizer, runs["good"])
    assert set(read_rows(organizer)) == {run.pk for run in runs.values()}


def test_the_page_marks_and_unmarks_it_and_the_audit_trail_says_so(runs, organizer):
    address = f"/runs/{runs['fair'].pk}/"
    assert b"Mark as baseline" in organizer.get(address).content
    done = organizer.post(f"{address}baseline/", {"baseline": "1"}, follow=True).content.decode()
    assert "is marked as a baseline and has no rank" in done
    assert '<span class="chip">baseline</span>' in done
    organizer.post(f"{address}baseline/", {"baseline": "1"})
    organizer.post(f"{address}baseline/", {"baseline": "0"})
    events = AuditEvent.objects.filter(action__contains="_as_baseline").order_by("pk")
    assert [(event.action, event.before, event.after) for event in events] == [
        ("run.marked_as_baseline", {"baseline": False}, {"baseline": True}),
        ("run.unmarked_as_baseline", {"baseline": True}, {"baseline": False}),
    ]


def test_only_organizers_mark_runs(runs, client, alice):
    client.force_login(alice)
    assert mark(client, runs["good"]).status_code == 403
    assert client.post(f"/runs/{runs['good'].pk}/baseline/").status_code == 403
    assert b"Mark as baseline" not in client.get(f"/runs/{runs['good'].pk}/").content
    assert not Run.objects.filter(baseline=True).exists()


def test_published_boards_keep_their_baselines(runs, organizer, phase):
    publish_phase_or_request_if_sealed(phase)
    refused = mark(organizer, runs["good"])
    assert refused.status_code == 409
    assert "nobody can change which runs are baselines any more" in refused.json()["detail"]
    assert b"Mark as baseline" not in organizer.get(f"/runs/{runs['good'].pk}/").content


def test_withdrawn_runs_and_baselines_of_the_site_are_refused(runs, organizer):
    Run.objects.filter(pk=runs["good"].pk).update(sort="baseline")
    assert "made by the site" in mark(organizer, runs["good"]).json()["detail"]
    Run.objects.filter(pk=runs["fair"].pk).update(withdrawn="2026-01-01T00:00Z")
    assert "is withdrawn" in mark(organizer, runs["fair"]).json()["detail"]


def test_an_archive_keeps_counted_runs_and_baselines(runs, organizer, olga, phase, tmp_path):
    Phase.objects.update(counted_runs="best")
    mark(organizer, runs["good"])
    tasks.rank_stale_boards_unless_busy()
    publish_phase_or_request_if_sealed(Phase.objects.get())
    before = organizer.get(BOARD).json()
    enqueue_archive_discarding_finished_one(phase.challenge, olga)
    tasks.make_requested_archives_unless_busy()
    path = tmp_path / "example.zip"
    path.write_bytes(b"".join(organizer.get("/challenges/example/archive/file/").streaming_content))
    restored = restore_challenge_unless_restored_before(path, "again").challenge
    assert [(run.name, run.sort) for run in Run.objects.filter(phase__challenge=restored, baseline=True)] == [
        (runs["good"].name, "online")
    ]
    assert restored.phases.get().counted_runs == "best"
    after = organizer.get(BOARD.replace("example", "again")).json()

    def describe(board):
        return [(row["name"], row["sort"], row["first_rank"], row["figures"]) for row in board["rows"]]

    assert describe(after) == describe(before)
