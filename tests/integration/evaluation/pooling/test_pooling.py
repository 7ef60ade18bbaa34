"""Evidence passages are pooled, judged by two, and what was decided scores the runs as the command line does."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from annotations.articles.models import Article
from annotations.schema import Kind
from evaluation import tasks
from evaluation.__main__ import main
from evaluation.challenges.phases.scored_articles import exclude_article_and_request_rescoring
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards.models import Ranking
from evaluation.pooling import closure
from evaluation.pooling.collection import add_run_passages_to_open_pool
from evaluation.pooling.judgements import store_judgement_and_demote_other_best
from evaluation.pooling.judges import add_or_change_noncompeting_judge_and_mail
from evaluation.pooling.judging_status import build_judging_status
from evaluation.pooling.lookup import can_adjudicate, can_judge
from evaluation.pooling.models import Judgement, Pool, PooledPassage
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.answers import load_current_annotations
from evaluation.scoring.models import Score
from servers.teams.models import Membership, Team
from tests.integration import pooling_cast as cast
from tests.integration.pooling_cast import BEST, NOT, RELEVANT, A, B, C

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase(olga):
    return cast.make_phase(olga)


@pytest.fixture
def task(phase):
    return phase.challenge.tasks.get()


def judge_passage(pool, text, judge, verdict, **options):
    options = {"shown": None, "adjudicates": False, "now": timezone.now()} | options
    return store_judgement_and_demote_other_best(
        pool.passages.get(passage=text), verdict, judge, options.pop("now"), **options
    )


def test_it_collects_each_passage_once(pool, task, phase):
    rows = pool.passages.values_list("article__pmid", "first", "second", "passage", "database").order_by("pk")
    assert set(rows) == {
        (301, A, B, cast.BINDS, "uniprot"),
        (301, A, B, cast.PROTEINS, "uniprot"),
        (301, A, B, cast.MEET, "uniprot"),
        (302, C, A, cast.NOTHING, "uniprot"),
        (302, C, A, cast.FORMS, "uniprot"),
    }
    assert add_run_passages_to_open_pool(task, phase).new == 0
    assert len(rows) == 5


def test_it_adds_what_is_new_and_keeps_what_was_decided(pool, phase, team, task, judges):
    cast.judge_all(pool, judges[0])
    cast.make_run(team, phase, "third", {302: [cast.passage("More of cadherin", A, C)]})
    collected = add_run_passages_to_open_pool(task, phase)
    assert (collected.new, collected.total) == (1, 6)
    assert Judgement.objects.filter(superseded__isnull=True).count() == 5


def test_it_collects_nothing_of_withdrawn_runs_and_excluded_articles(both, phase, task, olga):
    Run.objects.filter(pk=both[0].pk).update(withdrawn=timezone.now())
    exclude_article_and_request_rescoring(phase, Article.objects.get(pmid=302), olga, "Twice in the corpus.")
    assert add_run_passages_to_open_pool(task, phase).total == 2
    with pytest.raises(ChallengeError, match="No run of ISS"):
        Run.objects.update(withdrawn=timezone.now())
        Pool.objects.all().delete()
        add_run_passages_to_open_pool(task, phase)


def test_a_pair_has_one_best_passage(pool, judges):
    jo, kim = judges
    judge_passage(pool, cast.BINDS, jo, BEST)
    judge_passage(pool, cast.BINDS, kim, BEST)
    judge_passage(pool, cast.FORMS, jo, BEST)
    judge_passage(pool, cast.MEET, jo, BEST)
    now = Judgement.objects.filter(superseded__isnull=True).values_list("judge", "passage__passage", "relevant", "best")
    assert set(now) == {
        (jo.pk, cast.BINDS, True, False),
        (jo.pk, cast.MEET, True, True),
        (jo.pk, cast.FORMS, True, True),
        (kim.pk, cast.BINDS, True, True),
    }
    assert Judgement.objects.count() == 5


def test_it_keeps_how_long_each_decision_took(pool, judges):
    shown = timezone.now() - timedelta(hours=5)
    at = [shown + timedelta(seconds=seconds) for seconds in (4, 10)]
    first = judge_passage(pool, cast.BINDS, judges[0], BEST, shown=shown, now=at[0])
    second = judge_passage(pool, cast.MEET, judges[0], NOT, shown=shown, now=at[1])
    late = judge_passage(pool, cast.FORMS, judges[0], NOT, shown=shown)
    assert (first.seconds, second.seconds, late.seconds) == (4, 6, None)


def test_it_names_no_judges_of_teams_with_a_run(pool, alice, olga, judges):
    with pytest.raises(ChallengeError, match="alice is on Team Alpha"):
        add_or_change_noncompeting_judge_and_mail(pool, alice, adjudicates=False)
    assert [can_judge(user, pool) for user in (*judges, olga, alice)] == [True, True, False, False]
    assert [can_adjudicate(user, pool) for user in (*judges, olga, alice)] == [False, False, True, False]
    (lee,) = cast.make_judges("lee")
    add_or_change_noncompeting_judge_and_mail(pool, lee, adjudicates=True)
    assert (can_judge(lee, pool), can_adjudicate(lee, pool)) == (False, True)
    add_or_change_noncompeting_judge_and_mail(pool, olga, adjudicates=False)
    assert not can_adjudicate(olga, pool)
    for joined in (lee, judges[0]):
        Membership.objects.create(team=pool.phase.runs.first().team, user=joined, role="member")
    assert not can_adjudicate(lee, pool)
    assert not can_judge(judges[0], pool)


def test_it_tells_judges_by_mail(pool, mailoutbox):
    (lee,) = cast.make_judges("lee")
    for _ in range(2):
        add_or_change_noncompeting_judge_and_mail(pool, lee, adjudicates=False)
    add_or_change_noncompeting_judge_and_mail(pool, lee, adjudicates=True)
    first, second = [mail for mail in mailoutbox if mail.to == [lee.email]]
    assert first.subject == "[BCMS] Pooled challenge: please judge the passages of ISS"
    assert "/challenges/pooled/training/ISS/pool/judge/" in first.body
    assert "adjudicate passages on which the judges disagree for ISS" in second.body
    assert "/challenges/pooled/training/ISS/pool/adjudicate/" in second.body


def test_it_says_how_far_the_judges_are_and_agree(pool, judges, django_assert_num_queries):
    cast.judge_all(pool, judges[0])
    judge_passage(pool, cast.BINDS, judges[1], BEST)
    judge_passage(pool, cast.PROTEINS, judges[1], RELEVANT)
    with django_assert_num_queries(3):
        own = build_judging_status(pool)
    assert [(each.judged, each.whole, each.percent) for each in own.judges] == [(5, 5, 100), (2, 5, 40)]
    assert (own.articles, own.pairs, own.unjudged, [each.passage.passage for each in own.conflicts]) == (
        *(2, 2, 3),
        [cast.PROTEINS],
    )
    (agreed,) = own.agreements
    assert (agreed.agreement.relevance.instances, agreed.agreement.relevance.joint) == (2, 0.5)


def test_it_closes_only_when_all_is_decided(pool, judges, olga, team, phase, task):
    def refusal():
        with pytest.raises(ChallengeError) as refused:
            closure.close_decided_pool_and_store_gold(pool, olga)
        return str(refused.value)

    assert "5 passages are not judged by every judge" in refusal()
    cast.judge_all(pool, *judges)
    judge_passage(pool, cast.MEET, judges[1], NOT)
    assert "disagree on 1 of the passages" in refusal()
    judge_passage(pool, cast.MEET, olga, NOT, adjudicates=True)
    cast.make_run(team, phase, "third", {302: [cast.passage("More of cadherin", A, C)]})
    assert "1 passage is new in the runs" in refusal()
    Run.objects.filter(producer__queue__server__slug="third").update(withdrawn=timezone.now())
    closure.close_decided_pool_and_store_gold(pool, olga)
    assert PooledPassage.objects.get(passage=cast.MEET).relevant is False
    for change in (
        lambda: add_run_passages_to_open_pool(task, phase),
        lambda: judge_passage(pool, cast.MEET, judges[0], BEST),
    ):
        with pytest.raises(ChallengeError, match="judging is closed"):
            change()
    assert closure.reopen_pool(pool)
    judge_passage(pool, cast.MEET, judges[0], NOT)


def test_an_adjudicated_best_takes_the_place_of_another(pool, judges, olga):
    cast.judge_all(pool, *judges)
    judge_passage(pool, cast.MEET, judges[1], BEST)
    assert {own.passage.passage for own in build_judging_status(pool).conflicts} == {cast.BINDS, cast.MEET}
    judge_passage(pool, cast.MEET, olga, BEST, adjudicates=True)
    verdicts = {own.passage.passage: own.verdict for own in build_judging_status(pool).passages}
    assert (verdicts[cast.MEET], verdicts[cast.BINDS]) == (BEST, RELEVANT)


def test_it_closes_with_one_best_passage_of_a_pair(pool, judges, olga):
    cast.judge_all(pool, *judges)
    judge_passage(pool, cast.BINDS, judges[1], RELEVANT)
    judge_passage(pool, cast.BINDS, olga, BEST, adjudicates=True)
    for judge in judges:
        judge_passage(pool, cast.MEET, judge, BEST)
    with pytest.raises(ChallengeError, match="two best passages"):
        closure.close_decided_pool_and_store_gold(pool, olga)
    judge_passage(pool, cast.MEET, olga, BEST, adjudicates=True)
    closure.close_decided_pool_and_store_gold(pool, olga)


@pytest.fixture
def closed(pool, judges, olga):
    cast.judge_all(pool, *judges)
    closure.close_decided_pool_and_store_gold(pool, olga)
    pool.refresh_from_db()
    return pool


def test_what_was_decided_is_the_gold_standard(closed, task, phase):
    gold = GoldStandard.objects.get(task=task, phase=phase)
    right = load_current_annotations(gold.producer_id, Kind.PASSAGE).by_article
    assert {own.text: own.rank for findings in right.values() for own in findings} == {
        cast.BINDS: 1,
        cast.MEET: None,
        cast.FORMS: 1,
    }
    assert not gold.producer.public
    assert tasks.score_due_runs_after_cleaning_unless_busy() == "2 of 2 scored"
    assert tasks.score_due_runs_after_cleaning_unless_busy() == "0 of 0 scored"


def format_passage_run(run, phase):
    """The run as the command line reads it, in the order of its ranks or confidences."""
    names = dict(Article.objects.values_list("pk", "pmid"))
    lines = []
    for article, findings in load_current_annotations(run.producer_id, Kind.PASSAGE).by_article.items():
        for own in findings:
            text = " ".join(own.text.split())
            lines.append(f"{names[article]}\t{own.identifier}\t{own.partner}\t{text}\t{own.rank or own.confidence}\n")
    return "".join(lines)


def test_it_scores_as_the_command_does_with_the_exported_judgements(closed, both, phase, tmp_path, capsys):
    (tmp_path / "judged").write_text(closure.format_final_verdicts_tsv(closed))
    for number, run in enumerate(both):
        (tmp_path / f"run{number}").write_text(format_passage_run(run, phase))
        score = Score.objects.get(pk=tasks.run_scores.compute_and_store_run_scores(run).pk)
        files = [str(tmp_path / f"run{number}"), str(tmp_path / "judged")]
        drawn = ["--bootstrap", str(score.samples), "--seed", str(score.seed)]
        assert main(["score", "--task", "iss", "--format", "json", *drawn, *files]) == 0
        own = json.loads(capsys.readouterr().out)["runs"][0]
        names = {"passage_mrr": "mrr", "relevant_share": "relevant_share"}
        names |= {"passages_submitted": "submitted", "passages_relevant": "relevant"}
        assert score.figures == {name: own["figures"][figure] for name, figure in names.items()}
        assert score.intervals == {name: own["intervals"][figure] for name, figure in names.items()}
        assert own["signature"].rpartition("gold:")[2].startswith(f"sha256:{score.checksum[:8]}")
    # Of two pairs the first run has the best passage of one at the second place, the second run both at the first.
    first, second = (Score.objects.get(run=run).figures for run in both)
    assert (first["passage_mrr"], first["relevant_share"]) == (1 / 4, 1 / 3)
    assert (second["passage_mrr"], second["relevant_share"]) == (1, 1)


def test_it_leaves_excluded_articles_out_of_figures_and_file(closed, both, phase, olga):
    exclude_article_and_request_rescoring(phase, Article.objects.get(pmid=301), olga, "Twice in the corpus.")
    assert {line.split("\t")[0] for line in closure.format_final_verdicts_tsv(closed).splitlines()} == {"302"}
    assert cast.compute_run_figures(both[1]) == {
        "passage_mrr": 1,
        "relevant_share": 1,
        "passages_submitted": 1,
        "passages_relevant": 1,
    }


def test_it_ranks_runs_and_joins_them(closed, both):
    rival = Team.objects.create(name="Team Beta", slug="team-beta")
    Run.objects.filter(pk=both[1].pk).update(team=rival)
    tasks.score_due_runs_after_cleaning_unless_busy()
    assert tasks.rank_stale_boards_unless_busy() == "1 ranked"
    ranking = Ranking.objects.get()
    assert (ranking.measure, ranking.untested, len(ranking.counts)) == ("passage_mrr", "", 1)
    # Both submit one passage, which is the best of its pair.
    assert ranking.ensemble["figures"]["passage_mrr"] == 1 / 2


GOOD = f"301\t{B}\t{A}\t{cast.BINDS}\t1\n302\t{A}\t{C}\tCadherin forms  complexes with p53 in mice.\t1\n".encode()


def test_it_takes_uploaded_runs(closed, phase, task, team, alice):
    closure.reopen_pool(closed)
    own = intake.store_run_upload_and_process_or_enqueue(
        RunSubmission("Mine", "", "iss.tsv", GOOD), task, phase, team, alice
    )
    assert (own.state, own.faults) == ("taken", [])
    assert cast.compute_run_figures(own.run)["passage_mrr"] == 1


def test_it_refuses_passages_that_are_not_the_articles(phase, task, team, alice):
    title = "Cadherin and catenin"
    words = ["Cadherin", "and", "catenin", "binds", "Both", "are"]
    lines = [
        f"301\t{A}\t{B}\tCadherin loves catenin.",
        f"301\t{A}\t{C}\t{title} {cast.BINDS} {cast.PROTEINS} {cast.MEET} More.",
        f"302\t{A}\t{C}\t{cast.NOTHING}",
        f"302\t{C}\t{A}\tNothing  is known of p53.",
        *(f"301\t{B}\t{C}\t{word}" for word in words),
        f"999\t{A}\t{B}\tWhatever.",
    ]
    own = intake.store_run_upload_and_process_or_enqueue(
        RunSubmission("Mine", "", "iss.tsv", "\n".join(lines).encode()), task, phase, team, alice
    )
    assert (own.state, [(line, column, rule) for line, column, rule, _ in own.faults]) == (
        "refused",
        [(1, 19, "R717"), (2, 19, "R717"), (2, 19, "R718"), (4, 19, "R720"), (10, 5, "R719")],
    )


def test_gold_standards_of_passages_are_not_uploaded(phase, task):
    with pytest.raises(ChallengeError, match="judged on this site"):
        store_gold_sealed_or_open(task, phase, b"301\tx\n", "gold.tsv")


def test_judgements_of_a_test_are_public_when_it_is_published(closed, phase):
    publish_phase_or_request_if_sealed(phase)
    gold = GoldStandard.objects.get()
    assert gold.published
    assert gold.producer.public
