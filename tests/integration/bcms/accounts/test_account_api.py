"""REST: the account that a request acts as."""

import pytest
from django.utils.dateparse import parse_datetime

from bcms.accounts.models import ApiToken
from bcms.accounts.scopes import Scope
from bcms.accounts.tokens import create_api_token_including_read_scope

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/account/"


def test_a_program_learns_its_account_and_what_its_token_permits(client, alice, team):
    text = create_api_token_including_read_scope(alice, "nightly", [Scope.RUNS], days=1)
    found = client.get(ADDRESS, headers={"Authorization": f"Bearer {text}"}).json()
    assert (found["username"], found["email"], found["staff"]) == ("alice", "alice@example.org", False)
    assert found["teams"] == [{"slug": "team-alpha", "role": "manager"}]
    assert (found["token"]["name"], sorted(found["token"]["scopes"])) == ("nightly", ["read", "runs"])
    assert parse_datetime(found["token"]["expires"]) == ApiToken.objects.get().expires


def test_a_session_has_no_token(client, carol):
    client.force_login(carol)
    found = client.get(ADDRESS).json()
    assert (found["username"], found["teams"], found["token"]) == ("carol", [], None)


def test_nobody_else_reads_it(client):
    reply = client.get(ADDRESS)
    assert (reply.status_code, "alice" in reply.content.decode()) == (401, False)
