"""Boards are ranked by a worker, anew when scores have changed."""

import pytest

from annotations.identifiers.models import Entry
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Kind
from evaluation import tasks
from evaluation.challenges.models import Task
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards import ranking_tests
from evaluation.leaderboards.board import build_board_visible_to_user
from evaluation.leaderboards.exports import build_board_json_data
from evaluation.leaderboards.models import Ranking
from evaluation.leaderboards.pairwise import find_holm_matrix_of_competing_runs
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Team
from tests.integration.evaluation_cast import (
    answer,
    create_listed_challenge,
    make_corpus,
    make_server,
    relevant,
    species,
)

pytestmark = pytest.mark.django_db


def act_run(team, slug, phase, said):
    run = enter_eligible_server_and_enqueue_articles(make_server(team, slug), phase)[0]
    for pmid, letter in zip((101, 102, 103, 104), said, strict=True):
        answer(run, pmid, relevant(letter == "T"))
    compute_and_store_run_scores(run)
    return run


def test_it_ranks_each_board_once_until_a_score_changes(team, phase, django_assert_num_queries):
    act_run(team, "first", phase, "TTFF")
    second = act_run(team, "second", phase, "TFTF")
    assert tasks.rank_stale_boards_unless_busy() == "1 ranked"
    with django_assert_num_queries(4):
        assert ranking_tests.list_boards_with_outdated_rankings() == []
    answer(second, 103, relevant(False))
    compute_and_store_run_scores(second)
    assert tasks.rank_stale_boards_unless_busy() == "1 ranked"
    Run.objects.filter(pk=second.pk).update(withdrawn="2026-01-01T00:00Z")
    assert tasks.rank_stale_boards_unless_busy() == "1 ranked"


def test_it_keeps_what_the_tests_were_made_with(team, phase):
    runs = [act_run(team, slug, phase, said) for slug, said in (("a", "TTFF"), ("b", "FFTT"))]
    tasks.rank_stale_boards_unless_busy()
    ranking = Ranking.objects.get()
    assert (ranking.scenario, ranking.measure, ranking.samples, ranking.seed) == ("all", "mcc", 10_000, 1)
    assert ranking.scores == sorted(run.scores.get().pk for run in runs)
    # All four must be swapped, or none, for a difference as large: 1 sample in 8.
    assert ranking.counts[0] / 10_000 == pytest.approx(1 / 8, abs=0.02)
    assert (ranking.done, ranking.total, ranking.untested) == (0, 0, "")


def test_it_ranks_lists_by_both_averages_and_in_every_scenario(team, phase):
    for slug, said in (("a", ("9606",)), ("b", ("10116",))):
        run = enter_eligible_server_and_enqueue_articles(make_server(team, slug), phase)[1]
        answer(run, 101, species(*said))
        compute_and_store_run_scores(run)
    assert tasks.rank_stale_boards_unless_busy() == "4 ranked"
    made = {(own.scenario, own.measure): own for own in Ranking.objects.all()}
    assert set(made) == {(s, m) for s in ("all", "answered") for m in ("macro_f1", "micro_f1")}
    assert len(made["all", "micro_f1"].counts) == 1
    assert made["answered", "macro_f1"].counts == []


def test_it_leaves_baselines_out_of_the_tests(team, phase):
    act_run(team, "a", phase, "TTFF")
    base = act_run(team, "b", phase, "FFTT")
    Run.objects.filter(pk=base.pk).update(sort="baseline")
    tasks.rank_stale_boards_unless_busy()
    assert Ranking.objects.get().scores == [Run.objects.get(name="A", task__name="ACT").scores.get().pk]


@pytest.fixture
def others():
    return Team.objects.create(name="Team Beta", slug="team-beta")


def crowd(run, team, number):
    """So many runs of the team that say the same."""
    for place in range(number):
        producer = Producer.objects.create(sort="run", name=f"copy {place}")
        copied = Run.objects.create(task=run.task, phase=run.phase, team=team, producer=producer, name=f"Copy {place}")
        for score in run.scores.all():
            score.pk, score.run = None, copied
            score.save()


