"""Pages, the API and XML-RPC while the database is away or has stopped: 503, soon, and as before when it is back."""

import pytest
from django.conf import settings as site_settings
from django.db import close_old_connections, connection
from django.http import HttpResponse, StreamingHttpResponse

from bcms.database.known_outage import known_outage
from bcms.database.reply_limits import get_limit_of_thread, set_limit_of_thread
from bcms.middleware.database_waits import DatabaseWaitMiddleware
from tests.relay import Relay

# Above what a busy machine needs for a statement of a page.
SECONDS = 1.5


@pytest.fixture
def relay(transactional_db):
    """Between Django and the database, to which this thread connects like one of the site."""
    set_limit_of_thread(60)
    database = site_settings.DATABASES["default"]
    relay = Relay(database["HOST"], database["PORT"])
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict |= {"HOST": "127.0.0.1", "PORT": relay.port}
    yield relay
    relay.close()
    connection.close()
    connection.settings_dict |= before
    known_outage.record_success()
    set_limit_of_thread(None)


@pytest.fixture
def visitor(client, monkeypatch):
    """It begins requests as the site does, and gets the page of an error that a test would see as an exception."""
    send = client.request

    def request(**environ):
        close_old_connections()
        return send(**environ)

    monkeypatch.setattr(client, "request", request)
    client.raise_request_exception = False
    return client


def is_calm_page(response):
    assert (response.status_code, response.headers["Retry-After"]) == (503, "10")
    assert response.headers["Content-Type"].startswith("text/html")
    return "Back in a moment" in response.content.decode()


def is_problem(response, path):
    assert (response.status_code, response.headers["Retry-After"]) == (503, "10")
    assert response.headers["Content-Type"] == "application/problem+json"
    problem = response.json()
    return (problem["status"], problem["code"], problem["instance"]) == (503, "unavailable", path)


def test_it_answers_503_while_the_database_is_away(relay, visitor, alice, article):
    visitor.force_login(alice)
    page, resource = f"/articles/{article.pmid}/", f"/api/v1/articles/{article.pmid}/"
    assert visitor.get(page).status_code == visitor.get(resource).status_code == 200
    relay.close()

    for path in ("/", page, "/servers/", "/account/", "/curation/"):
        assert is_calm_page(visitor.get(path)), path
    assert is_calm_page(visitor.post("/xmlrpc/", "<methodCall/>", content_type="text/xml"))
    assert is_problem(visitor.get(resource), resource)
    assert is_problem(visitor.post("/api/v1/servers/", {}, content_type="application/json"), "/api/v1/servers/")
    health = visitor.get("/healthz")
    assert (health.status_code, health.json()["database"]) == (503, "unreachable")


def test_it_gives_up_a_database_that_has_stopped_and_goes_on_with_it(relay, visitor, article, settings, monkeypatch):
    page = f"/articles/{article.pmid}/"
    settings.DATABASE_SECONDS = 60.0
    shown = visitor.get(page)
    assert shown.status_code == 200
    settings.DATABASE_SECONDS = SECONDS
    relay.pause()

    # The open connection does not answer, and a new one is not made.
    assert is_calm_page(visitor.get("/servers/"))
    assert visitor.get(page).content == shown.content
    assert is_calm_page(visitor.get(f"{page}?kind=mention"))
    relay.resume()
    monkeypatch.setattr(known_outage, "next_attempt", 0.0)
    settings.DATABASE_SECONDS = 60.0
    assert visitor.get(page).status_code == 200


@pytest.mark.parametrize(
    ("method", "streaming", "limits"), [("GET", False, (4, 4)), ("POST", False, (60, 60)), ("GET", True, (4, 60))]
)
def test_what_writes_or_streams_may_take_longer(rf, settings, method, streaming, limits):
    settings.DATABASE_SECONDS = 4
    seen = []

    def respond(request):
        seen.append(get_limit_of_thread())
        return StreamingHttpResponse([]) if streaming else HttpResponse()

    DatabaseWaitMiddleware(respond)(rf.generic(method, "/"))

    assert (*seen, get_limit_of_thread()) == limits
