"""Anybody has an article that is here annotated, by page, REST and XML-RPC: once, within limits, without PubMed."""

import xmlrpc.client
from datetime import timedelta

import pytest
from allauth.core.internal.ratelimit import parse_rates
from django.conf import settings
from django.utils import timezone

from annotations.articles.models import Article, ArticleRequest, ArticleTakedown
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.article_page.live_version import find_current_page_version
from bcms.article_requests import annotation_start
from bcms.xmlrpc.faults import TOO_OFTEN
from evaluation.visibility import ANONYMOUS_READER
from servers.calls.models import Call, Queue
from servers.calls.outcomes.server_rest import reset_misses_and_resume_resting_queues
from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call, get_or_create_queue_and_producer
from servers.calls.queues.missed_articles import MOST_MISSED, is_missed_by_stopped_or_unreachable_server
from servers.calls.states import CallState, QueueMode, QueueState
from servers.registry.models import Server, ServerEvent
from servers.registry.states import ServerState
from tests.integration.evaluation_cast import hide_article
from tests.integration.server_cast import articles

pytestmark = pytest.mark.django_db

SERVERS = "/api/v1/articles/10000001/servers/"
REQUESTS = "/api/v1/article-requests/"
CDH1 = AnnotationData(Kind.MENTION, confidence=0.9, start=8, end=12, text="CDH1", type="gene")
SHORT = AnnotationData(Kind.MENTION, start=0, end=4, text="CDH1", type="gene")


@pytest.fixture
def live(server):
    """The LIVE queue of a server that is online and accepted."""
    Server.objects.filter(pk=server.pk).update(state=ServerState.ONLINE)
    return get_or_create_queue_and_producer(server, QueueMode.LIVE)


@pytest.fixture
def limits(settings):
    """Two articles a minute."""
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "start_annotation": "2/m/ip"}


def call_rpc(client, method, *parameters):
    """The value of a method, or (code, sentence) of the fault."""
    body = xmlrpc.client.dumps(parameters, f"Annotations.{method}")
    try:
        return xmlrpc.client.loads(client.post("/xmlrpc/", body, content_type="text/xml").content)[0][0]
    except xmlrpc.client.Fault as fault:
        return fault.faultCode, fault.faultString


def ask_by_page(client, pmid):
    return client.post(f"/articles/{pmid}/ask/").status_code


def ask_by_rest(client, pmid):
    return client.post(f"/api/v1/articles/{pmid}/servers/").status_code


def ask_by_request(client, pmid):
    return client.post(REQUESTS, {"ident": str(pmid)}).status_code


def ask_by_xmlrpc(client, pmid):
    answer = call_rpc(client, "getAnnotations", pmid)
    return answer[0] if isinstance(answer, tuple) else 200


EVERY_WAY = pytest.mark.parametrize("ask", [ask_by_page, ask_by_rest, ask_by_request, ask_by_xmlrpc])


@EVERY_WAY
def test_it_calls_the_servers_once_for_somebody_without_log_in(ask, client, article, live):
    for _ in range(3):
        assert ask(client, article.pmid) in (200, 202, 302)
    call = live.calls.get()
    assert (call.article, call.priority, call.state) == (article, Call.Priority.FRONT_PAGE, CallState.WAITING)


@EVERY_WAY
def test_it_calls_no_servers_that_are_not_accepted(ask, client, article, live):
    Server.objects.update(review="unreviewed")
    ask(client, article.pmid)
    assert not live.calls.exists()


@EVERY_WAY
def test_it_counts_articles_and_not_requests(ask, client, live, limits):
    first, second, third = (each.pmid for each in articles(20000001, 3))
    for pmid in (first, first, first, second, second):
        assert ask(client, pmid) != 429
    assert ask(client, third) == 429
    assert live.calls.count() == 2


