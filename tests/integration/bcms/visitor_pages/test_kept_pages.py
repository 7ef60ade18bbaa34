"""Visitors get the page of another visitor as long as it is as it would be made now, and nobody else gets it."""

import re
import threading
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from annotations.articles.models import Article, ArticleTakedown
from annotations.identifiers.reported_identifiers import raise_article_or_private_producer_versions
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.article_page.records import article_records
from bcms.metrics.visitor_pages import PAGES
from bcms.visitor_pages import kept_pages, page_states, pages_being_made
from evaluation.challenges.models import Challenge, Phase
from servers.calls.models import Call, Queue
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import CallState, QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.review.decisions import apply_review_decision
from servers.review.states import ReviewState
from servers.teams.models import Team
from tests.integration.article_cast import gene, make_article_of_three_servers, read_page_words
from tests.integration.curation_cast import begin
from tests.integration.evaluation_cast import hide_article, make_challenge, make_corpus
from tests.integration.published_cast import publish_interaction
from tests.module_time import replace_time

pytestmark = pytest.mark.django_db

URL = "/articles/20000001/"


@pytest.fixture
def article(team):
    article = make_article_of_three_servers(team)
    # Servers that could still be asked would put a button on the page.
    Server.objects.update(state=ServerState.OFFLINE)
    return article


def count_pages(answer="kept"):
    return PAGES.labels(answer)._value.get()


def visit(url=URL, **headers):
    return Client().get(url, headers=headers)


def is_kept(url=URL, client=None, **headers):
    before = count_pages()
    (client or Client()).get(url, headers=headers)
    return count_pages() > before


def test_the_next_visitor_gets_the_same_page_with_one_query(article, django_assert_num_queries):
    first = visit()
    with django_assert_num_queries(1):
        second = visit()
    assert second.content == first.content
    assert {name: second.headers[name] for name in first.headers if name != "X-Request-ID"} == {
        name: first.headers[name] for name in first.headers if name != "X-Request-ID"
    }
    assert second.headers["Vary"] == "Cookie, Accept-Encoding"


def test_the_comparison_of_two_servers_is_kept_until_something_changes(article, team, as_alice):
    address = f"{URL}compare/?server=alpha&server=beta"
    first = visit(address)
    assert is_kept(address) and visit(address).content == first.content
    assert (first.headers["Vary"], first.headers["Cache-Control"]) == ("Cookie, Accept-Encoding", "private")
    assert not is_kept(address, as_alice) and not is_kept(f"{address}&unreviewed=1")
    Server.objects.filter(slug="alpha").update(name="Another name")
    assert "Another name" in visit(address).content.decode()


