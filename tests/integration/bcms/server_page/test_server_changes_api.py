"""A server is changed and removed by REST, with the checks of its pages."""

import pytest

from annotations.results.storage import store_results_superseding_earlier
from servers.audit.models import AuditAction, AuditEvent
from servers.calls.models import Queue
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.forms import ServerForm
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.review.states import ReviewState
from servers.teams.models import Membership
from tests.integration.server_cast import articles

pytestmark = pytest.mark.django_db
URL = "/api/v1/servers/genedict/"


@pytest.fixture(autouse=True)
def local(settings):
    """Servers may run on this machine."""
    settings.ALLOWED_NETWORKS = ["127.0.0.0/8"]


@pytest.fixture
def live(server):
    return get_or_create_queue_and_producer(server, QueueMode.LIVE)


def patch(client, **sent):
    return client.patch(URL, sent, content_type="application/json")


def test_it_changes_what_is_sent_and_nothing_else(api, server, live):
    before = Server.objects.values().get()
    changed = patch(api, time_limit=60, url="http://127.0.0.1:8/", description="Finds genes.", calls_per_minute=30)
    assert changed.status_code == 200, changed.content
    inside = changed.json()["inside"]
    assert (inside["time_limit"], inside["url"], inside["calls_per_minute"]) == (60, "http://127.0.0.1:8/", 30)
    after = Server.objects.values().get()
    names = {name for name in after if after[name] != before[name]}
    assert names == {"time_limit", "url", "description", "calls_per_minute", "version"}
    assert patch(api).status_code == 200


def test_it_changes_the_number_of_articles_in_one_request(api, server):
    Server.objects.update(protocol="rest", batch_limit=4)
    assert patch(api, articles_per_request=8).json()["inside"]["articles_per_request"] == 8
    page = " ".join(api.get("/servers/genedict/").content.decode().split())
    assert "at most 8; 4 now, as a request with more failed" in page
    assert patch(api, articles_per_request=65).status_code == 400
    assert patch(api, articles_per_request=8, protocol="bcms").status_code == 400


def test_it_changes_the_limit_for_long_texts_and_for_connecting(api, server):
    changed = patch(api, seconds_per_1000_characters=2.5, connect_limit=5)
    inside = changed.json()["inside"]
    assert (inside["seconds_per_1000_characters"], inside["connect_limit"]) == (2.5, 5)
    page = " ".join(api.get("/servers/genedict/").content.decode().split())
    assert "600 s per article, and 2.5 s for each 1,000 characters; 5 s to connect" in page
    assert patch(api, seconds_per_1000_characters="nan").status_code == 400
    assert patch(api, connect_limit=61).status_code == 400
    assert patch(api, seconds_per_1000_characters=None, connect_limit=None).status_code == 200
    stored = Server.objects.get()
    assert (stored.seconds_per_1000_characters, stored.connect_limit) == (None, None)


def test_it_changes_kinds_and_types_of_entities_and_asks_for_another_review(api, server):
    Server.objects.update(review=ReviewState.ACCEPTED)
    changed = patch(api, kinds=["mention", "relation"], entity_types=["GENE", " disease ", "Gene", "Foo bar"])
    assert changed.status_code == 200, changed.content
    shown = changed.json()
    assert (shown["kinds"], shown["entity_types"]) == (["mention", "relation"], ["Gene", "Disease", "Foo bar"])
    assert shown["review"] == ReviewState.UNREVIEWED
    page = api.get("/servers/genedict/").content.decode()
    assert "<dt>Entity types</dt><dd>Gene, Disease, Foo bar</dd>" in page
    Server.objects.update(review=ReviewState.ACCEPTED)
    assert patch(api, entity_types=["Disease", "gene", "Foo bar"], time_limit=5).json()["review"] == "accepted"
    assert patch(api, entity_types=[]).json()["review"] == "unreviewed"
    assert patch(api, entity_types=["x" * 65]).status_code == 400
    assert patch(api, entity_types=[f"x{number}" for number in range(33)]).status_code == 400


def test_it_removes_limits_and_parameters(api, server):
    Server.objects.update(calls_per_minute=5, largest_text=1000, custom_parameters={"model": "large"}, description="x")
    sent = {"calls_per_minute": None, "largest_text": None, "custom_parameters": {}, "description": ""}
    assert patch(api, **sent).status_code == 200
    stored = Server.objects.get()
    assert (stored.calls_per_minute, stored.largest_text, stored.custom_parameters) == (None, None, {})