@EVERY_WAY
def test_it_treats_hidden_articles_like_unknown_ones(ask, client, article, live):
    ArticleTakedown.objects.create(article=article)
    hidden = ask(client, article.pmid)
    taken = set(ArticleRequest.objects.values_list("ident", flat=True))
    ArticleTakedown.objects.all().delete()
    Article.objects.filter(pk=article.pk).update(pmid=10000002)
    assert ask(client, 10000001) == hidden
    assert set(ArticleRequest.objects.values_list("ident", flat=True)) == taken
    hide_article(Article.objects.get())
    assert ask(client, 10000002) == hidden
    assert not live.calls.exists()


def test_it_does_not_know_a_snapshot_by_its_id(client, article, live):
    hide_article(article)
    assert client.post(f"/api/v1/articles/{article.opaque}/servers/").status_code == 404
    assert client.post("/api/v1/articles/abc/servers/").status_code == 404
    assert not live.calls.exists()


def test_it_calls_nobody_for_a_snapshot_or_an_article_that_was_taken_down(client, article, live, django_user_model):
    client.force_login(django_user_model.objects.create_superuser("root", "root@example.org", "a-long-password"))
    ArticleTakedown.objects.create(article=article)
    assert client.post(SERVERS).status_code == 202
    hide_article(article)
    assert client.post(f"/api/v1/articles/{article.opaque}/servers/").status_code == 202
    assert not live.calls.exists()


def test_it_tells_by_rest_what_is_awaited(client, article, live):
    assert [line["awaited"] for line in client.get(SERVERS).json()] == [False]
    asked = client.post(SERVERS)
    assert (asked.status_code, [line["awaited"] for line in asked.json()]) == (202, [True])
    assert client.get(SERVERS).json()[0]["awaited"]


def test_it_needs_no_pubmed_for_an_article_that_is_here(client, article, live):
    told = client.post(REQUESTS, {"ident": "PMID 10000001"}).json()
    assert (told["done"], told["article"], told["problem"]) == (True, "10000001", "")
    assert client.get(f"{REQUESTS}{told['id']}/").json() == told
    assert client.post(REQUESTS, {"ident": "10000001"}).json() == told
    assert live.calls.count() == 1


def test_it_fetches_an_article_again_if_asked_to(client, article, live):
    told = client.post(REQUESTS, {"ident": "10000001", "refetch": True}).json()
    assert (told["done"], ArticleRequest.objects.get().finished) == (False, None)


def test_it_tells_by_xmlrpc_what_is_awaited(client, article, live):
    assert call_rpc(client, "getAwaited", article.pmid) == []
    assert not live.calls.exists()
    assert call_rpc(client, "getAnnotations", article.pmid) == {}
    assert call_rpc(client, "getAwaited", article.pmid) == ["genedict"]
    store_results_superseding_earlier(article, live.producer, {Kind.MENTION: [CDH1]})
    live.calls.update(state=CallState.ANSWERED)
    assert list(call_rpc(client, "getAnnotations", article.pmid)) == ["genedict"]
    assert call_rpc(client, "getAwaited", article.pmid) == []
    assert call_rpc(client, "getAwaited", 5)[0] == 1


def test_it_calls_the_servers_for_who_reads_one_of_them(client, article, live):
    assert call_rpc(client, "getAnnotation", article.pmid, "genedict")[0] == 3
    assert call_rpc(client, "getAwaited", article.pmid) == ["genedict"]


def test_it_still_gives_the_annotations_that_are_here_above_the_limits(client, team, live, limits):
    kept = articles(20000001, 4)
    store_results_superseding_earlier(kept[0], live.producer, {Kind.MENTION: [SHORT]})
    for each in kept[1:3]:
        call_rpc(client, "getAnnotations", each.pmid)
    more = Server.objects.create(
        team=team, name="More", slug="more", url="http://x/", kinds=["mention"], review="accepted", state="online"
    )
    queue = get_or_create_queue_and_producer(more, QueueMode.LIVE)
    assert list(call_rpc(client, "getAnnotations", kept[0].pmid)) == ["genedict"]
    assert not queue.calls.exists()
    code, sentence = call_rpc(client, "getAnnotations", kept[3].pmid)
    assert (code, "for too many articles from your IP address" in sentence) == (TOO_OFTEN, True)


