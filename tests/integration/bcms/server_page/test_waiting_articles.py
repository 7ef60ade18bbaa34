"""What the server's page says of articles that wait for their turn, for a word of the team or for a challenge."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues import contents
from servers.calls.states import Outcome, QueueMode, QueueState
from servers.registry.models import Server
from servers.registry.states import ServerState
from tests.integration.server_cast import answer, articles

pytestmark = pytest.mark.django_db


@pytest.fixture
def online(server):
    Server.objects.filter(pk=server.pk).update(state=ServerState.ONLINE)
    return server


def make_partly_answered_queue(server, mode, first):
    """Three articles, the first of them answered in 2 s."""
    queue = contents.get_or_create_queue_and_producer(server, mode, "" if mode == QueueMode.LIVE else "autumn")
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(first, 3)])
    answer(queue.calls.order_by("pk").first())
    return queue


def make_stopped_queue(server):
    """A test whose second article was refused at the first try."""
    queue = make_partly_answered_queue(server, QueueMode.TEST, 50000001)
    call = queue.calls.order_by("pk")[1]
    Call.objects.filter(pk=call.pk).update(tries=1, reason="Nothing listens there.")
    Queue.objects.filter(pk=queue.pk).update(state=QueueState.STOPPED, stopped_on=call)
    return queue


def fetch_server_page(client):
    return " ".join(client.get(reverse("server", args=["genedict"])).content.decode().split())


def press(client, queue, action):
    place = reverse("server-queue", args=["genedict", queue.pk, action])
    return " ".join(client.post(place, follow=True).content.decode().split())


def test_it_counts_the_calls_a_minute_as_time_left(as_alice, online):
    make_partly_answered_queue(online, QueueMode.LIVE, 50000001)
    Server.objects.update(calls_per_minute=6)
    assert "About 20 s left, at one answer every 10 s.</p>" in fetch_server_page(as_alice)


def test_it_says_when_the_calls_a_minute_allow_the_next_one(as_alice, online):
    queue = make_partly_answered_queue(online, QueueMode.LIVE, 50000001)
    Server.objects.update(calls_per_minute=2)
    assert "in the live queue, immediately</dd>" in fetch_server_page(as_alice)
    began = timezone.now() - timedelta(seconds=20)
    for call in queue.calls.all()[:2]:
        Attempt.objects.create(call=call, server=online, number=1, outcome=Outcome.ANSWERED, started=began)
    allowed = began + timedelta(minutes=1)
    assert f"{allowed:%H:%M:%S} UTC</time>), because of the limit of 2 calls per minute</dd>" in fetch_server_page(
        as_alice
    )
    Call.objects.update(due=allowed + timedelta(minutes=5))
    assert "as it takes 2 calls a minute" not in fetch_server_page(as_alice)


def test_it_counts_the_queues_that_are_asked_before(as_alice, online):
    make_partly_answered_queue(online, QueueMode.LIVE, 50000001)
    training = make_partly_answered_queue(online, QueueMode.TRAINING, 60000001)
    page = fetch_server_page(as_alice)
    assert page.index("<h3>Training, autumn") < page.index("About 4 s left, at") < page.index("<h3>Live")
    assert "About 8 s left, at one answer every 2 s.</p>" in page
    Queue.objects.filter(pk=training.pk).update(held=True)
    assert "About 8 s left" not in fetch_server_page(as_alice)


def test_it_says_that_a_stopped_test_waits_for_its_team(as_alice, online):
    make_stopped_queue(online)
    page = fetch_server_page(as_alice)
    assert "<dt>Next call</dt> <dd>none: every queue with waiting articles is stopped or on hold</dd>" in page
    assert "About 4 s left once you have decided about the article on which it stopped, at one answer every 2 s" in page
    assert "after attempt 1 of 5: Nothing listens there. Retry the article" in page
    tried = Attempt.objects.create(call=Queue.objects.get().stopped_on, server=online, number=1, outcome="connection")
    told = " ".join(as_alice.get(reverse("server-attempt", args=["genedict", tried.pk])).content.decode().split())
    assert "waiting, 1 attempt counted. The queue stopped on this article." in told
    Server.objects.update(state=ServerState.OFFLINE)
    assert "decided about the article on which it stopped and the server is started, at" in fetch_server_page(as_alice)


def test_it_says_on_the_team_s_page_which_server_waits_for_its_team(as_alice, client, carol, online):
    queue = make_stopped_queue(online)
    Server.objects.update(unreachable_since=timezone.now())
    page = reverse("team", args=["team-alpha"])
    chips = '<span class="chip bad">test stopped</span> <span class="chip warn">unreachable</span></td>'
    assert chips in as_alice.get(page).content.decode()
    Queue.objects.filter(pk=queue.pk).update(held=True)
    assert "test stopped" not in as_alice.get(page).content.decode()
    Queue.objects.filter(pk=queue.pk).update(held=False)
    client.force_login(carol)
    page = client.get(page).content.decode()
    assert "test stopped" not in page
    assert "unreachable" not in page


def test_it_says_that_a_challenge_holds_a_test_and_lets_nothing_be_decided(as_alice, online):
    queue = make_stopped_queue(online)
    Queue.objects.filter(pk=queue.pk).update(held=True)
    page = fetch_server_page(as_alice)
    assert '<h3>Test, autumn <span class="chip warn">on hold</span></h3>' in page
    assert "About 4 s left once the queue is released and you have decided" in page
    assert "still waiting when a phase ends count as not answered" in page
    assert "Retry the article" not in page
    assert "Retry the article</button>" not in page
    for action in ("retry", "next"):
        assert "The challenge has put this queue on hold. Wait until it is released." in press(as_alice, queue, action)
    queue.refresh_from_db()
    assert (queue.state, queue.stopped_on.tries) == (QueueState.STOPPED, 1)


@pytest.mark.parametrize("action", ["rerun", "retry-failed"])
def test_it_asks_nothing_again_out_of_a_queue_that_is_held(as_alice, online, action):
    queue = make_partly_answered_queue(online, QueueMode.TRAINING, 50000001)
    Queue.objects.filter(pk=queue.pk).update(held=True)
    assert "Rerun all articles</button>" not in fetch_server_page(as_alice)
    assert as_alice.post(f"/api/v1/servers/genedict/queues/{queue.pk}/{action}/").status_code == 409
    assert queue.calls.count() == 3


def test_it_says_when_articles_are_loaded_into_a_queue_that_is_held(as_alice, online):
    queue = make_partly_answered_queue(online, QueueMode.LIVE, 50000001)
    Queue.objects.filter(pk=queue.pk).update(held=True)
    articles(60000001, 1)
    sent = as_alice.post(reverse("server-load", args=["genedict"]), {"pmids": "60000001"}, follow=True)
    said = " ".join(sent.content.decode().split())
    assert "1 article added to the live queue. A challenge is holding the queue; the articles are sent" in said
