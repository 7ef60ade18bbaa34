"""A server can go as long as it left nothing that others read."""

import pytest
from django.urls import reverse

from annotations.results.models import Producer
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState
from tests.integration.evaluation_cast import make_challenge, make_corpus
from tests.integration.server_cast import articles, give_past

pytestmark = pytest.mark.django_db


@pytest.fixture
def press(client, alice, server):
    def pressed():
        client.force_login(alice)
        response = client.post(reverse("server-remove", args=["genedict"]), follow=True)
        return " ".join(response.content.decode().split())

    return pressed


def test_it_removes_a_server_that_never_answered(press, server):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(20000001, 2)])
    call = Call.objects.first()
    Attempt.objects.create(call=call, server=server, number=1, outcome=Outcome.CONNECTION)
    Call.objects.update(state=CallState.FAILED)
    assert "GeneDict was removed." in press()
    assert not any(model.objects.exists() for model in (Server, Queue, Call, Attempt, Producer))


def test_it_keeps_a_server_with_what_it_answered(press, server):
    give_past(server)
    Server.objects.update(state=ServerState.OFFLINE)
    assert "cannot be removed because its results are kept" in press()
    assert Call.objects.count() == 4


@pytest.mark.parametrize("state", [ServerState.ONLINE, ServerState.HALTING])
def test_it_keeps_a_server_at_work(press, server, state):
    Server.objects.update(state=state)
    assert f"GeneDict is {state}. Stop it first." in press()
    assert Server.objects.exists()


def test_it_keeps_a_server_in_a_challenge(press, server, olga):
    phase = make_challenge(olga, make_corpus()).phases.get()
    server.kinds = ["classification"]
    server.save()
    enter_eligible_server_and_enqueue_articles(server, phase)
    assert "has entered a challenge" in press()
    assert Server.objects.exists()
    assert Call.objects.exists()
