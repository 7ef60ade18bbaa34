"""Scores: what a run said against what is right, made anew when either has changed."""

import json
from datetime import timedelta

import pytest
from django.db import connection

from annotations.articles.models import Article
from annotations.results.models import Result
from bcms.lib.version import VERSION
from evaluation import tasks
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.models import Run
from evaluation.scoring import run_scores
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from evaluation.scoring.stale_scores import list_runs_due_for_scoring
from tests.integration.evaluation_cast import (
    ACT_GOLD,
    answer,
    make_server,
    relevant,
    species,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(team, phase):
    entered = enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), phase)
    return {run.task.name: run for run in entered}


@pytest.fixture
def act(runs):
    run = runs["ACT"]
    answer(run, 101, relevant(True, 0.9))
    answer(run, 102, relevant(False, 0.3))
    answer(run, 103, relevant(True, 0.4))
    return run


@pytest.fixture
def tx(runs):
    run = runs["TX"]
    answer(run, 101, species("9606"))
    answer(run, 102, species("10116", "9606"))
    answer(run, 103, [])
    answer(run, 104, species("9606"))
    return run


def test_it_scores_a_classification(act):
    score = compute_and_store_run_scores(act)
    figures = score.figures
    assert [figures[name] for name in ("tp", "fp", "tn", "fn")] == [1, 1, 1, 1]
    assert (figures["mcc"], figures["accuracy"], figures["sensitivity"]) == (0, 0.5, 0.5)
    # List: 101 T, 103 F, 102 T (reported, negative); 104 is not in the list.
    assert figures["auc_pr"] == pytest.approx(0.5 * (1 + 1) / 2 + 0.5 * (1 / 2 + 2 / 3) / 2)
    assert score.curve == [[0.5, 1.0], [0.5, 0.5], [1.0, pytest.approx(2 / 3)]]
    assert (score.articles, score.answered) == (4, 3)


