"""Servers by REST: what everybody sees, what the team sees and does, and what nobody else may."""

import base64

import pytest
from django.test import Client

from annotations.articles.models import Corpus, CorpusArticle
from evaluation.visibility import ANONYMOUS_READER
from servers.calls.models import Attempt, AttemptBody, Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.teams.models import Membership, Team
from tests.integration.evaluation_cast import hide_article

ACTIONS = ["start", "halt", "halt-hard", "load"]
INSIDES = ["calls/", "attempts/", "attempts/1/"]
NEW = {
    "team": "team-alpha",
    "name": "Species Finder",
    "url": "http://127.0.0.1:9000/xmlrpc",
    "kinds": ["taxon"],
    "description": "Finds species by name.",
}


@pytest.fixture
def call(server, article):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    return queue.calls.get()


@pytest.fixture
def attempt(call):
    made = Attempt.objects.create(
        call=call,
        server=call.server,
        number=1,
        outcome="invalid",
        diagnosis="offset",
        message="The offset is wrong.",
        phases={"wait": 0.25},
        broken_rules=[{"code": "R101", "where": "mentions[0].offset", "message": "It is wrong.", "mend": "Count."}],
    )
    AttemptBody.objects.create(
        attempt=made,
        started=made.started,
        request=b"POST / HTTP/1.1\r\nAuthorization: Basic c2VjcmV0\r\n\r\n<methodCall/>",
        answer=b"<methodResponse/>\xff",
    )
    return made


def get(client, path, **query):
    response = client.get(f"/api/v1/{path}", query)
    assert response.status_code == 200, response.content
    return response.json()


def post(client, path, sent=None):
    return client.post(f"/api/v1/{path}", sent or {}, content_type="application/json")


def test_it_lists_servers_for_everybody(client, server, call):
    body = get(client, "servers/")
    [listed] = body["results"]
    assert (listed["slug"], listed["team"]["name"], listed["state"]) == ("genedict", "Team Alpha", "offline")
    assert listed["kinds"] == ["mention", "normalization"]
    assert (listed["live"]["waiting"], listed["live"]["total"]) == (1, 1)
    assert "url" not in listed
    assert "127.0.0.1" not in str(listed)


@pytest.mark.parametrize("who", [None, "carol", "olga"])
def test_it_keeps_the_inside_from_others(client, server, call, attempt, request, who):
    if who:
        client.force_login(request.getfixturevalue(who))
    body = get(client, "servers/genedict/")
    assert body["inside"] is None
    assert server.url not in str(body)
    for path in INSIDES:
        assert client.get(f"/api/v1/servers/genedict/{path}").status_code == (403 if who else 401)


@pytest.mark.parametrize("who", [None, "carol", "olga"])
def test_it_lets_nobody_else_press_the_buttons(client, server, request, who):
    if who:
        client.force_login(request.getfixturevalue(who))
    for action in ACTIONS:
        assert post(client, f"servers/genedict/{action}/").status_code == (403 if who else 401)
    server.refresh_from_db()
    assert server.state == "offline"


def test_it_shows_the_inside_to_the_team(api, server, call):
    inside = get(api, "servers/genedict/")["inside"]
    assert (inside["url"], inside["send"], inside["time_limit"]) == ("http://127.0.0.1:9/", "struct", 600)
    [queue] = inside["queues"]
    assert (queue["mode"], queue["state"], queue["waiting"]) == ("live", "running", 1)


def test_it_registers_a_server(api, alice):
    response = post(api, "servers/", NEW)
    assert response.status_code == 201, response.content
    body = response.json()
    assert (body["slug"], body["state"], body["inside"]["method"]) == (
        "species-finder",
        "offline",
        "Annotator.getAnnotation",
    )
    server = Server.objects.get(slug="species-finder")
    assert (server.team.slug, server.kinds, server.time_limit) == ("team-alpha", ["taxon"], 600)


def test_it_asks_a_server_that_was_only_registered_and_started(api, article, alice):
    post(api, "servers/", NEW)
    post(api, "servers/species-finder/start/")
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER) == 0
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, alice) == 1


def test_it_registers_by_basic_authentication(db, alice, team):
    log_in = base64.b64encode(b"alice:a-long-password").decode()
    client = Client(enforce_csrf_checks=True, headers={"Authorization": f"Basic {log_in}"})
    assert post(client, "servers/", NEW).status_code == 201


