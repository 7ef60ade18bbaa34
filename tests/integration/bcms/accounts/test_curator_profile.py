"""The curator profile of an account: the ORCID iD, and what the person agrees to."""

import pytest

from annotations.curation.models import CuratorProfile
from bcms.accounts.closing import close_account
from servers.audit.models import AuditEvent
from tests.integration.article_cast import create_known_genes, make_read_article
from tests.integration.published_cast import publish_interaction

pytestmark = pytest.mark.django_db
ADDRESS = "/account/curator/"
ORCID = "0000-0002-1825-0097"


def save(client, user, **fields):
    client.force_login(user)
    return client.post(ADDRESS, fields)


def test_nothing_is_agreed_to_by_default(client, alice):
    client.force_login(alice)
    page = client.get(ADDRESS).content.decode()
    assert "checked" not in page
    assert CuratorProfile.objects.count() == 0


def test_it_keeps_the_id_of_an_address(client, alice):
    assert save(client, alice, orcid=f"https://orcid.org/{ORCID}", shows_orcid="on").status_code == 302
    profile = CuratorProfile.objects.get()
    assert (profile.orcid, profile.shows_orcid, profile.shares_decisions) == (ORCID, True, False)
    assert ORCID in client.get(ADDRESS).content.decode()


def test_a_wrong_id_is_refused_and_kept_in_the_field(client, alice):
    reply = save(client, alice, orcid="0000-0002-1825-0098", shares_decisions="on")
    page = reply.content.decode()
    assert reply.status_code == 422
    assert "A digit of this ORCID iD is wrong" in page
    assert 'value="0000-0002-1825-0098"' in page
    assert "checked" in page
    assert CuratorProfile.objects.count() == 0


def test_what_is_not_given_cannot_be_shown(client, alice):
    reply = save(client, alice, shows_orcid="on")
    assert "Enter your ORCID iD, or do not show it." in reply.content.decode()


def test_everything_can_be_taken_back(client, alice):
    save(client, alice, orcid=ORCID, shows_orcid="on", shares_decisions="on")
    save(client, alice)
    profile = CuratorProfile.objects.get()
    assert (profile.orcid, profile.shows_orcid, profile.shares_decisions) == ("", False, False)


def test_the_audit_trail_does_not_keep_the_id(client, alice):
    save(client, alice, orcid=ORCID, shares_decisions="on")
    event = AuditEvent.objects.get(action="account.profile_changed")
    assert event.after == {"orcid": "not recorded", "shares_decisions": True}


@pytest.mark.parametrize("shown", [False, True])
def test_readers_see_it_with_the_record_only_if_the_person_agrees(client, alice, shown):
    article = make_read_article()
    create_known_genes()
    publish_interaction(alice, article)
    CuratorProfile.objects.create(user=alice, orcid=ORCID, shows_orcid=shown)
    for address in (
        "/articles/20000001/",
        "/api/v1/articles/20000001/digital-abstract/",
        "/api/v1/articles/20000001/digital-abstract/html/",
        "/api/v1/digital-abstracts/ndjson/",
    ):
        reply = client.get(address)
        body = b"".join(reply.streaming_content) if reply.streaming else reply.content
        assert (ORCID in body.decode()) is shown, address


@pytest.mark.parametrize("shown", [False, True])
def test_nanopublications_name_the_curator_by_it_only_if_they_agree(client, alice, settings, shown):
    from cryptography.hazmat.primitives.asymmetric import rsa

    settings.NANOPUB_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    article = make_read_article()
    create_known_genes()
    publish_interaction(alice, article)
    CuratorProfile.objects.create(user=alice, orcid=ORCID, shows_orcid=shown)
    reply = client.get("/api/v1/articles/20000001/digital-abstract/nanopublications/")
    trig = b"".join(reply.streaming_content).decode()
    assert (f"pav:curatedBy orcid:{ORCID}" in trig) is shown
    assert (ORCID in trig) is shown


@pytest.mark.parametrize("shown", [False, True])
def test_the_team_sees_it_and_visitors_of_its_page_do_not(client, alice, team, shown):
    CuratorProfile.objects.create(user=alice, orcid=ORCID, shows_orcid=shown)
    client.force_login(alice)
    assert (ORCID in client.get("/teams/team-alpha/").content.decode()) is shown
    client.logout()
    assert ORCID not in client.get("/teams/team-alpha/").content.decode()


def test_closing_the_account_deletes_it(alice, carol):
    CuratorProfile.objects.create(user=carol, orcid=ORCID, shows_orcid=True)
    close_account(carol)
    assert CuratorProfile.objects.count() == 0