@pytest.mark.parametrize(
    ("sent", "field", "message"),
    [
        ({"url": "ftp://example.org/"}, "url", "https://example.org/annotate"),
        ({"time_limit": 601}, "time_limit", "600"),
        ({"kinds": []}, "kinds", "empty"),
        ({"kinds": ["mentions"]}, "kinds.0", "is not a kind of annotation"),
        ({"method": "a method"}, "method", "a character that XML-RPC does not allow"),
        ({"name": ""}, "name", "blank"),
        ({"protocol": "soap"}, "protocol", "is not a valid choice"),
    ],
)
def test_it_refuses_what_the_form_refuses(api, server, sent, field, message):
    before = Server.objects.values().get()
    refused = patch(api, **sent)
    [error] = refused.json()["errors"]
    assert (refused.status_code, error["loc"], message in error["message"]) == (400, field, True)
    assert Server.objects.values().get() == before


def test_a_new_name_is_that_of_its_results(api, server, live):
    assert patch(api, name="GeneDict 2").status_code == 200
    assert Queue.objects.get().producer.name == "GeneDict 2"
    assert AuditEvent.objects.get(action=AuditAction.SERVER_CHANGED).after == {"name": "GeneDict 2"}


def test_its_types_are_those_of_its_results(api, server, live):
    """The disagreement of an article counts servers by the types that they look for."""
    assert patch(api, entity_types=["genes", "Chemical"]).status_code == 200
    assert Queue.objects.get().producer.entity_types == ["Gene", "Chemical"]
    training = get_or_create_queue_and_producer(Server.objects.get(), QueueMode.TRAINING, "demo")
    assert training.producer.entity_types == ["Gene", "Chemical"]


def test_another_host_returns_it_to_review(api, server, live, settings):
    assert patch(api, time_limit=5).json()["review"] == "accepted"
    assert patch(api, url="http://127.0.0.2:9/").json()["review"] == "unreviewed"


def test_two_changes_at_the_same_time_do_not_undo_each_other(server, live):
    forms = []
    for changes in ({"time_limit": 60}, {"name": "Other", "url": "http://127.0.0.1:7/"}):
        form = ServerForm(
            {"time_limit": 600, "name": server.name, "url": server.url, "kinds": server.kinds}
            | {"protocol": server.protocol, "method": server.method, "send": server.send}
            | changes,
            instance=Server.objects.get(),
        )
        assert form.is_valid(), form.errors
        forms.append(form)
    for form in forms:
        form.store()
    stored = Server.objects.get()
    assert (stored.time_limit, stored.name, stored.url) == (60, "Other", "http://127.0.0.1:7/")


@pytest.mark.parametrize(("who", "status"), [(None, 401), ("carol", 403), ("olga", 403), ("member", 403)])
def test_only_managers_change_or_remove_it(client, server, team, request, django_user_model, who, status):
    if who == "member":
        user = django_user_model.objects.create_user("mia", "mia@example.org", "a-long-password")
        Membership.objects.create(team=team, user=user, role="member")
        client.force_login(user)
    elif who:
        client.force_login(request.getfixturevalue(who))
    assert (patch(client, time_limit=5).status_code, client.delete(URL).status_code) == (status, status)
    assert Server.objects.get().time_limit == 600


def test_one_that_others_may_not_see_is_unknown(client, carol, server):
    Server.objects.update(review="private")
    client.force_login(carol)
    unknown = client.patch("/api/v1/servers/unknown/", {}, content_type="application/json").status_code
    assert (patch(client, time_limit=5).status_code, client.delete(URL).status_code, unknown) == (404, 404, 404)


def test_it_is_removed_once_it_is_stopped(api, server, live):
    Server.objects.update(state=ServerState.ONLINE)
    refused = api.delete(URL)
    assert (refused.status_code, refused.json()["detail"]) == (409, "GeneDict is online. Stop it first.")
    Server.objects.update(state=ServerState.OFFLINE)
    assert api.delete(URL).status_code == 204
    assert (api.get(URL).status_code, Server.objects.count()) == (404, 0)


def test_one_with_results_is_kept(api, server, live):
    [article] = articles(20000001, 1)
    store_results_superseding_earlier(article, live.producer, dict.fromkeys(server.registered_kinds, ()))
    refused = api.delete(URL)
    assert (refused.status_code, "results are kept" in refused.json()["detail"]) == (409, True)