def test_it_does_not_take_a_session_without_its_csrf_token(db, alice, team):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert post(client, "servers/", NEW).status_code == 403
    assert not Server.objects.exists()


@pytest.mark.parametrize("team_slug", ["team-beta", "nobody", ""])
def test_it_registers_for_ones_own_team_only(api, team_slug):
    Team.objects.create(name="Team Beta", slug="team-beta")
    response = post(api, "servers/", {**NEW, "team": team_slug})
    assert response.status_code == 400
    assert response.json()["errors"][0]["loc"] == "team"
    assert not Server.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", "ftp://example.org/"),
        ("url", "nonsense"),
        ("kinds", []),
        ("method", "no spaces"),
        ("time_limit", 601),
        ("time_limit", 0),
        ("name", ""),
        ("protocol", "gopher"),
    ],
)
def test_it_refuses_a_wrong_registration(api, field, value):
    response = post(api, "servers/", {**NEW, field: value})
    assert response.status_code == 400
    assert response.json()["errors"][0]["loc"] == field
    assert not Server.objects.exists()


def test_it_names_the_kinds_to_whoever_sends_another(api):
    [error] = post(api, "servers/", {**NEW, "kinds": ["taxons"]}).json()["errors"]
    assert error["message"].startswith(
        "“taxons” is not a kind of annotation. The kinds are mention, normalization, taxon,"
    )


def test_it_starts_and_halts(api, server):
    assert post(api, "servers/genedict/start/").json()["state"] == "online"
    assert post(api, "servers/genedict/start/").status_code == 409
    assert post(api, "servers/genedict/halt/").json()["state"] == "offline"
    assert post(api, "servers/genedict/start/").status_code == 200
    assert post(api, "servers/genedict/halt-hard/").json()["state"] == "offline"
    assert post(api, "servers/genedict/halt-hard/").status_code == 409


def test_it_loads_articles_by_pmid(api, server, article):
    assert post(api, "servers/genedict/load/", {"pmids": [10000001]}).json() == {"added": 1, "waiting": 0}
    assert post(api, "servers/genedict/load/", {"pmids": [10000001]}).json() == {"added": 0, "waiting": 1}
    assert Call.objects.get().queue.mode == "live"


def test_it_loads_a_corpus(api, server, article):
    corpus = Corpus.objects.create(slug="reading", name="Reading")
    CorpusArticle.objects.create(corpus=corpus, article=article, position=0)
    assert post(api, "servers/genedict/load/", {"corpus": "reading"}).json()["added"] == 1


def test_it_does_not_load_what_is_blind(api, server, article):
    hide_article(article, Corpus.objects.create(slug="blind", name="Blind", blind=True))
    for sent in ({"corpus": "blind"}, {"pmids": [10000001]}):
        assert post(api, "servers/genedict/load/", sent).status_code == 400
    assert not Call.objects.exists()


@pytest.mark.parametrize("pmids", [[4711], [-1], ["x"], "x", [10**30]])
def test_it_refuses_pmids_that_are_none(api, server, article, pmids):
    response = post(api, "servers/genedict/load/", {"pmids": pmids})
    assert response.status_code == 400
    assert response.json()["errors"][0]["loc"].startswith("pmids")


def test_it_lists_calls_to_the_team(api, server, call):
    [listed] = get(api, "servers/genedict/calls/")["results"]
    assert (listed["article"], listed["mode"], listed["state"]) == ("10000001", "live", "waiting")
    assert get(api, "servers/genedict/calls/", state="failed")["results"] == []
    assert api.get("/api/v1/servers/genedict/calls/", {"state": "lost"}).status_code == 400


def test_it_pages_through_calls_by_cursor(api, server, article):
    for name in ("one", "two", "three"):
        contents.enqueue_articles_without_open_or_test_call(
            contents.get_or_create_queue_and_producer(server, QueueMode.TRAINING, name), [article.pk]
        )
    first = get(api, "servers/genedict/calls/", limit="2")
    assert [call["queue"] for call in first["results"]] == ["three", "two"]
    last = api.get(first["next"]).json()
    assert ([call["queue"] for call in last["results"]], last["next"]) == (["one"], None)
    assert api.get("/api/v1/servers/genedict/calls/", {"cursor": "nonsense"}).status_code == 400


