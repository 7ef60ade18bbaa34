"""What the pages of a server say, and that they cost a fixed number of queries."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotations.articles.models import Corpus
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from servers.calls.dashboard import build_dashboard_version_ticking_while_running
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queries import count_calls_by_queue_and_state, find_next_call_and_its_time
from servers.calls.queues import contents
from servers.calls.states import CallState, QueueMode, QueueState
from servers.registry.models import Server
from servers.registry.states import ServerState
from tests.integration.evaluation_cast import hide_article
from tests.integration.server_cast import HOSTILE, articles, create_timed_attempt, give_past

pytestmark = pytest.mark.django_db


@pytest.fixture
def queue(server):
    return give_past(server)


def fetch_page_source(client, name, *place, status=200):
    answer = client.get(reverse(name, args=place))
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def test_it_counts_the_calls_of_a_queue_by_state(queue, django_assert_num_queries):
    with django_assert_num_queries(1):
        counts = count_calls_by_queue_and_state([queue])
    assert counts == {queue.pk: {"waiting": 1, "asking": 1, "answered": 1, "failed": 1}}


def test_it_lists_servers_with_what_everybody_may_know(client, queue):
    page = fetch_page_source(client, "server-list")
    assert '<th scope="row"><a href="/servers/genedict/">GeneDict</a><br>' in page
    assert '<span class="chip good">online</span>' in page
    assert "Mentions, Genes and proteins" in page


def test_it_shows_everybody_the_public_part_alone(client, queue):
    page = fetch_page_source(client, "server", "genedict")
    assert "1 article, and 0 with an empty answer" in page
    assert "127.0.0.1" not in page
    assert "R104" not in page


def test_it_shows_the_team_where_its_queue_stands(as_alice, queue):
    page = fetch_page_source(as_alice, "server", "genedict")
    assert "2 of 4 done, 50 %. About 4 s left, at one answer every 2 s.</p>" in page
    assert "<b>1</b> waiting" in page
    assert '<dt>Current call</dt> <dd><a href="/articles/20000004/">PMID 20000004</a> in the live queue for' in page
    assert (
        "PMID 20000002</a> in the live queue, immediately, after 1 failed attempt: The offset is outside the text."
        in page
    )
    assert "Retry failed articles" in page


def test_it_counts_the_wait_before_another_try_as_time_left(as_alice, queue):
    due = timezone.now() + timedelta(minutes=8, seconds=30)
    Call.objects.filter(state=CallState.WAITING).update(due=due)
    page = fetch_page_source(as_alice, "server", "genedict")
    assert "About 8 min left, at one answer every 2 s; the last article is retried at <time" in page
    assert f"{due:%H:%M:%S} UTC</time>.</p>" in page
    Server.objects.update(state=ServerState.OFFLINE)
    assert "About 8 min left once the server is started, at one answer every 2 s" in fetch_page_source(
        as_alice, "server", "genedict"
    )


def test_it_leaves_out_a_wait_that_other_articles_fill(as_alice, queue):
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(50000001, 30)])
    Call.objects.filter(article__pmid=20000002).update(due=timezone.now() + timedelta(seconds=25))
    page = fetch_page_source(as_alice, "server", "genedict")
    assert "About 64 s left, at one answer every 2 s.</p>" in page


def test_it_counts_our_own_work_between_two_answers(as_alice, queue):
    began = timezone.now() - timedelta(minutes=1)
    more = articles(50000001, 4)
    for article, second in zip(more, (0, 2.5, 5, 55), strict=True):
        by_kind = {Kind.MENTION: [], Kind.NORMALIZATION: []}
        received = began + timedelta(seconds=second)
        store_results_superseding_earlier(article, queue.producer, by_kind, duration_seconds=2.0, received_at=received)
    page = fetch_page_source(as_alice, "server", "genedict")
    assert "About 5 s left, at one answer every 2.5 s.</p>" in page


def test_it_knows_no_time_left_before_the_first_answer(as_alice, server):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(50000001, 2)])
    page = fetch_page_source(as_alice, "server", "genedict")
    assert "0 of 2 done, 0 %. The remaining time is estimated after the first answer.</p>" in page


def test_it_says_that_a_queue_waits_for_its_server_to_be_started(as_alice, server):
    contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    page = fetch_page_source(as_alice, "server", "genedict")
    assert '<h3>Live <span class="chip">waiting for start</span></h3>' in page
    assert "No articles have been loaded yet." in page
    Server.objects.update(state=ServerState.ONLINE)
    assert '<h3>Live <span class="chip good">running</span></h3>' in fetch_page_source(as_alice, "server", "genedict")


def test_it_says_a_diagnosis_that_repeats_itself_once(as_alice, queue):
    call = Call.objects.filter(state=CallState.WAITING).get()
    for _ in range(3):
        create_timed_attempt(call, "connection", 1.0, diagnosis="refused", message="Nothing listens.")
    page = fetch_page_source(as_alice, "server-attempts", "genedict")
    assert page.count("Nothing listens.") == 1
    assert page.count('<span class="meta">same as above</span>') == 2


def test_it_shows_which_rules_the_latest_answers_broke(as_alice, queue):
    page = fetch_page_source(as_alice, "server", "genedict")
    assert '<th scope="row"><a href="/manual/rules/#R104">R104</a></th><td class="num" data-head="Count">1</td>' in page
    assert "Count from 0." in page


def test_it_escapes_what_servers_sent_and_masks_secrets(as_alice, queue):
    broke = Attempt.objects.get(diagnosis="R104")
    page = fetch_page_source(as_alice, "server-attempt", "genedict", broke.pk)
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;</pre>" in page
    assert "Authorization: [masked]" in page
    assert "c2VjcmV0" not in page
    assert HOSTILE not in fetch_page_source(as_alice, "server", "genedict")


def test_it_shows_the_phases_of_time_of_an_attempt(as_alice, queue):
    page = fetch_page_source(as_alice, "server-attempt", "genedict", Attempt.objects.get(diagnosis="R104").pk)
    assert 'connect</td><td class="num">0.25 s</td>' in page
    assert 'wait for the answer</td><td class="num">1.2 s</td>' in page
    assert "<b>1.5 s</b>" in page
    assert 'Processing on this site</td><td class="num">0 s</td>' in page
    assert "waiting, 1 attempt counted, next attempt when its turn comes</dd>" in page


def test_it_shows_the_time_of_a_request_for_each_of_its_articles(as_alice, queue):
    """The answer to a request with several articles is read one article after the other."""
    for call, seconds in zip(queue.calls.order_by("pk")[:2], (1.3, 1.9), strict=True):
        create_timed_attempt(call, "answered", seconds, articles_in_request=2, phases={"connect": 0.1, "wait": 1.2})
    page = fetch_page_source(as_alice, "server-attempts", "genedict")
    assert page.count('<td class="when">1.3 s for 2 articles<svg') == 2
    last = Attempt.objects.latest("pk").pk
    page = fetch_page_source(as_alice, "server-attempt", "genedict", last)
    assert 'earlier articles of the request</td><td class="num">0.6 s</td>' in page


def test_it_costs_the_same_queries_however_long_the_past_is(as_alice, queue, server, django_assert_num_queries):
    number = 23
    with django_assert_num_queries(number):
        fetch_page_source(as_alice, "server", "genedict")
    training = contents.get_or_create_queue_and_producer(server, QueueMode.TRAINING)
    contents.enqueue_articles_without_open_or_test_call(training, [article.pk for article in articles(30000001, 30)])
    for call in training.calls.all():
        create_timed_attempt(call, "connection", 1.0)
    with django_assert_num_queries(number):
        fetch_page_source(as_alice, "server", "genedict")


def test_it_shows_ten_attempts_and_pages_older_ones_by_25(as_alice, queue, server):
    call = Call.objects.filter(state=CallState.WAITING).get()
    first = [create_timed_attempt(call, "connection", 1.0) for _ in range(40)]
    page = fetch_page_source(as_alice, "server", "genedict")
    assert f'href="/servers/genedict/attempts/?before={first[30].pk}"' in page
    older = as_alice.get(reverse("server-attempts", args=["genedict"]), {"before": first[30].pk}).content.decode()
    assert f"/attempts/{first[29].pk}/" in older
    assert f"/attempts/{first[30].pk}/" not in older
    assert f"?before={first[5].pk}" in older
    oldest = as_alice.get(reverse("server-attempts", args=["genedict"]), {"before": first[5].pk}).content.decode()
    assert f"/attempts/{first[4].pk}/" in oldest
    assert "Older attempts" not in oldest


@pytest.mark.parametrize("before", ["", "x", "-1", "9" * 18, "9" * 5000, "٣"])
def test_it_takes_a_wrong_page_for_the_latest_or_an_empty_one(as_alice, queue, before):
    answer = as_alice.get(reverse("server-attempts", args=["genedict"]), {"before": before})
    assert answer.status_code == 200


def test_it_answers_204_until_the_version_changes(as_alice, queue, server):
    Server.objects.update(state=ServerState.OFFLINE)
    live = reverse("server-live", args=["genedict"])
    assert as_alice.get(live, {"v": "41"}).status_code == 204
    Server.objects.update(version=42)
    fresh = as_alice.get(live, {"v": "41"})
    assert fresh.status_code == 200
    assert 'data-version="42"' in fresh.content.decode()


def test_it_asks_four_queries_when_nothing_changed(as_alice, queue, django_assert_num_queries):
    Server.objects.update(state=ServerState.OFFLINE)
    with django_assert_num_queries(4):
        as_alice.get(reverse("server-live", args=["genedict"]), {"v": "41"})


def test_it_brings_ages_up_to_date_while_a_server_works(server):
    now = timezone.now().replace(second=0, microsecond=0)
    server.state = ServerState.ONLINE
    assert build_dashboard_version_ticking_while_running(server, now) == build_dashboard_version_ticking_while_running(
        server, now + timedelta(seconds=9)
    )
    assert build_dashboard_version_ticking_while_running(server, now) != build_dashboard_version_ticking_while_running(
        server, now + timedelta(seconds=10)
    )
    server.state = ServerState.OFFLINE
    assert build_dashboard_version_ticking_while_running(server, now) == build_dashboard_version_ticking_while_running(
        server, now + timedelta(days=1)
    )


def test_it_tells_the_team_no_pmid_of_a_test_queue(as_alice, server):
    [article] = articles(40000001, 1)
    contents.enqueue_articles_without_open_or_test_call(
        contents.get_or_create_queue_and_producer(server, QueueMode.TEST, "autumn"), [article.pk]
    )
    create_timed_attempt(Call.objects.get(), "connection", 1.0)
    for page in (
        fetch_page_source(as_alice, "server", "genedict"),
        fetch_page_source(as_alice, "server-attempts", "genedict"),
    ):
        assert "40000001" not in page
        assert article.opaque in page


def test_it_tells_no_pmid_of_a_blind_corpus(as_alice, queue):
    corpus = Corpus.objects.create(slug="blind", name="Blind", blind=True)
    for position, call in enumerate(Call.objects.all()):
        hide_article(call.article, corpus, position)
    assert "2000000" not in fetch_page_source(as_alice, "server", "genedict")


def test_it_asks_next_what_is_due_first_by_priority(server):
    now = timezone.now()
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(50000001, 3)])
    later, soon, front = queue.calls.order_by("pk")
    Call.objects.filter(pk=later.pk).update(due=now + timedelta(minutes=2))
    Call.objects.filter(pk=soon.pk).update(due=now - timedelta(minutes=1))
    Call.objects.filter(pk=front.pk).update(due=now + timedelta(minutes=1), priority=Call.Priority.FRONT_PAGE)
    assert find_next_call_and_its_time(server, now).call == soon
    Call.objects.filter(pk=front.pk).update(due=now)
    assert find_next_call_and_its_time(server, now).call == front
    Queue.objects.update(state=QueueState.RESTING, rest_until=now + timedelta(seconds=30))
    assert find_next_call_and_its_time(server, now).at == now + timedelta(seconds=30)
    Queue.objects.update(state=QueueState.STOPPED)
    assert find_next_call_and_its_time(server, now) is None


def test_it_shows_the_team_its_members_and_others_their_number(client, alice, team, server):
    assert "alice" not in fetch_page_source(client, "team", "team-alpha")
    assert "1 member<" in fetch_page_source(client, "team", "team-alpha")
    client.force_login(alice)
    page = fetch_page_source(client, "team", "team-alpha")
    assert '<span>alice <span class="chip">manager</span></span>' in page
    assert "GeneDict" in page


@pytest.mark.parametrize(
    ("name", "place"), [("server", ["none"]), ("team", ["none"]), ("server-attempt", ["genedict", 9])]
)
def test_it_answers_404_where_there_is_nothing(as_alice, server, name, place):
    fetch_page_source(as_alice, name, *place, status=404)


@pytest.mark.parametrize(("name", "queries"), [("server", 23), ("server-live", 13), ("server-attempts", 7)])
def test_it_costs_the_team_a_fixed_number_of_queries(as_alice, server, queue, name, queries, django_assert_num_queries):
    with django_assert_num_queries(queries):
        as_alice.get(reverse(name, args=["genedict"]))
    more = contents.get_or_create_queue_and_producer(server, QueueMode.TRAINING, "phase")
    given = articles(50000001, 30)
    contents.enqueue_articles_without_open_or_test_call(more, [article.pk for article in given])
    for call in Call.objects.filter(queue=more).order_by("pk")[:20]:
        Attempt.objects.create(call=call, server=server, number=1, finished=timezone.now(), outcome="invalid")
    with django_assert_num_queries(queries):
        as_alice.get(reverse(name, args=["genedict"]))