def test_compressed_pages_are_kept_apart_from_others(article):
    packed = visit(accept_encoding="gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in visit().headers
    assert is_kept(accept_encoding="gzip") and is_kept()
    assert visit(accept_encoding="gzip").headers["Content-Encoding"] == "gzip"


def test_a_coding_with_a_similar_name_gets_no_compressed_page(article):
    visit(accept_encoding="gzip")
    assert "Content-Encoding" not in visit(accept_encoding="notgzip").headers


def test_addresses_that_look_alike_when_encoded_have_their_own_pages(article):
    """One has the bytes of é as they are, the other asks for the two characters that Latin-1 has for them."""
    raw, encoded = f"{URL}?server=é", f"{URL}?server=%C3%83%C2%A9"
    made = visit(encoded).content
    kept_pages.forget_pages()
    visit(raw)
    assert visit(encoded).content == made


def test_each_address_has_its_own_page(article):
    visit()
    assert not is_kept(f"{URL}?kind=normalization")
    assert is_kept(f"{URL}?kind=normalization") and is_kept()


def test_pages_of_others_than_plain_visitors_are_not_kept(article, as_alice):
    assert "Log out alice" in as_alice.get(URL).content.decode()
    visit()
    assert "Log out alice" in as_alice.get(URL).content.decode()
    with_filters = Client()
    with_filters.cookies["filters"] = "server=alpha"
    assert not is_kept(client=with_filters)
    assert not is_kept(Authorization="Bearer 123")
    assert "Log out" not in visit().content.decode()


@pytest.mark.parametrize("query", ["?unreviewed=1", "?text=1"])
def test_pages_that_change_by_more_are_not_kept(article, query):
    visit(URL + query)
    assert not is_kept(URL + query)


def test_pages_with_a_form_are_not_kept(article):
    Server.objects.filter(slug="gamma").update(state=ServerState.ONLINE)
    Queue.objects.filter(server__slug="gamma").update(producer=Producer.objects.create(name="New", public=True))
    assert "csrfmiddlewaretoken" in visit().content.decode()
    assert not is_kept()
    assert Client().get(URL).cookies["csrftoken"].value != Client().get(URL).cookies["csrftoken"].value


def test_unknown_articles_and_challenges_are_not_kept(article):
    for url in ("/articles/20000009/", "/challenges/none/"):
        assert visit(url).status_code == 404
        assert not is_kept(url)


CHANGES = {
    "an answer": lambda article: store_results_superseding_earlier(
        article, Producer.objects.get(queue__server__slug="gamma"), {Kind.NORMALIZATION: [gene("P35222")]}
    ),
    "a call": lambda article: Call.objects.create(
        queue=Queue.objects.get(server__slug="gamma"),
        server=Server.objects.get(slug="gamma"),
        article=article,
        priority=1,
        due=timezone.now(),
    ),
    "a server that failed": lambda article: Server.objects.filter(slug="beta").update(state=ServerState.FAIL),
    "a new name": lambda article: Server.objects.filter(slug="beta").update(name="Delta"),
    "a declined server": lambda article: apply_review_decision(
        Server.objects.get(slug="alpha"), ReviewState.DECLINED, "No."
    ),
    "hidden annotations": lambda article: Producer.objects.filter(queue__server__slug="beta").update(public=False),
    "an entry": lambda article: raise_article_or_private_producer_versions("uniprot", ["P12830"]),
    "a new text": lambda article: Article.objects.filter(pk=article.pk).update(counted_version=99),
    "a takedown": lambda article: ArticleTakedown.objects.create(article=article),
    "a snapshot": lambda article: hide_article(article),
    "another team": lambda article: Team.objects.create(name="Team Beta", slug="team-beta"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_pages_are_made_anew_after_every_change(article, change):
    visit()
    assert is_kept()
    change(article)
    assert not is_kept()


def test_the_state_of_a_call_counts(article):
    call = CHANGES["a call"](article)
    visit()
    assert is_kept()
    Call.objects.filter(pk=call.pk).update(state=CallState.FAILED)
    assert not is_kept()


def test_nothing_that_is_taken_down_is_shown_again(article):
    assert visit().status_code == 200
    takedown = ArticleTakedown.objects.create(article=article)
    assert visit().status_code == 404
    takedown.delete()
    assert visit().status_code == 200


def test_a_published_curation_is_seen_at_once_and_decisions_leave_pages_as_they_are(article, alice, carol):
    visit()
    publish_interaction(alice, article)
    assert "physically interacts" in read_page_words(visit())
    curation = begin(carol, article)
    visit()
    assert is_kept()
    curation.revision, curation.seconds = 5, 20.0
    curation.save(update_fields=["revision", "seconds"])
    assert is_kept()


def test_work_of_servers_on_other_articles_leaves_pages_as_they_are(article):
    visit()
    Server.objects.update(lease_until=timezone.now(), version=9, strikes=1)
    Queue.objects.update(rest_until=timezone.now(), given_up=3)
    Producer.objects.update(renewed=5)
    assert is_kept()


@pytest.mark.parametrize("url", ["/challenges/", "/challenges/example/"])
def test_pages_of_challenges_are_kept_until_something_changes(olga, url):
    challenge = make_challenge(olga, make_corpus())
    url = url.replace("example", challenge.slug)
    visit(url)
    assert is_kept(url)
    Challenge.objects.update(name="Renamed challenge")
    assert "Renamed challenge" in visit(url).content.decode()
    assert is_kept(url)


def test_polls_of_a_leaderboard_are_kept_until_something_changes(olga, django_assert_num_queries):
    challenge = make_challenge(olga, make_corpus())
    board = f"/challenges/{challenge.slug}/training/ACT/"
    version = re.search(r'data-version="([^"]+)"', visit(board).content.decode())[1]
    poll = f"{board}live/?v={version}"
    assert visit(poll).status_code == 204
    with django_assert_num_queries(1):
        assert visit(poll).status_code == 204
    assert visit(f"{board}live/?v=0").content == visit(f"{board}live/?v=0").content != b""

    Challenge.objects.update(name="Renamed")

    assert not is_kept(poll)


def test_pages_are_made_anew_when_a_phase_opens(olga, monkeypatch):
    assert page_states.find_seconds_to_next_moment() is None
    challenge = make_challenge(olga, make_corpus())
    Phase.objects.update(opens=timezone.now() + timedelta(seconds=30), closes=timezone.now() + timedelta(days=3))
    assert 0 < page_states.find_seconds_to_next_moment() <= 30
    url = f"/challenges/{challenge.slug}/"
    visit(url)
    assert is_kept(url)
    now = kept_pages.time.monotonic
    replace_time(monkeypatch, kept_pages, monotonic=lambda: now() + 30)
    assert not is_kept(url)


def test_pages_are_made_anew_after_a_minute(article, monkeypatch):
    visit()
    now = kept_pages.time.monotonic
    replace_time(monkeypatch, kept_pages, monotonic=lambda: now() + kept_pages.MOST_SECONDS)
    assert not is_kept()


def fail(*_):
    raise OperationalError("The database has gone away.")


def test_kept_pages_are_shown_while_the_database_is_away(article, monkeypatch):
    client = Client(raise_request_exception=False)
    page = visit()
    visit(f"{URL}?text=1")
    with connection.execute_wrapper(fail):
        assert client.get(URL).content == page.content
        assert client.get(f"{URL}?kind=normalization").status_code == 503
        now = kept_pages.time.monotonic
        replace_time(monkeypatch, kept_pages, monotonic=lambda: now() + kept_pages.OUTAGE_SECONDS)
        assert client.get(URL).status_code == 503


@pytest.mark.parametrize("change", ["a takedown", "a snapshot"])
def test_what_was_found_hidden_is_not_shown_while_the_database_is_away(article, change):
    client = Client(raise_request_exception=False)
    forms = [(URL, ""), (URL, "gzip"), (f"{URL}?kind=normalization", "")]
    for url, coding in forms:
        visit(url, accept_encoding=coding)
    CHANGES[change](article)
    visit()
    with connection.execute_wrapper(fail):
        for url, coding in forms:
            assert client.get(url, headers={"accept-encoding": coding}).status_code == 503


def test_pages_used_last_are_kept_if_there_are_too_many(article, monkeypatch):
    visit()
    (size,) = [page.size for page in kept_pages._pages.values()]
    kept_pages.forget_pages()
    monkeypatch.setattr(kept_pages, "_pages", kept_pages.LRUCache(2.5 * size, getsizeof=lambda page: page.size))
    for number in range(3):
        visit(f"{URL}?kind=mention&a={number}")
    assert is_kept(f"{URL}?kind=mention&a=2")
    assert not is_kept(f"{URL}?kind=mention&a=0")


def test_the_address_of_a_page_counts_as_part_of_its_size(article):
    visit()
    before = kept_pages._pages.currsize
    visit(f"{URL}?{'a' * 3000}")
    assert kept_pages._pages.currsize > 2 * before + 2900


@pytest.fixture
def slow_making(monkeypatch):
    """Semaphores for: a page is being made, somebody waits for it, it may be finished."""
    begun, waits, goes_on = (threading.Semaphore(0) for _ in range(3))
    list_producers = article_records.list_visible_producers

    def slow(reader, **options):
        begun.release()
        assert goes_on.acquire(timeout=60)
        return list_producers(reader, **options)

    class CountedEvent(threading.Event):
        def wait(self, timeout=None):
            waits.release()
            return super().wait(60)

    monkeypatch.setattr(article_records, "list_visible_producers", slow)
    monkeypatch.setattr(pages_being_made, "threading", SimpleNamespace(Event=CountedEvent))
    return begun, waits, goes_on


def visit_in_thread(found):
    def run():
        try:
            found.append(visit().content)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("has_form", [False, True])
def test_one_thread_makes_a_page_for_all_who_ask_meanwhile(article, team, slow_making, has_form):
    begun, waits, goes_on = slow_making
    if has_form:
        new = Server.objects.create(
            **{"team": team, "name": "New", "slug": "new", "url": "http://127.0.0.1:9/", "kinds": ["taxon"]},
            **{"review": ReviewState.ACCEPTED, "state": ServerState.ONLINE},
        )
        get_or_create_queue_and_producer(new, QueueMode.LIVE)
    before, found = count_pages("made"), []
    threads = [visit_in_thread(found)]
    assert begun.acquire(timeout=60)
    threads += [visit_in_thread(found) for _ in range(3)]
    assert all(waits.acquire(timeout=60) for _ in range(3))
    goes_on.release(4)
    for thread in threads:
        thread.join(60)
    assert len(found) == 4
    assert count_pages("made") - before == (4 if has_form else 1)
    assert pages_being_made._makers == {}
    # Nobody waits for a page with a form once it is known to have one.
    assert bool(pages_being_made._unkept) == has_form


def test_nobody_waits_for_a_page_that_fails(article, monkeypatch):
    monkeypatch.setattr(article_records, "list_visible_producers", lambda *_, **__: 1 / 0)
    client = Client(raise_request_exception=False)
    assert client.get(URL).status_code == 500
    assert not pages_being_made._makers
