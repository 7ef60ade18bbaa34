"""When a blind test is published its articles get their names back, and every figure is made anew in their order."""

import pytest

from annotations.articles.models import Article
from evaluation import tasks
from evaluation.analyses.tables.packing import unpack_ranked_hits
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.models import Score
from tests.integration.evaluation_cast import end, make_challenge, make_corpus

pytestmark = pytest.mark.django_db


def right_items():
    """How many right answers each article has, in the order in which samples are drawn."""
    return unpack_ranked_hits(bytes(Score.objects.get(scenario="all", superseded__isnull=True).table)).gold.tolist()


def test_it_scores_again_in_the_order_of_the_names(olga, team, alice):
    challenge = make_challenge(olga, make_corpus())
    test = creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )
    for pmid, opaque in ((201, "B2"), (202, "B1")):
        Article.objects.filter(snapshot__pmid=pmid).update(opaque=opaque)
    tx = challenge.tasks.get(name="TX")
    store_gold_sealed_or_open(tx, test, b"B2\t9606\nB1\t9606\nB1\t10090\n", "test.tsv")
    intake.store_run_upload_and_process_or_enqueue(
        RunSubmission("First", "", "first.tsv", b"B2\t9606\t1\t0.5\n"), tx, test, team, alice
    )
    tasks.score_due_runs_after_cleaning_unless_busy()
    assert right_items() == [2, 1]
    end(test)
    publish_phase_or_request_if_sealed(test)
    tasks.publish_requested_phases_and_tasks_unless_busy()
    tasks.score_due_runs_after_cleaning_unless_busy()
    assert right_items() == [1, 2]
    assert Score.objects.filter(scenario="all", superseded__isnull=False).count() == 1
