"""The connections of an account with providers: made, removed, and confirmed again."""

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.test import Client

from bcms.accounts.closing import close_account
from bcms.accounts.providers.connections import ProviderConnectionError
from bcms.accounts.providers.connections import connect as connect_account
from servers.audit.models import AuditEvent
from tests.integration.provider_cast import (
    CALLBACK,
    confirm_session,
    connect,
    find_link,
    find_logged_in_name,
    log_in_by,
)
from tests.passkey import Passkey

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-password"
PAGE, CONNECT, AGAIN = "/account/connections/", "/account/connections/with/stand-in/", "/account/again/with/stand-in/"


def log_in_twice(client):
    client.post("/login/", {"login": "alice", "password": PASSWORD})
    client.post("/account/again/", {"password": PASSWORD})


def connect_by(client, provider):
    return client.get(CALLBACK, provider.authorize(find_link(client.post(CONNECT))))


def list_shown_messages(client):
    return [str(message) for message in client.get(PAGE).context["messages"]]


@pytest.fixture
def without_password(alice, provider):
    """alice, who logs in by the provider alone."""
    alice.set_unusable_password()
    alice.save()
    connect(alice, provider)
    return alice


def add_passkey(user, resident):
    credential = Passkey().create({"challenge": "AAAA", "user": {"id": "AAAA"}})
    credential["clientExtensionResults"]["credProps"]["rk"] = resident
    return Authenticator.objects.create(user=user, type="webauthn", data={"name": "phone", "credential": credential})


def test_it_connects_an_account_and_tells_its_owner(client, provider, alice, postbox):
    thief = Client()
    thief.force_login(alice)
    log_in_twice(client)
    assert connect_by(client, provider).url == PAGE
    assert list_shown_messages(client) == ["Connected. You can now log in with Stand-in."]
    sent = postbox.one()
    assert sent["Subject"] == "[BCMS] Your account was connected with Stand-in"
    place = "Log in with other sites"
    assert f"“{place}”" in sent.get_content() and place in client.get("/account/").content.decode()
    assert AuditEvent.objects.filter(after={"change": "connection added"}, person=alice.pk).count() == 1
    assert (find_logged_in_name(thief), find_logged_in_name(client)) == ("", "alice")
    client.post("/logout/")
    log_in_by(client, provider)
    assert find_logged_in_name(client) == "alice"


def test_it_asks_for_the_password_before_it_connects(client, provider, alice):
    client.force_login(alice)
    assert client.post(CONNECT).url == f"/account/again/?next={CONNECT.replace('/', '%2F')}"
    client.post(f"/account/again/?next={CONNECT}", {"password": PASSWORD})
    assert connect_by(client, provider).url == PAGE


def test_it_connects_nobody_who_is_not_logged_in(client, provider, alice):
    assert client.post(CONNECT).url.startswith("/login/")
    assert provider.came == []


def test_it_connects_no_account_other_than_that_which_began(client, provider, alice, django_user_model):
    log_in_twice(client)
    answer = provider.authorize(find_link(client.post(CONNECT)))
    client.force_login(django_user_model.objects.create_user("bob"))
    assert client.get(CALLBACK, answer).status_code == 400
    assert not SocialAccount.objects.exists()


def test_it_connects_nobody_with_the_log_in_of_an_attacker(client, provider, alice):
    """Whoever is lured to the attacker's answer would let the attacker in from then on."""
    attacker = Client()
    answer = provider.authorize(find_link(attacker.post("/login/with/stand-in/")))
    log_in_twice(client)
    client.post(CONNECT)
    assert client.get(CALLBACK, answer).status_code == 400
    assert not SocialAccount.objects.exists()


def test_it_connects_a_person_with_one_account_only(client, provider, alice, django_user_model):
    connect(django_user_model.objects.create_user("bob"), provider)
    log_in_twice(client)
    connect_by(client, provider)
    assert list_shown_messages(client) == ["This person at Stand-in is connected with another account here."]
    assert not SocialAccount.objects.filter(user=alice).exists()


def test_it_connects_an_account_with_one_person_of_a_provider_only(client, provider, alice):
    connect(alice, provider, "subject-0")
    log_in_twice(client)
    connect_by(client, provider)
    assert "already connected" in list_shown_messages(client)[0]
    assert SocialAccount.objects.get().uid == "subject-0"


def test_it_disconnects_and_tells_the_owner(client, provider, alice, postbox):
    row = connect(alice, provider)
    thief = Client()
    thief.force_login(alice)
    log_in_twice(client)
    assert client.post(f"{PAGE}{row.pk}/remove/").url == PAGE
    assert not SocialAccount.objects.exists()
    assert postbox.one()["Subject"] == "[BCMS] Your account was disconnected from Stand-in"
    assert AuditEvent.objects.filter(after={"change": "connection removed"}).count() == 1
    assert (find_logged_in_name(thief), find_logged_in_name(client)) == ("", "alice")


def test_it_asks_for_the_password_before_it_disconnects(client, provider, alice):
    row = connect(alice, provider)
    client.force_login(alice)
    assert client.post(f"{PAGE}{row.pk}/remove/").url.startswith("/account/again/")
    assert SocialAccount.objects.exists()


def test_it_disconnects_nobody_else(client, provider, alice, django_user_model):
    row = connect(django_user_model.objects.create_user("bob"), provider)
    log_in_twice(client)
    assert client.post(f"{PAGE}{row.pk}/remove/").status_code == 404
    assert SocialAccount.objects.exists()


