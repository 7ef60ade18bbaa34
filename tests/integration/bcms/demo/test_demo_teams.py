"""Whoever plays the teams of the demo does what a team would do."""

import pytest
from django.utils import timezone

from bcms.demo import simulation
from bcms.demo.content import CHALLENGE
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.runs.models import Run
from servers.calls.models import Call, Queue
from servers.calls.states import CallState, QueueState
from tests.integration.evaluation_cast import PMIDS, answer, make_challenge, make_corpus, make_server, relevant, species

pytestmark = pytest.mark.django_db


def test_it_asks_again_for_what_failed_in_training_before_it_enters_the_test(olga, alice, team):
    challenge = make_challenge(olga, make_corpus())
    Challenge.objects.update(slug=CHALLENGE.slug)
    challenge.refresh_from_db()
    creation.create_phase_claiming_blind_corpus(challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True))
    act, tx = enter_eligible_server_and_enqueue_articles(
        make_server(team, "keyword-bind"), challenge.phases.get(sort="training"), alice
    )

    def answered(*pmids):
        for pmid in pmids:
            answer(act, pmid, relevant(True))
            answer(tx, pmid, species("9606"))
        Call.objects.filter(article__pmid__in=pmids, state=CallState.WAITING).update(state=CallState.ANSWERED)
        Call.objects.filter(state=CallState.WAITING).update(state=CallState.FAILED)
        Queue.objects.update(state=QueueState.DONE)

    answered(*PMIDS[:3])
    assert simulation.advance_demo_teams_or_request_test_publication()
    assert Queue.objects.get().state == QueueState.RUNNING
    assert Call.objects.get(state=CallState.WAITING).article.pmid == PMIDS[3]
    assert not Run.objects.filter(phase__sort="test").exists()

    answered(PMIDS[3])
    assert simulation.advance_demo_teams_or_request_test_publication()
    assert Run.objects.filter(phase__sort="test").count() == 2


def test_it_does_not_wait_for_a_server_that_fails_on_purpose(olga, alice, team):
    challenge = make_challenge(olga, make_corpus())
    Challenge.objects.update(slug=CHALLENGE.slug)
    creation.create_phase_claiming_blind_corpus(challenge, "test", make_corpus("blind", pmids=(201,), blind=True))
    training = challenge.phases.get(sort="training")
    enter_eligible_server_and_enqueue_articles(make_server(team, "keyword-flaky"), training, alice)
    assert not simulation.advance_demo_teams_or_request_test_publication()
    closed = timezone.now()
    Phase.objects.update(published=closed, closes=closed)
    assert not simulation.advance_demo_teams_or_request_test_publication()
    assert set(Phase.objects.values_list("closes", flat=True)) == {closed}
    Queue.objects.update(state=QueueState.STOPPED)
    assert simulation.resume_stopped_demo_queues()
    assert Queue.objects.get().state == QueueState.RUNNING
    Queue.objects.update(state=QueueState.DONE)
    assert not simulation.resume_stopped_demo_queues()
    assert not simulation.list_trained_demo_servers_awaiting_test()