def test_it_says_when_to_come_again(client, live, limits):
    first, second, third = (each.pmid for each in articles(20000001, 3))
    ask_by_rest(client, first)
    ask_by_rest(client, second)
    refused = client.post(f"/api/v1/articles/{third}/servers/")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    page = client.post(f"/articles/{third}/ask/")
    assert (page.status_code, page.headers["Retry-After"]) == (429, "60")
    assert "Servers were called for too many articles from your IP address." in page.content.decode()


def test_it_puts_a_loaded_article_behind_those_that_others_wait_for(client, live):
    loaded, opened = articles(20000001, 2)
    enqueue_articles_without_open_or_test_call(live, [loaded.pk])
    live.calls.update(due=timezone.now() - timedelta(hours=1))
    ask_by_rest(client, opened.pmid)
    live.calls.filter(article=opened).update(due=timezone.now() - timedelta(minutes=1))
    ask_by_rest(client, loaded.pmid)
    assert [call.article for call in live.calls.order_by("priority", "due", "pk")] == [opened, loaded]


def test_it_retries_no_sooner_for_a_second_reader(client, article, live):
    enqueue_articles_without_open_or_test_call(live, [article.pk])
    later = timezone.now() + timedelta(hours=1)
    live.calls.update(due=later, tries=1)
    ask_by_rest(client, article.pmid)
    call = live.calls.get()
    assert (call.priority, call.due) == (Call.Priority.FRONT_PAGE, later)


@pytest.fixture
def stopped(live):
    """The LIVE queue of a server that was stopped just now."""
    Server.objects.update(state=ServerState.OFFLINE)
    ServerEvent.objects.create(server=live.server, before=ServerState.ONLINE, after=ServerState.OFFLINE)
    return live


@EVERY_WAY
def test_it_lets_an_article_wait_once_for_a_stopped_server(ask, client, article, stopped):
    for _ in range(2):
        assert ask(client, article.pmid) in (200, 202, 302)
    assert stopped.calls.get().priority == Call.Priority.MISSED
    assert call_rpc(client, "getAwaited", article.pmid) == []


@pytest.fixture
def unreachable(live):
    """The LIVE queue of a server that is online but could not be reached."""
    Queue.objects.update(state=QueueState.RESTING, rest_until=timezone.now() + timedelta(minutes=1))
    return live


@EVERY_WAY
def test_it_lets_an_article_wait_once_for_an_unreachable_server(ask, client, article, unreachable):
    for _ in range(2):
        assert ask(client, article.pmid) in (200, 202, 302)
    assert unreachable.calls.get().priority == Call.Priority.MISSED


@EVERY_WAY
def test_one_visitor_cannot_fill_the_queue_of_an_unreachable_server(ask, client, unreachable, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "await_stopped_servers": "2/d/ip"}
    for each in articles(20000001, 4):
        assert ask(client, each.pmid) in (200, 202, 302)
    assert unreachable.calls.count() == 2


def test_it_lets_a_loaded_article_wait_where_it_is_while_the_server_is_unreachable(client, article, unreachable):
    enqueue_articles_without_open_or_test_call(unreachable, [article.pk])
    ask_by_rest(client, article.pmid)
    assert unreachable.calls.get().priority == Call.Priority.LIVE


