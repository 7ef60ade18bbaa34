"""The gold standard of a test: sealed until it is published, scored by whoever has the key, opened by nobody else."""

import logging
from hashlib import sha256

import pytest

from annotations.results.models import Annotation, Result
from annotations.schema import Kind
from evaluation import tasks
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import (
    publish_phase_or_request_if_sealed,
    publish_task_or_request_if_sealed,
)
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError, SealError
from evaluation.gold import sealing
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.gold.unsealing import read_sealed_gold
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.evaluation_cast import answer, end, make_corpus, make_server, relevant, species

pytestmark = pytest.mark.django_db

SECRET_ACT = b"201\t1\n202\t0\n"
SECRET_TX = b"201\t559292\n202\t7955\n"


@pytest.fixture
def phase(challenge):
    return creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )


@pytest.fixture
def gold(tx, phase):
    return store_gold_sealed_or_open(tx, phase, SECRET_TX, "species.tsv")


@pytest.fixture
def run(challenge, phase, team):
    """Entered, and right in one of two articles."""
    server = make_server(team, "reader")
    for own in enter_eligible_server_and_enqueue_articles(server, challenge.phases.get(sort="training")):
        for pmid in (101, 102, 103, 104):
            answer(own, pmid, relevant(True) if own.task.name == "ACT" else species("9606"))
    (own,) = [each for each in enter_eligible_server_and_enqueue_articles(server, phase) if each.task.name == "TX"]
    answer(own, 201, species("559292"))
    answer(own, 202, species("9606"))
    return own


def other_keys(settings):
    public, private = sealing.generate_public_and_private_key(key_bits=2048)
    settings.GOLD_PUBLIC_KEY, settings.GOLD_PRIVATE_KEY = (
        sealing.parse_optional_public_key(public),
        sealing.parse_optional_private_key(private),
    )


def test_it_is_a_sealed_file_and_no_results(gold):
    gold.refresh_from_db()
    assert gold.producer is None
    assert bytes(gold.sealed).startswith(b"bcms-sealed-1 ")
    assert b"559292" not in bytes(gold.sealed)
    assert not Annotation.objects.filter(identifier="559292").exists()


def test_its_checksum_cannot_be_guessed_until_it_is_published(act, phase):
    plain = sha256(SECRET_ACT).hexdigest()
    gold = store_gold_sealed_or_open(act, phase, SECRET_ACT, "act.tsv")
    assert gold.checksum != plain
    again = store_gold_sealed_or_open(act, phase, SECRET_ACT, "act.tsv")
    assert again.checksum == gold.checksum
    assert not phase.events.filter(what="rescored").exists()
    end(phase)
    publish_phase_or_request_if_sealed(phase)
    tasks.publish_requested_phases_and_tasks_unless_busy()
    gold.refresh_from_db()
    assert gold.checksum == plain
    assert not phase.events.filter(what="rescored").exists()


def test_its_checksum_stays_keyed_while_another_task_with_the_same_file_is_sealed(challenge, act, phase):
    other = creation.create_task(challenge, "ACT-2", Kind.CLASSIFICATION, "Relevance again")
    first, second = (store_gold_sealed_or_open(task, phase, SECRET_ACT, "act.tsv") for task in (act, other))
    end(phase)
    for gold, checksum in ((first, first.checksum), (second, sha256(SECRET_ACT).hexdigest())):
        assert publish_task_or_request_if_sealed(gold)
        tasks.publish_requested_phases_and_tasks_unless_busy()
        gold.refresh_from_db()
        assert (gold.published is None, gold.checksum) == (False, checksum)


def test_it_is_refused_with_every_fault_before_it_is_sealed(act, phase):
    with pytest.raises(Exception, match=r"(?s)R505.*R508") as refused:
        store_gold_sealed_or_open(act, phase, b"201\tmaybe\n999\t0\n", "act.tsv")
    assert len(refused.value.faults) == 2
    assert not GoldStandard.objects.filter(phase=phase).exists()


def test_it_is_not_taken_where_there_is_no_key(act, phase, settings):
    settings.GOLD_PUBLIC_KEY = None
    with pytest.raises(ChallengeError, match="Ask its administrator to make one with"):
        store_gold_sealed_or_open(act, phase, SECRET_ACT, "act.tsv")


