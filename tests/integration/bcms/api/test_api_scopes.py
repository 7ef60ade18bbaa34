"""A token opens what its owner ticked, and the API says which scope it lacks."""

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver

from bcms.accounts import tokens
from bcms.accounts.models import ApiToken
from bcms.accounts.scopes import SELECTABLE_SCOPES, Scope
from bcms.api.scopes import SCOPE_BY_WRITING_URL

pytestmark = pytest.mark.django_db

WRITES = {"post", "put", "patch", "delete"}


def api_addresses(resolver=None):
    """(name, methods) of every address of the API."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if not isinstance(pattern, URLPattern):
            yield from api_addresses(pattern)
        elif (pattern.name or "").startswith("api-") and hasattr(pattern.callback, "cls"):
            yield pattern.name, {method for method in WRITES if hasattr(pattern.callback.cls, method)}


def program(user, *scopes):
    return Client(
        headers={"Authorization": f"Bearer {tokens.create_api_token_including_read_scope(user, 'nightly', scopes)}"}
    )


def test_it_knows_the_scope_of_every_address_that_writes():
    assert {name for name, methods in api_addresses() if methods} == SCOPE_BY_WRITING_URL.keys()


def test_it_lets_every_token_read(alice, team):
    assert program(alice).get("/api/v1/teams/").status_code == 200
    assert program(alice).head("/api/v1/teams/").status_code == 200


@pytest.mark.parametrize(
    ("scope", "address"),
    [
        (Scope.SERVERS, "/api/v1/servers/genedict/halt/"),
        (Scope.RUNS, "/api/v1/challenges/none/join/"),
        (Scope.DATA, "/api/v1/data/987654/withdraw/"),
        (Scope.CURATE, "/api/v1/labels/1/undo/"),
        (Scope.CURATE, "/api/v1/labels/1/show/"),
        (Scope.ORGANIZE, "/api/v1/challenges/none/tasks/"),
    ],
)
def test_it_opens_what_was_ticked_and_nothing_else(alice, server, scope, address):
    assert program(alice, scope).post(address).status_code in (404, 409)
    others = [each for each in SELECTABLE_SCOPES if each != scope]
    refused = program(alice, *others).post(address)
    assert (refused.status_code, refused["Content-Type"]) == (403, "application/problem+json")
    assert refused.json()["detail"] == (
        f"This requires the scope {scope}, which the token “nightly” does not have. Create a token with it on your "
        "account page."
    )


def test_it_opens_nothing_that_its_owner_may_not(carol, server):
    assert program(carol, *Scope).post("/api/v1/servers/genedict/halt/").status_code == 403


def test_it_answers_a_method_that_there_is_not(alice):
    assert program(alice).delete("/api/v1/teams/").status_code == 405


def test_it_keeps_no_scope_that_there_is_not(client, alice):
    from tests.integration.bcms.accounts.test_accounts import log_in_twice

    log_in_twice(client)
    assert client.post("/account/tokens/new/", {"name": "x", "scopes": ["staff"]}).status_code == 422
    assert not ApiToken.objects.exists()


def test_it_says_what_a_token_opens(client, alice):
    tokens.create_api_token_including_read_scope(alice, "nightly", ["organize", "runs"])
    client.force_login(alice)
    assert "read, runs, organize; created" in client.get("/account/").content.decode()


def test_it_opens_nothing_when_it_has_expired(client, alice):
    sent = {"Authorization": f"Token {tokens.create_api_token_including_read_scope(alice, 'nightly', [], days=30)}"}
    assert client.get("/api/v1/teams/", headers=sent).status_code == 200
    ApiToken.objects.update(expires="2026-03-02T09:00Z", used=None)
    refused = client.get("/api/v1/teams/", headers=sent)
    assert refused.status_code == 401
    assert refused.json()["detail"].startswith("The token “nightly” expired on 2 March 2026. Create a new one")
    assert not ApiToken.objects.get().used
    client.force_login(alice)
    assert '<span class="chip warn">expired</span>' in client.get("/account/").content.decode()
