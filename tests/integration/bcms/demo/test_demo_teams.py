"""Whoever plays the teams of the demo does what a team would do."""

import pytest

from bcms.demo import simulation
from bcms.demo.content import CHALLENGE
from evaluation.challenges.models import Challenge
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
        make_server(team, "keyword-flaky"), challenge.phases.get(sort="training"), alice
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