def test_it_replaces_what_was_stored_before_there_were_keys(act, phase):
    Phase.objects.filter(pk=phase.pk).update(sort="development")
    phase.refresh_from_db()
    stored = store_gold_sealed_or_open(act, phase, SECRET_ACT, "act.tsv")
    Phase.objects.filter(pk=phase.pk).update(sort="test")
    phase.refresh_from_db()
    sealed = store_gold_sealed_or_open(act, phase, SECRET_ACT, "act.tsv")
    assert (sealed.pk, sealed.producer_id) == (stored.pk, None)
    assert not Result.objects.filter(producer=stored.producer_id).exists()


def test_it_scores_a_run_as_if_it_were_stored(gold, run):
    compute_and_store_run_scores(run)
    figures = Score.objects.filter(run=run).first().figures
    assert figures["macro_f1"] == pytest.approx(0.5)


def test_it_scores_nothing_without_the_key_and_logs_no_more_than_that(gold, run, settings, caplog):
    settings.GOLD_PRIVATE_KEY = None
    with caplog.at_level(logging.INFO):
        tasks.score_due_runs_after_cleaning_unless_busy()
    assert not Score.objects.filter(run=run).exists()
    assert "Start the scoring worker with GOLD_PRIVATE_KEY" in caplog.text
    assert "559292" not in caplog.text


def test_it_is_opened_and_published_by_the_scoring_worker(gold, run, phase):
    end(phase)
    assert publish_phase_or_request_if_sealed(phase)
    phase.refresh_from_db()
    assert (phase.published, phase.publish_asked is not None) == (None, True)
    assert not publish_phase_or_request_if_sealed(phase)
    assert tasks.publish_requested_phases_and_tasks_unless_busy() == "1 published"
    phase.refresh_from_db()
    gold.refresh_from_db()
    assert phase.published
    assert gold.published
    assert gold.sealed is None
    assert gold.producer.public
    assert Annotation.objects.filter(identifier="559292", result__producer=gold.producer).exists()
    assert tasks.publish_requested_phases_and_tasks_unless_busy() == "0 published"


def test_it_is_published_for_one_task_and_the_rest_stays_closed(gold, act, run, phase):
    store_gold_sealed_or_open(act, phase, SECRET_ACT, "act.tsv")
    end(phase)
    assert publish_task_or_request_if_sealed(gold)
    tasks.publish_requested_phases_and_tasks_unless_busy()
    gold.refresh_from_db()
    phase.refresh_from_db()
    assert gold.published
    assert gold.producer.public
    assert phase.published is None
    assert GoldStandard.objects.get(task=act, phase=phase).sealed
    assert not run.producer.public
    assert phase.corpus.blind


def test_it_is_not_published_with_another_key(gold, phase, settings):
    other_keys(settings)
    end(phase)
    with pytest.raises(ChallengeError, match=r"sealed with the key .*, but the key of the site is"):
        publish_phase_or_request_if_sealed(phase)
    phase.refresh_from_db()
    assert phase.publish_asked is None


def test_it_says_on_the_phase_when_the_worker_has_another_key(gold, phase, settings):
    end(phase)
    publish_phase_or_request_if_sealed(phase)
    other_keys(settings)
    tasks.publish_requested_phases_and_tasks_unless_busy()
    phase.refresh_from_db()
    assert phase.published is None
    assert phase.publish_asked is None
    assert "Start the worker with the matching key, or upload the gold standard again" in phase.publish_fault


def test_it_says_how_many_lines_fit_no_more_and_not_which(gold, phase):
    phase.corpus.corpusarticle_set.filter(article__snapshot__pmid=202).delete()
    with pytest.raises(SealError, match="1 lines of the sealed gold standard of TX") as refused:
        read_sealed_gold(GoldStandard.objects.get(pk=gold.pk))
    assert "7955" not in str(refused.value)
    assert "202" not in str(refused.value)


def test_it_is_not_read_by_pages_that_do_not_need_it(gold, django_assert_num_queries):
    with django_assert_num_queries(1):
        found = GoldStandard.objects.get(pk=gold.pk)
    assert "sealed" in found.get_deferred_fields()