def test_a_team_cannot_tell_by_the_tests_how_many_runs_others_have(team, others, phase, alice, olga):
    act = phase.challenge.tasks.get(name="ACT")
    act_run(team, "a", phase, "TTFF")
    theirs = act_run(others, "theirs", phase, "FTFF")
    tasks.rank_stale_boards_unless_busy()
    assert build_board_visible_to_user(act, phase, alice).ranking.samples == 0
    act_run(team, "b", phase, "FFTT")
    tasks.rank_stale_boards_unless_busy()
    few = build_board_visible_to_user(act, phase, alice)
    crowd(theirs, others, 30)
    tasks.rank_stale_boards_unless_busy()
    assert build_board_visible_to_user(act, phase, olga).ranking.samples == 10_560
    many = build_board_visible_to_user(act, phase, alice)
    assert (many.ranking.samples, build_board_json_data(many)) == (10_000, build_board_json_data(few))
    assert find_holm_matrix_of_competing_runs(many) == find_holm_matrix_of_competing_runs(few)


def test_a_team_sees_tests_by_ranks_however_many_runs_others_have(team, others, phase, alice, olga):
    tx = phase.challenge.tasks.get(name="TX")
    Task.objects.filter(pk=tx.pk).update(primary="micro_auc_ipr")
    tx.refresh_from_db()
    for slug, own, said in (("a", team, ("9606",)), ("b", team, ("10116",)), ("c", others, ("10090",))):
        run = enter_eligible_server_and_enqueue_articles(make_server(own, slug), phase)[1]
        answer(run, 101, species(*said))
        compute_and_store_run_scores(run)
    tasks.rank_stale_boards_unless_busy()
    few = build_board_visible_to_user(tx, phase, alice)
    crowd(run, others, 30)
    tasks.rank_stale_boards_unless_busy()
    assert "can be tested for at most 32 runs" in build_board_visible_to_user(tx, phase, olga).ranking.untested
    assert build_board_json_data(build_board_visible_to_user(tx, phase, alice)) == build_board_json_data(few)
    assert few.ranking.untested == ""


def test_it_goes_on_with_other_boards_when_one_cannot_be_ranked(team, phase, caplog, monkeypatch):
    act_run(team, "a", phase, "TTFF")
    monkeypatch.setattr(ranking_tests, "score_officially_best_teams_ensemble_unsealing_gold", lambda task, phase: 1 / 0)
    assert tasks.rank_stale_boards_unless_busy() == "0 ranked"
    assert "Unexpected error: ACT of phase" in caplog.text


def test_it_scores_proteins_by_organism_and_in_swiss_prot(team, olga):
    Entry.objects.bulk_create(
        [
            Entry(database="uniprot", identifier="P04637", taxon=9606, exists=True),
            Entry(database="uniprot", identifier="P53_HUMAN", exists=True, successors=["P04637"]),
            Entry(database="uniprot", identifier="P02340", taxon=10090, exists=True),
            Entry(database="uniprot", identifier="P02340_MOUSE", exists=True, successors=["P02340"]),
        ]
    )
    challenge = create_listed_challenge("Genes", "genes", "", olga)
    task = creation.create_task(challenge, "GN", Kind.NORMALIZATION, "Genes")
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", make_corpus("genes", (201, 202)))
    store_gold_sealed_or_open(task, phase, b"201\tP04637\n202\tP02340\n", "gn.tsv")
    (run,) = enter_eligible_server_and_enqueue_articles(make_server(team, "genes", [Kind.NORMALIZATION]), phase)
    both = [
        AnnotationData(Kind.NORMALIZATION, 0.5, database="uniprot", identifier=name) for name in ("P04637", "P02340")
    ]
    answer(run, 201, both)
    compute_and_store_run_scores(run)
    scores = {score.scenario: score for score in run.scores.all()}
    assert set(scores) == {
        *("all", "answered", "organisms", "organisms-answered", "swissprot"),
        *("organism-9606", "organism-10090"),
    }
    assert (scores["all"].figures["micro_precision"], scores["organisms"].figures["micro_precision"]) == (0.5, 1.0)
    # P02340_MOUSE is how TrEMBL would name it.
    assert scores["swissprot"].articles == 1
    assert tasks.rank_stale_boards_unless_busy() == "14 ranked"
