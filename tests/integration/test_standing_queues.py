"""What the server's page says of articles that wait for their turn, for a word of the team or for a challenge."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from servers import queueing
from servers.models import Attempt, Call, Queue, Server
from servers.states import Outcome, QueueMode, QueueState, ServerState
from tests.integration.server_cast import answer, articles

pytestmark = pytest.mark.django_db


@pytest.fixture
def online(server):
    Server.objects.filter(pk=server.pk).update(state=ServerState.ONLINE)
    return server


def queue_in(server, mode, first):
    """Three articles, the first of them answered in 2 s."""
    queue = queueing.queue_of(server, mode, "" if mode == QueueMode.LIVE else "autumn")
    queueing.enqueue(queue, [article.pk for article in articles(first, 3)])
    answer(queue.calls.order_by("pk").first())
    return queue


def stopped(server):
    """A test whose second article was refused at the first try."""
    queue = queue_in(server, QueueMode.TEST, 50000001)
    call = queue.calls.order_by("pk")[1]
    Call.objects.filter(pk=call.pk).update(tries=1, reason="Nothing listens there.")
    Queue.objects.filter(pk=queue.pk).update(state=QueueState.STOPPED, stopped_on=call)
    return queue


def page_of(client):
    return " ".join(client.get(reverse("server", args=["genedict"])).content.decode().split())


def press(client, queue, action):
    place = reverse("server-queue", args=["genedict", queue.pk, action])
    return " ".join(client.post(place, follow=True).content.decode().split())


def test_it_counts_the_calls_a_minute_as_time_left(as_alice, online):
    queue_in(online, QueueMode.LIVE, 50000001)
    Server.objects.update(calls_per_minute=6)
    assert "About 20 s left, with an answer every 10 s.</p>" in page_of(as_alice)


def test_it_says_when_the_calls_a_minute_allow_the_next_one(as_alice, online):
    queue = queue_in(online, QueueMode.LIVE, 50000001)
    Server.objects.update(calls_per_minute=2)
    assert "of the live queue, at once</dd>" in page_of(as_alice)
    began = timezone.now() - timedelta(seconds=20)
    for call in queue.calls.all()[:2]:
        Attempt.objects.create(call=call, server=online, number=1, outcome=Outcome.ANSWERED, started=began)
    allowed = began + timedelta(minutes=1)
    assert f"{allowed:%H:%M:%S} UTC</time>), as it takes 2 calls a minute</dd>" in page_of(as_alice)
    Call.objects.update(due=allowed + timedelta(minutes=5))
    assert "as it takes 2 calls a minute" not in page_of(as_alice)


def test_it_counts_the_queues_that_are_asked_before(as_alice, online):
    queue_in(online, QueueMode.LIVE, 50000001)
    training = queue_in(online, QueueMode.TRAINING, 60000001)
    page = page_of(as_alice)
    assert page.index("<h3>Training, autumn") < page.index("About 4 s left, with") < page.index("<h3>Live")
    assert "About 8 s left, with an answer every 2 s.</p>" in page
    Queue.objects.filter(pk=training.pk).update(held=True)
    assert "About 8 s left" not in page_of(as_alice)


def test_it_says_that_a_stopped_test_waits_for_its_team(as_alice, online):
    stopped(online)
    page = page_of(as_alice)
    assert "<dt>Next</dt> <dd>nothing: every queue with articles that wait has stopped or is held</dd>" in page
    assert "About 4 s left once you have decided on the article that it stopped on, with an answer every 2 s" in page
    assert "after try 1 of 5: Nothing listens there. In a test you decide" in page
    tried = Attempt.objects.create(call=Queue.objects.get().stopped_on, server=online, number=1, outcome="connection")
    told = " ".join(as_alice.get(reverse("server-attempt", args=["genedict", tried.pk])).content.decode().split())
    assert "waiting, 1 try counted: the queue stopped on it, and the server's page asks you what to do</dd>" in told
    Server.objects.update(state=ServerState.OFFLINE)
    assert "decided on the article that it stopped on and the server is started, with" in page_of(as_alice)


def test_it_says_on_the_team_s_page_which_server_waits_for_its_team(as_alice, client, carol, online):
    queue = stopped(online)
    Server.objects.update(unreachable_since=timezone.now())
    page = reverse("team", args=["team-alpha"])
    chips = '<span class="chip bad">a test stopped</span> <span class="chip warn">not reached</span></td>'
    assert chips in as_alice.get(page).content.decode()
    Queue.objects.filter(pk=queue.pk).update(held=True)
    assert "a test stopped" not in as_alice.get(page).content.decode()
    Queue.objects.filter(pk=queue.pk).update(held=False)
    client.force_login(carol)
    page = client.get(page).content.decode()
    assert "a test stopped" not in page
    assert "not reached" not in page


def test_it_says_that_a_challenge_holds_a_test_and_lets_nothing_be_decided(as_alice, online):
    queue = stopped(online)
    Queue.objects.filter(pk=queue.pk).update(held=True)
    page = page_of(as_alice)
    assert '<h3>Test, autumn <span class="chip warn">held</span></h3>' in page
    assert "About 4 s left once the queue is let go and you have decided" in page
    assert "what still waits when a phase has ended counts as not answered" in page
    assert "In a test you decide" not in page
    assert "Retry the article</button>" not in page
    for action in ("retry", "next"):
        assert "The challenge holds this queue: nothing is asked or decided" in press(as_alice, queue, action)
    queue.refresh_from_db()
    assert (queue.state, queue.stopped_on.tries) == (QueueState.STOPPED, 1)


@pytest.mark.parametrize("action", ["rerun", "retry-failed"])
def test_it_asks_nothing_again_out_of_a_queue_that_is_held(as_alice, online, action):
    queue = queue_in(online, QueueMode.TRAINING, 50000001)
    Queue.objects.filter(pk=queue.pk).update(held=True)
    assert "Ask again for all articles</button>" not in page_of(as_alice)
    assert as_alice.post(f"/api/v1/servers/genedict/queues/{queue.pk}/{action}/").status_code == 409
    assert queue.calls.count() == 3


def test_it_says_when_articles_are_loaded_into_a_queue_that_is_held(as_alice, online):
    queue = queue_in(online, QueueMode.LIVE, 50000001)
    Queue.objects.filter(pk=queue.pk).update(held=True)
    articles(60000001, 1)
    sent = as_alice.post(reverse("server-load", args=["genedict"]), {"pmids": "60000001"}, follow=True)
    said = " ".join(sent.content.decode().split())
    assert "1 article loaded into the live queue. A challenge holds it: they are asked when it lets it go." in said
