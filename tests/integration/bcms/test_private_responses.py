"""What is made for one person stays out of shared caches; what is the same for everybody may be kept."""

import pytest
from django.test import Client

from tests.integration.bcms.accounts.test_accounts import basic, log_in
from tests.integration.every_address import addresses

pytestmark = pytest.mark.django_db

# Cookies are removed from requests for it before anything reads them, so it is made for nobody.
OF_NOBODY = "/widget/v1.js"


def list_plain_addresses():
    """The addresses without parameters."""
    return sorted({form for form in addresses() if "<" not in form and not form.startswith("/static")})


@pytest.mark.parametrize("who", ["staff", "person"])
def test_every_page_for_somebody_is_private(client, alice, server, settings, who):
    type(alice).objects.update(is_staff=who == "staff")
    settings.ACCOUNT_RATE_LIMITS = False
    client.force_login(alice)
    pages = ["/servers/genedict/", "/servers/genedict/attempts/", "/teams/team-alpha/", "/teams/team-alpha/audit/"]
    shared = []
    for address in {*list_plain_addresses(), *pages} - {OF_NOBODY}:
        control = client.get(address).headers.get("Cache-Control", "")
        if "private" not in control or not ("no-store" in control or "no-cache" in control):
            shared.append((address, control))
    assert shared == []
    as_somebody, as_visitor = client.get(OF_NOBODY), Client().get(OF_NOBODY)
    assert (as_somebody.content, as_somebody.cookies) == (as_visitor.content, as_visitor.cookies)


def test_pages_that_need_a_log_in_are_stored_nowhere(as_alice, server):
    for address in ("/account/", "/account/addresses/", "/servers/genedict/edit/", "/teams/team-alpha/audit/"):
        assert "no-store" in as_alice.get(address)["Cache-Control"]


def test_a_response_that_begins_a_session_is_private(client, alice):
    assert "private" in log_in(client)["Cache-Control"]
    assert "private" in Client().get("/login/")["Cache-Control"]


def test_rest_is_private_with_a_password_and_open_without(client, alice, article):
    assert "private" in client.get("/api/v1/teams/", headers=basic())["Cache-Control"]
    assert client.get("/articles/10000001/export/tsv/")["Cache-Control"] == "public, no-cache"
    assert "private" not in Client().get("/manual/").headers.get("Cache-Control", "")