def test_it_calls_blind_articles_by_their_opaque_id(api, server, article, call, attempt):
    hide_article(article, Corpus.objects.create(slug="blind", name="Blind", blind=True))
    for path in ("calls/", "attempts/"):
        body = get(api, f"servers/genedict/{path}")
        assert body["results"][0]["article"] == article.opaque
        assert "10000001" not in str(body)
    assert get(api, f"servers/genedict/attempts/{attempt.pk}/")["article"] == article.opaque


def test_it_calls_the_articles_of_a_test_by_the_id_that_was_sent(api, server, article):
    contents.enqueue_articles_without_open_or_test_call(
        contents.get_or_create_queue_and_producer(server, QueueMode.TEST, "example"), [article.pk]
    )
    assert get(api, "servers/genedict/calls/")["results"][0]["article"] == article.opaque


def test_it_masks_secrets_in_the_reason_of_a_call(api, server, call):
    Call.objects.update(reason="The server raised fault 1: http://u/?api_key=abc123")
    assert "abc123" not in get(api, "servers/genedict/calls/")["results"][0]["reason"]


def test_it_tells_the_team_how_an_attempt_went(api, attempt):
    [listed] = get(api, "servers/genedict/attempts/")["results"]
    assert (listed["outcome"], listed["diagnosis"], listed["phases"]) == ("invalid", "offset", {"wait": 0.25})
    assert "answer" not in listed
    body = get(api, f"servers/genedict/attempts/{attempt.pk}/")
    assert body["broken_rules"][0]["code"] == "R101"
    assert body["answer"] == "<methodResponse/>\N{REPLACEMENT CHARACTER}"
    assert "c2VjcmV0" not in body["request"]
    assert "<methodCall/>" in body["request"]


def test_it_lists_the_parts_of_an_answer_that_are_not_stored(api, attempt):
    assert get(api, f"servers/genedict/attempts/{attempt.pk}/")["omitted"] == {"count": 0, "parts": []}
    omitted = {"count": 300, "parts": [{"where": "answer.<b>model</b>", "reason": "No such value."}]}
    Attempt.objects.update(omitted=omitted)
    assert get(api, f"servers/genedict/attempts/{attempt.pk}/")["omitted"] == omitted
    page = api.get(f"/servers/genedict/attempts/{attempt.pk}/").content.decode()
    assert "300 in all, in 1 row." in page
    assert "answer.&lt;b&gt;model&lt;/b&gt;" in page
    assert "No such value." in page


def test_it_does_not_show_an_attempt_of_another_server(api, team, attempt):
    Server.objects.create(
        review="accepted", team=team, name="Other", slug="other", url="http://127.0.0.1:9/", kinds=["mention"]
    )
    assert api.get(f"/api/v1/servers/other/attempts/{attempt.pk}/").status_code == 404


def test_it_shows_ones_own_teams(api, client, server, carol):
    [own] = get(api, "teams/")["results"]
    assert own["members"] == [{"user": "alice", "role": "manager"}]
    assert own["servers"] == [{"slug": "genedict", "name": "GeneDict", "state": "offline"}]
    client.force_login(carol)
    assert get(client, "teams/")["results"] == []
    client.logout()
    assert client.get("/api/v1/teams/").status_code == 401


# Of these, 2 find the session and its user; asking for the inside takes 2 more.
@pytest.mark.parametrize(
    ("path", "queries"),
    [
        ("servers/", 9),
        ("servers/genedict/", 12),
        ("servers/genedict/calls/", 5),
        ("servers/genedict/attempts/", 5),
        ("teams/", 6),
    ],
)
def test_it_takes_the_same_number_of_queries_however_much_there_is(
    api, team, server, attempt, article, carol, django_assert_num_queries, path, queries
):
    Membership.objects.create(team=team, user=carol)
    for number in range(5):
        more = Server.objects.create(
            review="accepted", team=team, name=f"S{number}", slug=f"s{number}", url="http://x/", kinds=["mention"]
        )
        contents.get_or_create_queue_and_producer(more, QueueMode.LIVE)
        contents.enqueue_articles_without_open_or_test_call(
            contents.get_or_create_queue_and_producer(server, QueueMode.TRAINING, f"phase {number}"), [article.pk]
        )
        Attempt.objects.create(call=attempt.call, server=attempt.server, number=number + 2)
    with django_assert_num_queries(queries):
        get(api, path)
