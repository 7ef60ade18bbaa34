"""Errors of the API are problem details that a person can read and a program can tell apart."""

import base64

import pytest

from bcms.lib.rest.problems import iter_validation_faults
from servers.registry.models import Server


def problem(response):
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert set(body) == {"type", "title", "status", "detail", "instance", "code", "errors"}
    assert body["status"] == response.status_code
    return body


def test_it_says_that_nothing_is_there(client, db):
    body = problem(client.get("/api/v1/articles/4711/"))
    assert body["status"] == 404
    assert body["code"] == "not-found"
    assert body["instance"] == "/api/v1/articles/4711/"
    assert body["detail"].endswith("check the identifier in it.")


def test_it_says_which_choices_there_are(api, team):
    sent = {"team": team.slug, "name": "New", "url": "http://127.0.0.1:9/", "kinds": ["mention"], "send": "pdf"}
    body = problem(api.post("/api/v1/servers/", sent, content_type="application/json"))
    (fault,) = body["errors"]
    assert (fault["loc"], fault["code"]) == ("send", "invalid-choice")
    assert fault["message"] == "“pdf” is not a valid choice; send one of: pmid, text, struct."


@pytest.mark.parametrize("address", ["nonsense/", "articles/a/b/c/", "articles/%00/", "a%0Ab/"])
def test_it_answers_unknown_addresses_with_a_problem(client, db, address):
    body = problem(client.get(f"/api/v1/{address}"))
    assert (body["status"], body["code"]) == (404, "not-found")
    assert "/api/v1/docs/" in body["detail"]


def test_it_asks_who_does_not_say_who_he_is(client, server):
    response = client.post("/api/v1/servers/genedict/start/")
    body = problem(response)
    assert (body["status"], body["code"]) == (401, "not-authenticated")
    assert response["WWW-Authenticate"].startswith("Basic")


def test_it_refuses_a_wrong_password(client, alice):
    wrong = base64.b64encode(b"alice:wrong").decode()
    body = problem(client.get("/api/v1/teams/", headers={"Authorization": f"Basic {wrong}"}))
    assert (body["status"], body["code"]) == (401, "authentication-failed")


def test_it_names_the_team_that_may(client, server, carol):
    client.force_login(carol)
    body = problem(client.post("/api/v1/servers/genedict/start/"))
    assert (body["status"], body["code"]) == (403, "permission-denied")
    assert body["detail"] == "Only members of Team Alpha may do this with GeneDict."


def test_it_refuses_a_method_that_the_address_does_not_have(client, db):
    body = problem(client.delete("/api/v1/articles/"))
    assert (body["status"], body["code"]) == (401, "not-authenticated")
    body = problem(client.post("/api/v1/challenges/"))
    assert body["status"] == 401


def test_it_tells_a_method_that_the_address_does_not_have(api):
    body = problem(api.delete("/api/v1/articles/"))
    assert (body["status"], body["code"]) == (405, "method-not-allowed")


def test_it_refuses_what_is_not_json(api):
    body = problem(api.post("/api/v1/servers/", "{", content_type="application/json"))
    assert (body["status"], body["code"]) == (400, "parse-error")
    assert "JSON" in body["detail"]


def test_it_lists_every_fault_with_its_place(api):
    sent = {"team": "team-alpha", "name": "X", "url": "https://example.org/", "kinds": ["mention", "verb"]}
    body = problem(api.post("/api/v1/servers/", sent, content_type="application/json"))
    assert (body["status"], body["code"]) == (400, "invalid-request")
    [fault] = body["errors"]
    assert (fault["loc"], fault["code"]) == ("kinds.1", "invalid-choice")
    assert "“verb”" in fault["message"]
    assert body["detail"] == "The request has 1 fault, in kinds.1; see errors."


def test_it_says_what_concerns_the_whole_request_in_the_detail(api, server):
    body = problem(api.post("/api/v1/servers/genedict/load/", {}, content_type="application/json"))
    assert body["detail"] == "Either select a corpus or enter PMIDs."
    assert body["errors"][0]["loc"] == ""


def test_it_tells_the_state_that_is_in_the_way(api, server):
    body = problem(api.post("/api/v1/servers/genedict/halt/"))
    assert (body["status"], body["code"]) == (409, "wrong-state")
    assert body["detail"] == "GeneDict is offline: it cannot be stopped."


def test_it_calls_our_own_fault_ours(api, server, monkeypatch, caplog):
    def fail(self):
        raise RuntimeError("secret inside")

    monkeypatch.setattr(Server, "__str__", fail)
    response = api.post("/api/v1/servers/genedict/halt/")
    body = problem(response)
    assert (body["status"], body["code"]) == (500, "our-fault")
    assert "secret" not in response.content.decode()
    assert "RuntimeError: secret inside" in caplog.text


def test_it_finds_messages_however_deep_they_lie():
    told = {"a": [{"b": ["wrong"]}, {}], "non_field_errors": ["as a whole"]}
    assert [(fault.loc, fault.message) for fault in iter_validation_faults(told)] == [
        ("a.0.b", "wrong"),
        ("", "as a whole"),
    ]
