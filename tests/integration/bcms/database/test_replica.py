"""A real replica answers what it may, when it has all that the primary has; else the primary does."""

import os
from importlib.metadata import version
from urllib.parse import urlsplit

import pytest
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations.articles.models import Article, ArticleTakedown
from bcms.accounts.scopes import Scope
from bcms.accounts.tokens import create_api_token_including_read_scope
from bcms.checks.replica import check_replica
from bcms.database import replica
from bcms.local.postgres import WHEEL
from bcms.metrics.replica import REQUESTS
from bcms.middleware import replica as replica_middleware
from bcms.visitor_pages import pages_being_made
from tests.acceptance import page_table
from tests.acceptance.whole_site import make_site
from tests.relay import Relay
from tests.standby import control_replay, run_standby

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "replica"])

URL = "/articles/10000001/"
REST = "/api/v1/articles/10000001/"


@pytest.fixture(scope="module")
def standby(django_db_setup, django_db_blocker, tmp_path_factory):
    """The port of a replica of the test database, which Django leaves alone after tests."""
    # Nobody has asked for the version before if a browser has started and no test has used the database since.
    with django_db_blocker.unblock():
        database_version = connection.pg_version // 10_000
    if database_version != int(version(WHEEL).partition(".")[0]):
        pytest.skip("DATABASE_URL leads to a PostgreSQL of another version, which these programs cannot copy")
    with run_standby(tmp_path_factory.mktemp("standby")) as port:
        connections.settings[replica.REPLICA] = connection.settings_dict | {"TEST": {"MIRROR": "default"}}
        yield port
        del connections.settings[replica.REPLICA]


@pytest.fixture
def relay(standby, transactional_db, monkeypatch):
    """Between Django and the replica, which is in use and may take its time."""
    relay = Relay("127.0.0.1", standby)
    given = connection.settings_dict
    # Other than that of a site, the test database loses what it has written last when it crashes.
    options = {"options": f"{given['OPTIONS']['options']} -c synchronous_commit=on"}
    connection.close()
    monkeypatch.setitem(given, "OPTIONS", options)
    own = connections[replica.REPLICA].settings_dict
    for name, value in {"HOST": "127.0.0.1", "PORT": relay.port, "OPTIONS": options}.items():
        monkeypatch.setitem(own, name, value)
    monkeypatch.setattr(replica, "CATCH_UP_SECONDS", 60.0)
    forget_outage(monkeypatch)
    yield relay
    connections[replica.REPLICA].close()
    relay.close()
    connection.close()


@pytest.fixture
def article(relay, article):
    return article


def count_answers():
    return {name: REQUESTS.labels(name)._value.get() for name in ("replica", "primary", "primary after failure")}


def visit(url, client=None, **headers):
    """The response, and which database has answered."""
    before = count_answers()
    response = (client or Client()).get(url, headers=headers)
    if response.streaming:
        response.content_as_read = b"".join(response.streaming_content)
    after = count_answers()
    return response, [name for name, number in after.items() for _ in range(int(number - before[name]))]


def forget_outage(monkeypatch):
    """As if the second were over in which the replica is left alone."""
    monkeypatch.setattr(replica, "_outage", replica.KnownOutage())


@pytest.mark.parametrize("url", [URL, REST, "/articles/?q=cadherin", "/api/v1/export/bioc-json/?q=cadherin"])
def test_the_replica_answers_what_visitors_read(article, url):
    with CaptureQueriesContext(connections[replica.REPLICA]) as asked, CaptureQueriesContext(connection) as primary:
        response, answers = visit(url)
    assert (response.status_code, answers) == (200, ["replica"])
    assert len(asked) > 1
    # How far it has written, and of an article whether a page of it was kept.
    assert 1 <= len(primary) <= 3


def test_an_export_is_read_from_the_replica_to_its_end(article):
    with CaptureQueriesContext(connection) as primary:
        response, answers = visit("/api/v1/export/bioc-json/")
    assert answers == ["replica"]
    assert str(article.pmid).encode() in response.content_as_read
    assert not [query for query in primary.captured_queries if "annotations_article" in query["sql"]]


def test_what_was_hidden_a_moment_ago_is_hidden_while_the_replica_is_behind(article, standby, monkeypatch):
    assert visit(URL)[1] == ["replica"]
    control_replay(standby, "pg_wal_replay_pause")
    try:
        ArticleTakedown.objects.create(article=article, reason="By mistake.")
        monkeypatch.setattr(replica, "CATCH_UP_SECONDS", 0.01)
        response, answers = visit(URL)
        assert (response.status_code, answers) == (404, ["primary"])
    finally:
        control_replay(standby, "pg_wal_replay_resume")
    monkeypatch.setattr(replica, "CATCH_UP_SECONDS", 60.0)
    forget_outage(monkeypatch)
    response, answers = visit(URL)
    assert (response.status_code, answers) == (404, ["replica"])


def test_the_primary_answers_while_the_replica_is_away(article, relay, monkeypatch):
    relay.close()
    for _ in range(2):
        response, answers = visit(URL + "live/")
        assert (response.status_code, answers) == (200, ["primary"])


