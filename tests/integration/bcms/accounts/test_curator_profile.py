"""The curator profile of an account: the ORCID iD, and what the person agrees to."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.db import connection, transaction

from annotations.curation.models import CuratorProfile
from bcms.accounts.closing import close_account
from bcms.accounts.providers.configuration import ORCID_ISSUER
from bcms.accounts.providers.verified_orcids import refresh_verified_orcid
from servers.audit.models import AuditEvent
from tests.integration.article_cast import create_known_genes, make_read_article
from tests.integration.provider_cast import confirm_session
from tests.integration.published_cast import publish_interaction

pytestmark = pytest.mark.django_db
ADDRESS = "/account/curator/"
ORCID, OTHER_ORCID = "0000-0002-1825-0097", "0000-0001-2345-6789"


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


def is_verified_on_team_page(client):
    return ">verified<" in client.get("/teams/team-alpha/").content.decode()


def save_orcid(client, orcid):
    return client.post("/account/curator/", {"orcid": orcid, "shows_orcid": "on"})


def test_it_is_verified_while_the_account_is_connected_with_the_same(client, alice, team):
    connection = SocialAccount.objects.create(user=alice, provider=ORCID_ISSUER, uid=ORCID)
    client.force_login(alice)
    confirm_session(client, alice)
    assert client.get("/account/curator/").context["form"].initial["orcid"] == ORCID
    save_orcid(client, ORCID)
    assert is_verified_on_team_page(client)
    assert "is verified" in client.get("/account/curator/").content.decode()
    save_orcid(client, OTHER_ORCID)
    assert not is_verified_on_team_page(client)
    save_orcid(client, ORCID)
    client.post(f"/account/connections/{connection.pk}/remove/")
    assert not SocialAccount.objects.exists()
    assert not is_verified_on_team_page(client)


@pytest.mark.parametrize("provider", ["https://evil.example", "https://sandbox.orcid.org", "orcid"])
def test_no_other_provider_verifies_it(client, alice, team, provider):
    SocialAccount.objects.create(user=alice, provider=provider, uid=ORCID)
    client.force_login(alice)
    save_orcid(client, ORCID)
    assert not is_verified_on_team_page(client)


def test_no_connection_of_somebody_else_verifies_it(client, alice, carol, team):
    SocialAccount.objects.create(user=carol, provider=ORCID_ISSUER, uid=ORCID)
    client.force_login(alice)
    save_orcid(client, ORCID)
    assert not is_verified_on_team_page(client)


def test_nobody_verifies_it_by_the_form(client, alice, team):
    client.force_login(alice)
    client.post("/account/curator/", {"orcid": ORCID, "shows_orcid": "on", "orcid_verified": "on"})
    assert not is_verified_on_team_page(client)


def test_connecting_verifies_what_the_profile_has(alice):
    profile = CuratorProfile.objects.create(user=alice, orcid=ORCID, shows_orcid=True)
    SocialAccount.objects.create(user=alice, provider=ORCID_ISSUER, uid=ORCID)
    refresh_verified_orcid(alice.pk)
    profile.refresh_from_db()
    assert profile.orcid_verified


@pytest.mark.parametrize("verified", [False, True])
def test_readers_of_the_record_see_whether_it_is_verified(client, alice, verified):
    article = make_read_article()
    create_known_genes()
    publish_interaction(alice, article)
    CuratorProfile.objects.create(user=alice, orcid=ORCID, shows_orcid=True, orcid_verified=verified)
    page = client.get("/articles/20000001/").content.decode()
    assert ("</a>, verified)" in page) is verified


@pytest.mark.django_db(transaction=True)
def test_two_first_forms_at_the_same_time_are_stored_one_after_the_other(client, alice):
    client.force_login(alice)
    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            User.objects.select_for_update().get(pk=alice.pk)
            reply = thread.submit(post_and_close_connection, client, {"orcid": ORCID})
            wait_until_somebody_waits_for_a_lock()
            CuratorProfile.objects.create(user=alice, shares_decisions=True)
        assert reply.result().status_code == 302
    profile = CuratorProfile.objects.get()
    assert (profile.orcid, profile.shares_decisions) == (ORCID, False)


def post_and_close_connection(client, fields):
    try:
        return client.post(ADDRESS, fields)
    finally:
        connection.close()


def wait_until_somebody_waits_for_a_lock():
    with connection.cursor() as cursor:
        for _ in range(1000):
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')")
            if cursor.fetchone()[0]:
                return
            time.sleep(0.01)
    pytest.fail("nobody waits")
