"""What a team does with its queues by button and by API, and the log that it takes home."""

import json

import pytest
from django.urls import reverse

from servers.calls.models import Call, Queue
from servers.calls.queues import contents
from servers.calls.states import CallState, QueueMode, QueueState
from tests.integration.server_cast import articles, create_timed_attempt, give_past

pytestmark = pytest.mark.django_db


@pytest.fixture
def stopped_queue(server):
    """A test that stopped on the first of two articles."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.TEST, "indexing")
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(50000001, 2)])
    call = queue.calls.order_by("pk").first()
    Call.objects.filter(pk=call.pk).update(tries=1, reason="Refused at http://a:b@a.example/.")
    Queue.objects.filter(pk=queue.pk).update(state=QueueState.STOPPED, stopped_on=call)
    return queue


def press(client, queue, action):
    place = reverse("server-queue", args=["genedict", queue.pk, action])
    return " ".join(client.post(place, follow=True).content.decode().split())


def press_by_api(client, queue, action):
    return client.post(f"/api/v1/servers/genedict/queues/{queue.pk}/{action}/")


def test_it_says_what_a_test_stopped_on_without_its_pmid_and_secrets(as_alice, stopped_queue):
    page = " ".join(as_alice.get(reverse("server", args=["genedict"])).content.decode().split())
    article = stopped_queue.calls.order_by("pk").first().article
    assert (
        f"The queue stopped on article {article.opaque} after attempt 1 of 5: Refused at http://[masked]@a.example/."
        in page
    )
    assert str(article.pmid) not in page
    assert "Retry the article</button>" in page
    assert "Skip the article</button>" in page
    assert "Rerun all articles" not in page


def test_it_retries_when_told(as_alice, stopped_queue):
    assert "The article on which the queue stopped will be sent again." in press(as_alice, stopped_queue, "retry")
    assert Queue.objects.get().state == QueueState.RUNNING


def test_it_goes_on_when_told(as_alice, stopped_queue):
    assert press_by_api(as_alice, stopped_queue, "next").json() == {
        "done": "The article on which the queue stopped has an empty result. The queue continues with the next article."
    }
    assert Call.objects.order_by("pk").first().state == CallState.EMPTY


@pytest.mark.parametrize("action", ["rerun", "clear"])
def test_it_keeps_a_test_as_it_is(as_alice, stopped_queue, action):
    assert press_by_api(as_alice, stopped_queue, action).status_code == 409
    assert Call.objects.count() == 2


def test_it_says_that_a_queue_runs_already(as_alice, server):
    queue = give_past(server)
    assert "is not stopped any more" in press(as_alice, queue, "retry")
    assert press_by_api(as_alice, queue, "next").status_code == 409


def test_it_asks_again_for_all_articles_but_those_that_wait(as_alice, server):
    queue = give_past(server)
    assert "2 articles will be sent again." in press(as_alice, queue, "rerun")
    waiting = queue.calls.filter(state=CallState.WAITING).order_by("article__pmid")
    assert list(waiting.values_list("article__pmid", flat=True)) == [20000001, 20000002, 20000003]


def test_it_asks_once_for_what_failed(as_alice, server):
    queue = give_past(server)
    assert "1 article will be sent again." in press(as_alice, queue, "retry-failed")
    assert "There are no failed articles that have not been retried already." in press(as_alice, queue, "retry-failed")


def test_it_takes_out_what_waits_and_keeps_what_was_tried(as_alice, server):
    queue = give_past(server)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(60000001, 2)])
    assert "3 articles removed from the queue. Results are kept." in press(as_alice, queue, "clear")
    assert not queue.calls.filter(state=CallState.WAITING).exists()
    assert queue.calls.get(article__pmid=20000002).reason == "Removed from the queue by the team."


def test_it_knows_no_other_action(as_alice, server):
    queue = give_past(server)
    assert as_alice.post(reverse("server-queue", args=["genedict", queue.pk, "explode"])).status_code == 404
    assert press_by_api(as_alice, queue, "explode").status_code == 404


def test_it_hands_out_the_log_a_line_for_each_attempt(as_alice, server, django_assert_max_num_queries):
    queue = give_past(server)
    create_timed_attempt(queue.calls.first(), "communication", 1.0, message="See http://a.example/?token=abc")
    with django_assert_max_num_queries(12):
        answer = as_alice.get(reverse("server-log", args=["genedict"]))
        entries = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert [entry["outcome"] for entry in entries] == [
        "answered",
        "invalid",
        "connection",
        "under way",
        "communication",
    ]
    assert entries[1]["article"] == "PMID 20000002"
    assert entries[1]["broken_rules"][0]["code"] == "R104"
    assert entries[4]["message"] == "See http://a.example/?token=[masked]"