def test_a_replica_that_stops_delays_a_page_once(article, relay, settings, monkeypatch):
    assert visit(URL + "live/")[1] == ["replica"]
    monkeypatch.setattr(replica, "REPLY_SECONDS", 0.3)
    relay.pause()
    response, answers = visit(URL + "live/")
    assert (response.status_code, answers) == (200, ["primary"])
    relay.resume()
    forget_outage(monkeypatch)
    assert visit(URL + "live/")[1] == ["replica"]


@pytest.mark.parametrize("url", [URL, REST])
def test_a_replica_that_fails_in_the_middle_is_replaced_by_the_primary(article, relay, monkeypatch, url):
    monkeypatch.setattr(replica_middleware, "is_replica_current", lambda: True)
    relay.close()
    client = Client(raise_request_exception=False)
    response, answers = visit(url, client)
    assert (response.status_code, answers) == (200, ["replica", "primary after failure"])
    # Nobody waits for the page any more, which is kept.
    assert not pages_being_made._makers
    assert visit(url, client)[1] == ([] if url == URL else ["replica", "primary after failure"])


def test_a_request_that_is_answered_anew_counts_once(article, relay, monkeypatch, settings):
    settings.API_PER_MINUTE_ADDRESS = 1
    monkeypatch.setattr(replica_middleware, "is_replica_current", lambda: True)
    relay.close()
    client = Client(raise_request_exception=False)
    assert visit(REST, client)[0].status_code == 200
    assert visit(REST, client)[0].status_code == 429


def test_a_stream_from_the_replica_holds_no_transaction_of_a_pooler(article, monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "POOLED", True)
    with CaptureQueriesContext(connection) as primary:
        assert visit("/api/v1/export/bioc-json/")[1] == ["replica"]
    assert not [query for query in primary.captured_queries if query["sql"] == "BEGIN"]


def test_a_replica_that_follows_a_former_primary_is_left_alone(article, standby, monkeypatch, tmp_path):
    """It has a later position, but of a log that the database of the site does not have."""
    pk = article.pk
    with run_standby(tmp_path) as port, monkeypatch.context() as promoted:
        control_replay(port, "pg_promote")
        # Of which it writes more than the new one.
        for name in ("Former", "Nature"):
            Article.objects.update(journal=name)
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_switch_wal()")
        assert visit(URL)[1] == ["replica"]
        connection.close()
        promoted.setattr(replica, "CATCH_UP_SECONDS", 0.01)
        promoted.setitem(connection.settings_dict, "PORT", port)
        try:
            ArticleTakedown.objects.create(article_id=pk, reason="By mistake.")
            response, answers = visit(URL)
            assert (response.status_code, answers) == (404, ["primary"])
        finally:
            connection.close()


def test_a_database_that_replays_nothing_is_no_replica(article, relay, monkeypatch):
    port = urlsplit(os.environ["DATABASE_URL"]).port
    monkeypatch.setitem(connections[replica.REPLICA].settings_dict, "PORT", port)
    monkeypatch.setattr(replica, "CATCH_UP_SECONDS", 0.01)
    assert visit(URL)[1] == ["primary"]
    assert [each.id for each in check_replica(None, ["default"])] == ["bcms.E011"]


def test_the_check_accepts_a_replica_of_the_database_and_one_that_is_away(relay):
    assert check_replica(None, ["default"]) == check_replica(None, None) == []
    connections[replica.REPLICA].close()
    relay.close()
    assert [each.id for each in check_replica(None, ["default"])] == ["bcms.W014"]


def test_persons_read_the_primary_but_for_searches_and_exports(article, alice):
    client = Client()
    client.force_login(alice)
    assert visit(URL, client)[1] == visit("/account/", client)[1] == visit(REST, client)[1] == []
    with CaptureQueriesContext(connections[replica.REPLICA]) as asked:
        assert visit("/articles/?q=cadherin", client)[1] == ["replica"]
    assert not [query for query in asked.captured_queries if "django_session" in query["sql"]]
    token = create_api_token_including_read_scope(alice, "own", [Scope.READ])
    authorized = {"Authorization": f"Bearer {token}"}
    assert visit("/api/v1/entries/?q=cdh1", **authorized)[1] == []
    assert visit("/api/v1/export/bioc-json/", **authorized)[1] == ["replica"]


def test_nothing_is_sent_to_the_replica_but_reading(relay, article, client):
    before = count_answers()
    client.post(URL + "ask/")
    assert count_answers() == before


def test_each_page_comes_from_the_replica_as_from_the_primary(relay, server, alice, olga, django_user_model):
    """None of them writes, locks, or makes a temporary table: a replica refuses that."""
    site = make_site(server, alice, olga, django_user_model.objects.create_user)
    visits = [
        (name, address)
        for name, rows in page_table.pages(site).items()
        for who, address in rows
        if who == "visitor" and name in replica_middleware.REPLICA_URLS
    ]
    found = {address: visit(address)[1] for name, address in visits}
    assert found == {address: ["replica"] for _, address in visits}
    assert {"article", "leaderboard", "search", "server", "home"} <= {name for name, _ in visits}