def confirm_by(client, provider, **data):
    return client.get(CALLBACK, provider.authorize(find_link(client.post(AGAIN, data))))


@pytest.mark.parametrize(("other", "remains"), [("none", True), ("key", True), ("passkey", False), ("password", False)])
def test_it_removes_no_last_way_to_log_in(client, provider, without_password, other, remains):
    client.force_login(without_password)
    confirm_by(client, provider)
    if other == "password":
        without_password.set_password(PASSWORD)
        without_password.save()
        log_in_twice(client)
    elif other != "none":
        add_passkey(without_password, resident=other == "passkey")
    client.post(f"{PAGE}{SocialAccount.objects.get().pk}/remove/")
    assert SocialAccount.objects.exists() == remains
    assert ("only way to log in" in list_shown_messages(client)[0]) == remains


def test_it_counts_no_provider_that_the_site_has_no_more(client, provider, without_password, settings):
    old = SocialAccount.objects.create(user=without_password, provider="https://old.example", uid="1")
    client.force_login(without_password)
    confirm_by(client, provider)
    client.post(f"{PAGE}{SocialAccount.objects.exclude(pk=old.pk).get().pk}/remove/")
    assert SocialAccount.objects.count() == 2
    client.post(f"{PAGE}{old.pk}/remove/")
    assert SocialAccount.objects.count() == 1
    assert "https://old.example is disconnected" in list_shown_messages(client)[-1]


@pytest.mark.parametrize("connected", [False, True])
def test_it_removes_no_passkey_that_is_the_last_way_to_log_in(client, provider, without_password, connected):
    row = add_passkey(without_password, resident=True)
    if not connected:
        SocialAccount.objects.all().delete()
    client.force_login(without_password)
    confirm_session(client, without_password)
    client.post(f"/account/factor/passkeys/{row.pk}/remove/")
    assert Authenticator.objects.filter(type="webauthn").exists() != connected


@pytest.mark.parametrize(
    "path",
    [
        "/account/tokens/new/",
        "/account/close/",
        "/account/factor/app/",
        "/account/factor/passkeys/new/",
        "/account/password/set/",
    ],
)
def test_who_has_no_password_confirms_by_the_provider(client, provider, without_password, path):
    client.force_login(without_password)
    assert client.get(path).url == f"/account/again/with/?next={path.replace('/', '%2F')}"
    assert f'value="{path}"' in client.get(f"/account/again/with/?next={path}").content.decode()
    assert confirm_by(client, provider, next=path).url == path
    assert client.get(path).status_code == 200


def test_who_has_no_password_goes_on_with_the_form_after_confirming(client, provider, without_password, settings):
    other = SocialAccount.objects.create(user=without_password, provider="https://old.example", uid="1")
    client.force_login(without_password)
    remove = f"{PAGE}{other.pk}/remove/"
    assert client.post(remove).url == f"/account/again/with/?next={remove.replace('/', '%2F')}"
    assert confirm_by(client, provider, next=remove).url == PAGE
    assert not SocialAccount.objects.filter(pk=other.pk).exists()


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "subject-2"},
        {"auth_time": None},
        {"auth_time": 1000},
        {"auth_time": True},
        {"auth_time": 10**13},
        {"auth_time": "now"},
    ],
)
def test_nobody_confirms_as_somebody_else_or_by_an_old_log_in(client, provider, without_password, claims):
    provider.claims.update(claims)
    client.force_login(without_password)
    assert confirm_by(client, provider).status_code == 400
    assert client.get("/account/close/").url.startswith("/account/again/with/")
    failure = AuditEvent.objects.get(action="account.login_failed")
    assert (failure.subject, failure.person) == ("Stand-in to confirm", without_password)


def test_the_provider_is_asked_to_ask_again(client, provider, without_password):
    client.force_login(without_password)
    assert "prompt=login" in find_link(client.post(AGAIN))


def test_who_has_neither_password_nor_provider_is_sent_a_link(client, provider, without_password):
    SocialAccount.objects.all().delete()
    client.force_login(without_password)
    assert client.get("/account/close/").url.startswith("/account/again/with/")
    assert "/account/reset/" in client.get("/account/again/with/").content.decode()
    assert client.get("/account/again/").url == "/account/again/with/"


def test_a_log_in_alone_confirms_nothing(client, provider, without_password):
    log_in_by(client, provider)
    assert client.get("/account/close/").url.startswith("/account/again/with/")


def test_who_has_no_password_gets_one_by_mail(client, provider, without_password, postbox):
    client.post("/account/reset/", {"email": "alice@example.org"})
    assert "/account/reset/" in postbox.one().get_content()


def test_a_closed_account_has_no_connections(provider, alice):
    connect(alice, provider)
    close_account(alice)
    assert not SocialAccount.objects.exists()


def test_an_account_that_is_closed_meanwhile_is_connected_with_nobody(provider, alice):
    """The provider may know them by their ORCID iD, of which nothing is to stay."""
    new = SocialLogin(account=SocialAccount(provider=provider.issuer, uid="subject-1"))
    close_account(alice)
    with pytest.raises(ProviderConnectionError, match="closed"):
        connect_account(alice.pk, new)
    assert not SocialAccount.objects.exists()


def test_the_account_page_names_the_connections(client, provider, alice):
    client.force_login(alice)
    assert "Stand-in" in client.get("/account/").content.decode()
    connect(alice, provider)
    page = client.get(PAGE).content.decode()
    assert "subject-1" in page
    assert "Disconnect" in page
