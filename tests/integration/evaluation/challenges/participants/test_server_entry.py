"""Taking part: who may enter what, and what is asked of whom."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotations.articles.models import Corpus
from annotations.schema import Kind
from evaluation.challenges.participants.server_entry import (
    enqueue_open_phase_articles_for_entered_server,
    enter_eligible_server_and_enqueue_articles,
)
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.runs.models import Run
from servers.calls.models import Call
from tests.integration.evaluation_cast import answer, end, make_server, relevant, species

pytestmark = pytest.mark.django_db


def train(runs):
    for pmid in (101, 102, 103, 104):
        for run in runs:
            answer(run, pmid, relevant(True) if run.task.name == "ACT" else species("9606"))


def test_it_enters_a_server_for_each_task_it_can_answer_and_queues_the_articles(reader, training, alice):
    runs = enter_eligible_server_and_enqueue_articles(reader, training, alice)
    assert [(run.task.name, run.name, run.sort) for run in runs] == [
        ("ACT", "Reader", "online"),
        ("TX", "Reader", "online"),
    ]
    assert len({run.producer_id for run in runs}) == 1
    queue = runs[0].producer.queue
    assert (queue.mode, queue.name, runs[0].producer.public) == ("training", "example", False)
    assert list(queue.calls.order_by("pk").values_list("article__pmid", flat=True)) == [101, 102, 103, 104]


def test_it_enters_a_server_once(reader, training, alice):
    assert enter_eligible_server_and_enqueue_articles(
        reader, training, alice
    ) == enter_eligible_server_and_enqueue_articles(reader, training, alice)
    assert (Run.objects.count(), Call.objects.count()) == (2, 4)


def test_it_enters_only_the_tasks_of_the_servers_kinds(team, training, alice):
    runs = enter_eligible_server_and_enqueue_articles(make_server(team, "species", [Kind.TAXON]), training, alice)
    assert [run.task.name for run in runs] == ["TX"]


def test_it_says_which_kinds_are_asked_for(team, training, alice):
    with pytest.raises(ChallengeError, match=r"asks for \(classification, taxon\). Add one of them"):
        enter_eligible_server_and_enqueue_articles(make_server(team, "genes", [Kind.MENTION]), training, alice)


def test_it_lets_nobody_else_enter_a_teams_server(reader, training, carol, olga):
    with pytest.raises(ChallengeError, match="Only members of Team Alpha can enter Reader"):
        enter_eligible_server_and_enqueue_articles(reader, training, carol)
    assert enter_eligible_server_and_enqueue_articles(reader, training, olga)


def test_it_asks_for_no_training_where_the_challenge_has_none(reader, training, testing, alice):
    training.delete()
    assert enter_eligible_server_and_enqueue_articles(reader, testing, alice)


def test_it_keeps_servers_that_want_pmids_out_of_a_blind_phase(reader, testing, alice):
    reader.send = "pmid"
    with pytest.raises(ChallengeError, match=r"blind, but Reader receives PMIDs. Change the settings"):
        enter_eligible_server_and_enqueue_articles(reader, testing, alice)


def test_it_lets_nobody_enter_before_or_after(reader, training, alice):
    now = timezone.now()
    training.opens = now + timedelta(days=1)
    with pytest.raises(ChallengeError, match="opens on"):
        enter_eligible_server_and_enqueue_articles(reader, training, alice)
    training.opens, training.closes = now - timedelta(days=2), now - timedelta(days=1)
    with pytest.raises(ChallengeError, match="closed on"):
        enter_eligible_server_and_enqueue_articles(reader, training, alice)


def test_it_loads_training_articles_again_but_test_articles_once(reader, training, testing, alice):
    with pytest.raises(ChallengeError, match=r"is not in the training phase of Example challenge. Enter it first"):
        enqueue_open_phase_articles_for_entered_server(reader, training)
    train(enter_eligible_server_and_enqueue_articles(reader, training, alice))
    enter_eligible_server_and_enqueue_articles(reader, testing, alice)
    Call.objects.update(state="answered")
    assert enqueue_open_phase_articles_for_entered_server(reader, training) == 4
    assert enqueue_open_phase_articles_for_entered_server(reader, testing) == 0


def test_it_publishes_runs_gold_and_articles_once(reader, training, testing, alice):
    run = enter_eligible_server_and_enqueue_articles(reader, training, alice)[0]
    assert publish_phase_or_request_if_sealed(training) is True
    assert publish_phase_or_request_if_sealed(training) is False
    run.producer.refresh_from_db()
    assert training.published
    assert run.producer.public
    assert all(gold.producer.public for gold in training.golds.all())
    assert Corpus.objects.get(slug="blind").blind
    end(testing)
    publish_phase_or_request_if_sealed(testing)
    assert not Corpus.objects.get(slug="blind").blind


def test_it_keeps_a_corpus_blind_while_another_phase_still_needs_it(testing):
    waiting = creation.create_phase_claiming_blind_corpus(testing.challenge, "development", testing.corpus)
    for phase in (testing, waiting):
        end(phase)
    publish_phase_or_request_if_sealed(testing)
    assert Corpus.objects.get(slug="blind").blind
    publish_phase_or_request_if_sealed(waiting)
    assert not Corpus.objects.get(slug="blind").blind


def test_it_opens_runs_that_enter_a_published_phase(reader, training, alice):
    publish_phase_or_request_if_sealed(training)
    run = enter_eligible_server_and_enqueue_articles(reader, training, alice)[0]
    run.producer.refresh_from_db()
    assert run.producer.public


def test_it_has_one_phase_of_a_sort(challenge, training):
    with pytest.raises(ChallengeError, match="already has a training phase"):
        creation.create_phase_claiming_blind_corpus(challenge, "training", training.corpus)
