"""Articles that readers open while a server is stopped wait for it, behind everything else."""

import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotations.articles.models import ArticleTakedown
from annotations.results.storage import store_results_superseding_earlier
from bcms.administration.takedowns import take_article_down
from evaluation.visibility import ANONYMOUS_READER
from servers.calls.claim import claim_next_call_within_rate_limit, get_server_with_queues
from servers.calls.models import Attempt, Call, Queue
from servers.calls.outcomes.call_end import end_call_if_state_allows
from servers.calls.outcomes.server_rest import reset_misses_and_resume_resting_queues
from servers.calls.queries import find_next_call_and_its_time, list_queue_progress_in_call_order
from servers.calls.queues import contents, missed_articles
from servers.calls.states import CallState, Outcome, QueueMode, QueueState
from servers.registry import lifecycle
from servers.registry.models import Server, ServerEvent
from servers.review.decisions import apply_team_choice
from servers.review.states import ReviewState
from tests.integration.evaluation_cast import hide_article
from tests.integration.server_cast import articles

pytestmark = pytest.mark.django_db


@pytest.fixture
def stopped(server):
    """The LIVE queue of an accepted server that was stopped just now."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    lifecycle.halt_server_now_and_return_calls(server)
    return queue


def open_article(article, reader=ANONYMOUS_READER):
    return missed_articles.enqueue_for_stopped_and_unreachable_servers(article, reader)


def list_claimed(server, number):
    """The articles of the next calls, each of which ends at once."""
    token, claimed = uuid.uuid4(), []
    Server.objects.filter(pk=server.pk).update(lease_token=token, lease_until=timezone.now() + timedelta(minutes=1))
    for _ in range(number):
        claim = claim_next_call_within_rate_limit(get_server_with_queues(server.pk), token)
        claimed.append(claim.article)
        end_call_if_state_allows(claim.call, CallState.ANSWERED, "", counts_as_try=True)
    return claimed


def test_an_opened_article_waits_once_for_a_server_that_was_stopped(stopped, article):
    assert missed_articles.is_missed_by_stopped_or_unreachable_server(article, ANONYMOUS_READER)
    assert (open_article(article), open_article(article)) == (1, 0)
    assert not missed_articles.is_missed_by_stopped_or_unreachable_server(article, ANONYMOUS_READER)
    call = Call.objects.get()
    assert (call.priority, call.state) == (Call.Priority.MISSED, CallState.WAITING)
    stopped.refresh_from_db()
    assert stopped.state == QueueState.RUNNING


def test_a_failed_server_has_it_too(stopped, article, server):
    Server.objects.filter(pk=server.pk).update(state="fail")
    assert open_article(article) == 1


def test_it_does_not_wait_for_a_server_that_never_ran(server, article):
    contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    assert open_article(article) == 0


def test_it_does_not_wait_for_a_server_that_was_stopped_long_ago(stopped, article, settings):
    settings.MISSED_ARTICLES_DAYS = 7
    ServerEvent.objects.update(at=timezone.now() - timedelta(days=6))
    assert missed_articles.is_missed_by_stopped_or_unreachable_server(article, ANONYMOUS_READER)
    ServerEvent.objects.update(at=timezone.now() - timedelta(days=8))
    assert open_article(article) == 0


def test_it_does_not_wait_for_a_server_that_has_been_asked_or_has_answered(stopped, article, server):
    store_results_superseding_earlier(article, stopped.producer, dict.fromkeys(server.registered_kinds, ()))
    assert open_article(article) == 0
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    [other] = articles(20000001, 1)
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(other, ANONYMOUS_READER) == 1
    assert open_article(other) == 0


def let_rest(queue, seconds=60):
    """The server is online, and its queues rest because it could not be reached."""
    lifecycle.bring_server_online_and_resume_resting_queues(queue.server)
    Server.objects.filter(pk=queue.server_id).update(misses=3, unreachable_since=timezone.now())
    Queue.objects.update(state=QueueState.RESTING, rest_until=timezone.now() + timedelta(seconds=seconds))


def test_an_article_waits_for_an_unreachable_server_as_for_a_stopped_one(stopped, article, server):
    let_rest(stopped)
    assert not contents.has_live_calls_to_add_or_prioritize(article, ANONYMOUS_READER)
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER) == 0
    assert missed_articles.is_missed_by_stopped_or_unreachable_server(article, ANONYMOUS_READER)
    assert (open_article(article), open_article(article)) == (1, 0)
    assert Call.objects.get().priority == Call.Priority.MISSED
    stopped.refresh_from_db()
    assert stopped.state == QueueState.RESTING
    [progress] = list_queue_progress_in_call_order(server)
    assert progress.pace.missed == 1


def test_an_article_from_pubmed_waits_for_unreachable_servers_only(stopped, article):
    assert missed_articles.enqueue_for_unreachable_servers(article, ANONYMOUS_READER) == 0
    let_rest(stopped)
    assert missed_articles.enqueue_for_unreachable_servers(article, ANONYMOUS_READER) == 1


def test_an_unreachable_server_gets_what_readers_open_now_first_once_it_answers(stopped, server):
    before, loaded, during, latest, now = articles(20000001, 5)
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    contents.enqueue_or_prioritize_missing_nonblind_live_calls(before, ANONYMOUS_READER)
    contents.enqueue_articles_without_open_or_test_call(stopped, [loaded.pk])
    let_rest(stopped, seconds=-1)
    for age, article in ((2, during), (1, latest)):
        open_article(article)
        Call.objects.filter(article=article).update(due=timezone.now() - timedelta(minutes=age))
    # The rest is over: the server is probed with what waited before it.
    assert list_claimed(server, 1) == [before]
    server.refresh_from_db()
    reset_misses_and_resume_resting_queues(server)
    contents.enqueue_or_prioritize_missing_nonblind_live_calls(now, ANONYMOUS_READER)
    assert list_claimed(server, 4) == [now, loaded, latest, during]


def test_the_oldest_are_given_up_for_an_unreachable_server(stopped, monkeypatch):
    monkeypatch.setattr(missed_articles, "MOST_MISSED", 1)
    let_rest(stopped)
    first, second = articles(20000001, 2)
    open_article(first)
    Call.objects.update(due=timezone.now() - timedelta(minutes=1))
    open_article(second)
    assert Call.objects.get().article == second
    assert Queue.objects.get().given_up == 1


def test_only_its_team_lets_articles_wait_for_a_server_that_is_not_accepted(stopped, article, alice):
    Server.objects.update(review="unreviewed")
    assert open_article(article) == 0
    assert open_article(article, alice) == 1


def test_neither_snapshots_nor_articles_that_were_taken_down_wait(stopped, article):
    takedown = ArticleTakedown.objects.create(article=article)
    assert open_article(article) == 0
    takedown.delete()
    hide_article(article)
    assert open_article(article) == 0


def test_no_server_gets_an_article_that_was_taken_down_meanwhile(stopped, article, django_user_model):
    [other] = articles(20000001, 1)
    for each in (article, other):
        open_article(each)
    assert take_article_down(article, "Retracted.", django_user_model.objects.create_superuser("root", "r@example.org"))
    assert Call.objects.get().article == other


def test_they_are_sent_last_and_the_latest_first(stopped, server):
    loaded, first, second, third, opened = articles(20000001, 5)
    for age, article in enumerate((third, second, first)):
        open_article(article)
        Call.objects.filter(article=article).update(due=timezone.now() - timedelta(minutes=age + 1))
    contents.enqueue_articles_without_open_or_test_call(stopped, [loaded.pk])
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    contents.enqueue_or_prioritize_missing_nonblind_live_calls(opened, ANONYMOUS_READER)
    assert list_claimed(server, 5) == [opened, loaded, third, second, first]


def test_the_next_call_is_the_latest_of_them(stopped, server):
    first, second, retried = articles(20000001, 3)
    for age, article in enumerate((second, first)):
        open_article(article)
        Call.objects.filter(article=article).update(due=timezone.now() - timedelta(minutes=age + 1))
    open_article(retried)
    Call.objects.filter(article=retried).update(due=timezone.now() + timedelta(minutes=5))
    assert find_next_call_and_its_time(server, timezone.now()).call.article == second


def test_a_reader_moves_one_of_them_to_the_head_once_the_server_runs(stopped, article, server):
    open_article(article)
    Call.objects.update(due=timezone.now() - timedelta(days=1))
    began = timezone.now()
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER)
    call = Call.objects.get()
    # The clock of the transaction in which the test runs stands still, and it began earlier.
    assert (call.priority, call.due > began - timedelta(hours=1)) == (Call.Priority.FRONT_PAGE, True)


def test_the_oldest_are_given_up_and_counted(stopped, server, monkeypatch):
    monkeypatch.setattr(missed_articles, "MOST_MISSED", 2)
    opened = articles(20000001, 5)
    for age, article in enumerate(reversed(opened)):
        Call.objects.create(
            queue=stopped,
            server=server,
            article=article,
            priority=Call.Priority.MISSED,
            due=timezone.now() - timedelta(minutes=age + 1),
        )
    tried = Call.objects.get(article=opened[0])
    Attempt.objects.create(call=tried, server=server, number=1, outcome=Outcome.CONNECTION)
    [article] = articles(30000001, 1)
    open_article(article)
    kept = Call.objects.order_by("due").values_list("article", flat=True)
    assert list(kept) == [opened[0].pk, opened[4].pk, article.pk]
    [progress] = list_queue_progress_in_call_order(server)
    assert (progress.pace.missed, progress.queue.given_up) == (3, 3)


def test_loaded_articles_are_never_given_up(stopped, article, monkeypatch):
    monkeypatch.setattr(missed_articles, "MOST_MISSED", 0)
    contents.enqueue_articles_without_open_or_test_call(stopped, [each.pk for each in articles(20000001, 2)])
    open_article(article)
    assert stopped.calls.count() == 2


def test_they_are_given_up_when_the_server_is_not_accepted_any_more(stopped, article, server, alice):
    open_article(article)
    assert apply_team_choice(server, ReviewState.PRIVATE, alice)
    queue = Queue.objects.get()
    assert (queue.calls.count(), queue.given_up, queue.state) == (0, 1, QueueState.DONE)


def test_opening_takes_the_same_number_of_queries_however_many_servers_are_stopped(
    stopped, team, article, django_assert_num_queries
):
    for number in range(3):
        server = Server.objects.create(
            team=team, name=f"S{number}", slug=f"s{number}", url="http://x/", kinds=["mention"], review="accepted"
        )
        contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        lifecycle.halt_server_now_and_return_calls(server)
    with django_assert_num_queries(8):
        assert open_article(article) == 4


def test_it_is_planned_by_the_index_of_the_queue(stopped):
    contents.enqueue_articles_without_open_or_test_call(stopped, [each.pk for each in articles(20000001, 1500)])
    with connection.cursor() as cursor:
        # The plan must not depend on what other tests left in the statistics.
        cursor.execute("ANALYZE servers_call")
        arguments = [[stopped.pk], Call.Priority.MISSED, 2]
        cursor.execute(f"EXPLAIN {missed_articles.GIVE_UP_OLDEST}", arguments)
        assert "next_call_of_queue" in str(cursor.fetchall())


def test_a_server_without_a_live_queue_can_be_made_private(server, alice):
    assert apply_team_choice(server, ReviewState.PRIVATE, alice)