@EVERY_WAY
def test_a_reader_who_is_there_after_the_recovery_comes_first(ask, client, article, unreachable):
    [other] = articles(20000001, 1)
    for each in (article, other):
        ask(client, each.pmid)
    url = "/articles/10000001/"
    page = client.get(url)
    assert b"waiting, server is unreachable" in page.content and b"data-ask" not in page.content
    reset_misses_and_resume_resting_queues(Server(pk=unreachable.server_id, misses=3))
    unreachable.refresh_from_db()
    assert unreachable.state == QueueState.RUNNING
    recovered = client.get(url)
    assert b"data-ask" in recovered.content and b"Call the waiting servers now" in recovered.content
    assert recovered.context["page"].version != page.context["page"].version
    ask(client, article.pmid)
    head, last = unreachable.calls.order_by("priority", "due", "pk")
    assert (head.article, head.priority) == (article, Call.Priority.FRONT_PAGE)
    assert (last.article, last.priority) == (other, Call.Priority.MISSED)
    assert b"data-ask" not in client.get(url).content


@EVERY_WAY
def test_an_article_that_waits_in_a_long_queue_moves_to_its_head(ask, client, article, live):
    loaded = [each.pk for each in articles(20000001, 3)]
    enqueue_articles_without_open_or_test_call(live, [*loaded, article.pk])
    assert b"Call the waiting servers now" in client.get("/articles/10000001/").content
    ask(client, article.pmid)
    assert live.calls.order_by("priority", "due", "pk").first().article == article
    assert b"data-ask" not in client.get("/articles/10000001/").content


def test_a_page_that_is_open_learns_that_a_server_is_unreachable(client, article, live):
    version = client.get("/articles/10000001/").context["page"].version
    assert find_current_page_version(ANONYMOUS_READER, "10000001") == version
    Queue.objects.update(state=QueueState.RESTING)
    changed = find_current_page_version(ANONYMOUS_READER, "10000001")
    assert version != changed == client.get("/articles/10000001/").context["page"].version


def test_no_article_is_lost_to_a_queue_whose_rest_ends_meanwhile(client, article, unreachable, monkeypatch):
    """Between the two steps that add the calls of reachable servers and of the others."""

    def end_rest_before(*arguments):
        Queue.objects.update(state=QueueState.RUNNING)
        return is_missed_by_stopped_or_unreachable_server(*arguments)

    monkeypatch.setattr(annotation_start, "is_missed_by_stopped_or_unreachable_server", end_rest_before)
    ask_by_rest(client, article.pmid)
    assert unreachable.calls.get().article == article


@EVERY_WAY
def test_one_visitor_cannot_fill_the_queue_of_a_stopped_server(ask, client, stopped, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "await_stopped_servers": "2/d/ip"}
    for each in articles(20000001, 4):
        assert ask(client, each.pmid) in (200, 202, 302)
    assert stopped.calls.count() == 2


def test_no_visitor_can_fill_a_queue_while_articles_wait_for_it():
    [rate] = parse_rates(settings.ACCOUNT_RATE_LIMITS["await_stopped_servers"])
    assert rate.per == "ip"
    assert rate.amount * settings.MISSED_ARTICLES_DAYS * timedelta(days=1).total_seconds() / rate.duration < MOST_MISSED


def test_the_page_asks_for_a_stopped_server_once(client, article, stopped):
    assert b"data-ask" in client.get("/articles/10000001/").content
    client.post("/articles/10000001/ask/")
    page = client.get("/articles/10000001/").content
    assert b"data-ask" not in page
    assert b"waiting, server is offline" in page


def test_the_team_reads_how_many_wait_and_were_given_up(as_alice, article, stopped):
    ask_by_rest(as_alice, article.pmid)
    Queue.objects.update(given_up=12)
    [queue] = as_alice.get("/api/v1/servers/genedict/").json()["inside"]["queues"]
    assert (queue["waiting"], queue["missed"], queue["given_up"]) == (1, 1, 12)
    page = " ".join(as_alice.get("/servers/genedict/").content.decode().split())
    opened = "1 of the waiting articles was opened by readers while the server was stopped or unreachable."
    assert f"{opened} It is sent last" in page
    assert "12 such articles were given up, because at most 10,000 wait" in page
