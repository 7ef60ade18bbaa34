"""Mean ranks over tasks that the organizers chose: page, REST, archive, and who sees them."""

import pytest

from evaluation import tasks
from evaluation.archives.jobs import enqueue_archive_discarding_finished_one
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Team
from tests.integration.evaluation_cast import answer, make_server, relevant, species

pytestmark = pytest.mark.django_db
RULES = "/api/v1/challenges/example/phases/training/"
RANKS = f"{RULES}mean-ranks/"
PAGE = "/challenges/example/phases/training/mean-ranks/"
# The answers of each server to ACT, and whether it answers TX rightly, wrongly or not at all.
SERVERS = {"good": ("TTFF", "9606"), "worse": ("FTFT", "10090"), "equal": ("TTFF", None), "third": ("TFFT", "10090")}
TEAMS = {"good": "Team Alpha", "worse": "Team Alpha", "equal": "Team Beta", "third": "Team Gamma"}


@pytest.fixture
def runs(team, phase):
    """Two runs of one team, and one each of two others; only Beta has none in TX."""
    teams = {"Team Alpha": team}
    for name in ("Team Beta", "Team Gamma"):
        teams[name] = Team.objects.create(name=name, slug=name.lower().replace(" ", "-"))
    runs = {}
    for name, (labels, organism) in SERVERS.items():
        for run in enter_eligible_server_and_enqueue_articles(make_server(teams[TEAMS[name]], name), phase):
            if run.task.name == "ACT":
                for pmid, label in zip((101, 102, 103, 104), labels, strict=True):
                    answer(run, pmid, relevant(label == "T"))
            elif organism:
                for pmid in (101, 102, 103, 104):
                    answer(run, pmid, species(organism))
            else:
                run.delete()
                continue
            runs[name, run.task.name] = run
            compute_and_store_run_scores(run)
    return runs


def choose(client, *names):
    rules = client.get(RULES).json()
    return client.put(RULES, {**rules, "mean_rank_tasks": names}, content_type="application/json")


def read_rows(client, address=RANKS):
    rows = client.get(address).json()["rows"]
    return [(row["place"], row["team"], row["mean_rank"], [own["rank"] for own in row["ranks"]]) for row in rows]


EXPECTED = [
    (1, "Team Alpha", 1.25, [1.5, 1.0]),
    (2, "Team Beta", 2.25, [1.5, 3.0]),
    (3, "Team Gamma", 2.5, [3.0, 2.0]),
]


def test_it_averages_the_ranks_of_the_best_runs(runs, organizer):
    chosen = choose(organizer, "ACT", "TX")
    assert chosen.status_code == 200, chosen.json()
    assert chosen.json()["mean_rank_tasks"] == ["ACT", "TX"]
    assert read_rows(organizer) == EXPECTED
    best = organizer.get(RANKS).json()["rows"]
    assert [own["run"] for own in best[0]["ranks"]] == [runs["good", "ACT"].pk, runs["good", "TX"].pk]
    assert (best[1]["ranks"][1]["run"], best[1]["ranks"][1]["figure"]) == (None, None)
    page = organizer.get(PAGE).content.decode()
    assert "Team Beta" in page
    assert "no run" in page
    assert "Mean ranks over 2 tasks" in organizer.get("/challenges/example/leaderboards/").content.decode()


def test_only_runs_that_count_are_ranked_and_baselines_are_not(runs, organizer):
    choose(organizer, "ACT", "TX")
    Phase.objects.update(counted_runs="last")
    assert read_rows(organizer) == [
        (1, "Team Alpha", 2.0, [2.5, 1.5]),
        (1, "Team Beta", 2.0, [1.0, 3.0]),
        (1, "Team Gamma", 2.0, [2.5, 1.5]),
    ]
    Phase.objects.update(counted_runs="all")
    Run.objects.filter(pk=runs["third", "ACT"].pk).update(baseline=True)
    assert read_rows(organizer)[2] == (3, "Team Gamma", 2.5, [3.0, 2.0])
    Run.objects.filter(pk=runs["third", "TX"].pk).update(withdrawn="2026-01-01T00:00Z")
    assert [row[1] for row in read_rows(organizer)] == ["Team Alpha", "Team Beta"]


def test_others_see_them_once_all_tasks_are_published(runs, organizer, client, alice, phase):
    choose(organizer, "ACT", "TX")
    client.force_login(alice)
    assert client.get(RANKS).json()["visible"] is False
    assert read_rows(client) == []
    assert "shown after all these tasks are published" in client.get(PAGE).content.decode()
    publish_phase_or_request_if_sealed(phase)
    client.logout()
    assert read_rows(client) == EXPECTED
    assert "Team Gamma" in client.get(PAGE).content.decode()


def test_the_choice_needs_two_tasks_and_is_frozen_at_publication(runs, organizer, phase):
    assert "two or more" in str(choose(organizer, "ACT").json())
    assert choose(organizer, "ACT", "XX").status_code == 400
    assert choose(organizer, "ACT", "TX").status_code == 200
    publish_phase_or_request_if_sealed(phase)
    refused = choose(organizer)
    assert refused.status_code == 400
    assert "nobody can change whose ranks are averaged" in str(refused.json())
    assert choose(organizer, "TX", "ACT").status_code == 200


def test_without_chosen_tasks_the_page_says_so(runs, organizer):
    assert organizer.get(RANKS).json()["tasks"] == []
    assert "have not chosen tasks" in organizer.get(PAGE).content.decode()
    assert "Mean ranks" not in organizer.get("/challenges/example/").content.decode()


def test_its_queries_have_a_fixed_number(runs, organizer, django_assert_num_queries):
    choose(organizer, "ACT", "TX")
    organizer.get(PAGE)
    with django_assert_num_queries(8):
        organizer.get(PAGE)


def test_the_archive_has_them_and_its_import_too(runs, organizer, olga, phase, client, tmp_path):
    choose(organizer, "ACT", "TX")
    tasks.rank_stale_boards_unless_busy()
    publish_phase_or_request_if_sealed(Phase.objects.get())
    enqueue_archive_discarding_finished_one(phase.challenge, olga)
    tasks.make_requested_archives_unless_busy()
    path = tmp_path / "example.zip"
    path.write_bytes(b"".join(organizer.get("/challenges/example/archive/file/").streaming_content))
    restored = restore_challenge_unless_restored_before(path, "again").challenge
    assert [task.name for task in restored.phases.get().mean_rank_tasks.order_by("pk")] == ["ACT", "TX"]
    assert read_rows(client, RANKS.replace("example", "again")) == EXPECTED