def test_it_scores_ranked_lists(tx):
    score = compute_and_store_run_scores(tx)
    # 101: 1 of 1 right, 1 to find; 102: 1 of 2 right, 2 to find; 103: none of 1; 104 has nothing to find.
    assert score.figures["macro_precision"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert score.figures["macro_recall"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert score.figures["micro_precision"] == pytest.approx(2 / 3)
    assert score.figures["micro_recall"] == pytest.approx(2 / 4)
    assert (score.articles, score.answered) == (4, 4)


def test_it_signs_a_score_with_what_its_figures_mean(act, tx):
    checksum = GoldStandard.objects.get(task=act.task).checksum[:8]
    assert compute_and_store_run_scores(act).signature == (
        "act|training|mcc,auc_pr,sensitivity,specificity,accuracy|unreported:negative|scenario:all|profile:bc3|"
        f"bootstrap:1000|seed:1|gold:sha256:{checksum}|articles:4|bcms:{VERSION}"
    )
    signature = compute_and_store_run_scores(tx).signature
    assert "|average:macro,micro|unanswered:kept|without-gold:ignored|scenario:all|profile:bc3|" in signature


def test_it_gives_every_figure_an_interval(act, tx):
    for score in (compute_and_store_run_scores(act), compute_and_store_run_scores(tx)):
        assert score.intervals.keys() == score.figures.keys()
        assert all(low <= high for low, high in score.intervals.values())


def test_it_scores_a_run_in_other_scenarios_too(tx):
    compute_and_store_run_scores(tx)
    answered = tx.scores.get(scenario="answered")
    # 103 has an empty answer: it is not one of those that the run reports something of.
    assert (answered.articles, answered.answered) == (2, 2)
    assert answered.figures["macro_recall"] == pytest.approx((1 + 1 / 2) / 2)
    assert "|scenario:answered|" in answered.signature


def test_it_keeps_the_mean_confidence_and_the_times(act):
    answer(act, 104, relevant(False, 0.4), duration=4.0)
    score = compute_and_store_run_scores(act)
    assert score.confidence == pytest.approx((0.9 + 0.3 + 0.4 + 0.4) / 4)
    assert (score.seconds_mean, score.seconds_median, score.seconds_slowest) == (4.0, 4.0, 4.0)


def test_it_takes_an_empty_answer_for_answered_and_for_a_negative_call(runs):
    answer(runs["ACT"], 101, [])
    score = compute_and_store_run_scores(runs["ACT"])
    assert score.answered == 1
    assert [score.figures[name] for name in ("tp", "fp", "tn", "fn")] == [0, 0, 2, 2]


def test_it_reads_the_current_results_only(act):
    answer(act, 103, relevant(False, 0.8))
    assert compute_and_store_run_scores(act).figures["fp"] == 0


def test_it_leaves_out_articles_of_other_corpora(act, article):
    answer(act, article.pmid, relevant(True))
    score = compute_and_store_run_scores(act)
    assert (score.articles, score.answered, score.figures["fp"]) == (4, 3, 1)


def test_it_finds_runs_with_answers_newer_than_their_score(act):
    assert list_runs_due_for_scoring() == [act]
    compute_and_store_run_scores(act)
    assert list_runs_due_for_scoring() == []
    answer(act, 104, relevant(False))
    assert list_runs_due_for_scoring() == [act]


def test_it_notices_a_corrected_answer_and_another_gold_standard(act, phase):
    compute_and_store_run_scores(act)
    answer(act, 103, relevant(False, 0.8))
    assert list_runs_due_for_scoring() == [act]
    compute_and_store_run_scores(act)
    store_gold_sealed_or_open(act.task, phase, ACT_GOLD.replace(b"104\t0", b"104\t1"), "second.tsv")
    assert list_runs_due_for_scoring() == [act]


def test_it_leaves_runs_without_an_answer_unscored(runs):
    assert list_runs_due_for_scoring() == []
    assert tasks.score_due_runs_after_cleaning_unless_busy() == "0 of 0 scored"


def test_it_says_what_is_missing_when_there_is_no_gold_standard(act):
    GoldStandard.objects.filter(task=act.task).delete()
    assert list_runs_due_for_scoring() == []
    with pytest.raises(ChallengeError, match=r"ACT has no gold standard in the training phase. Upload one"):
        compute_and_store_run_scores(act)


def test_it_keeps_one_current_score_of_a_run(act):
    first, second = compute_and_store_run_scores(act), compute_and_store_run_scores(act)
    assert list(act.scores.all()) == [second]
    assert second.computed > first.computed


@pytest.mark.parametrize("change", ["gold", "version", "revision"])
def test_it_keeps_old_scores_when_what_they_were_made_from_changes(act, phase, monkeypatch, change):
    first = compute_and_store_run_scores(act)
    if change == "gold":
        store_gold_sealed_or_open(act.task, phase, ACT_GOLD.replace(b"104\t0", b"104\t1"), "second.tsv")
    elif change == "version":
        monkeypatch.setattr(run_scores, "VERSION", "0.1.1")
    else:
        type(phase).objects.update(revision=1)
    (stale,) = list_runs_due_for_scoring()
    second = compute_and_store_run_scores(stale)
    assert list_runs_due_for_scoring() == []
    first.refresh_from_db()
    assert (first.superseded, second.superseded) == (second.computed, None)
    assert (first.figures["tp"], first.checksum) != (second.figures["tp"], second.checksum) or change != "gold"


def test_it_scores_again_without_an_excluded_article(act, phase):
    compute_and_store_run_scores(act)
    phase.excluded.create(article=Article.objects.get(pmid=103), reason="It was withdrawn.")
    type(phase).objects.update(revision=1)
    score = compute_and_store_run_scores(list_runs_due_for_scoring()[0])
    assert (score.articles, score.figures["fp"]) == (3, 0)


def test_it_lets_a_run_that_takes_long_rest_before_newer_answers_are_scored(act, phase):
    score = compute_and_store_run_scores(act)
    Score.objects.filter(pk=score.pk).update(took=6.0)
    answer(act, 104, relevant(False))
    assert list_runs_due_for_scoring(score.computed + timedelta(seconds=59)) == []
    assert list_runs_due_for_scoring(score.computed + timedelta(seconds=61)) == [act]
    store_gold_sealed_or_open(act.task, phase, ACT_GOLD.replace(b"104\t0", b"104\t1"), "second.tsv")
    assert list_runs_due_for_scoring(score.computed) == [act]


def test_it_leaves_withdrawn_runs_alone(act):
    Run.objects.update(withdrawn="2026-01-01T00:00Z")
    assert list_runs_due_for_scoring() == []


def test_it_keeps_no_identifier_of_the_gold_standard(tx):
    score = compute_and_store_run_scores(tx)
    kept = json.dumps([score.figures, score.intervals, score.curve, score.signature]) + bytes(score.table).decode(
        "latin1"
    )
    assert "10090" not in kept


def test_it_scores_in_a_fixed_number_of_queries(act, django_assert_num_queries):
    run = Run.objects.select_related("task", "phase__corpus").get(pk=act.pk)
    compute_and_store_run_scores(run)
    with django_assert_num_queries(11):
        compute_and_store_run_scores(run)
    with django_assert_num_queries(1):
        list_runs_due_for_scoring()


def test_it_ties_by_the_opaque_id_in_a_blind_corpus(act, phase):
    phase.corpus.blind = True
    phase.corpus.save()
    Article.objects.filter(pmid=101).update(opaque="B2")
    Article.objects.filter(pmid=103).update(opaque="B1")
    answer(act, 101, relevant(True, 0.4))
    assert compute_and_store_run_scores(Run.objects.get(pk=act.pk)).curve[0] == [0.0, 0.0]


@pytest.mark.django_db(transaction=True)
def test_it_scores_in_one_task_at_a_time(act, monkeypatch):
    from django.db import connections

    other = connections.create_connection("default")
    other.ensure_connection()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [tasks.SCORING_LOCK])
    assert tasks.score_due_runs_after_cleaning_unless_busy() == "busy"
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(%s)", [tasks.SCORING_LOCK])
    other.close()
    assert tasks.score_due_runs_after_cleaning_unless_busy() == "1 of 1 scored"
    assert {score.run for score in Score.objects.all()} == {act}
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s", [tasks.SCORING_LOCK])
        assert cursor.fetchone() == (0,)


def test_it_goes_on_with_the_other_runs_when_one_cannot_be_scored(act, tx, caplog):
    act.task.kind = "nonsense"
    act.task.save()
    Result.objects.filter(producer=act.producer, kind="classification").update(kind="nonsense")
    assert tasks.score_due_runs_after_cleaning_unless_busy() == "1 of 2 scored"
    assert "Unexpected error" in caplog.text
