"""Log-in and sign-up by a provider: a real one on loopback, honest here; test_hostile_providers.py has the others."""

from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.auth.models import User
from django.test import Client

from bcms.accounts.adapters import AccountAdapter
from servers.audit.models import AuditAction, AuditEvent
from tests.authenticator import compute_totp_code
from tests.integration.provider_cast import (
    CALLBACK,
    START,
    connect,
    find_link,
    find_logged_in_name,
    log_in_by,
)
from tests.postbox import find_message_link

pytestmark = pytest.mark.django_db
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def test_it_logs_in_who_is_connected(client, provider, alice):
    connect(alice, provider)
    assert log_in_by(client, provider, next="/servers/").url == "/servers/"
    assert find_logged_in_name(client) == "alice"
    assert AuditEvent.objects.filter(action=AuditAction.ACCOUNT_LOGGED_IN).count() == 1


def test_it_asks_the_provider_for_what_it_needs_and_nothing_that_the_visitor_adds(client, provider):
    said = client.post(f"{START}?scope=admin&auth_params=prompt%3Dnone&process=connect&action=reauthenticate")
    asked = parse_qs(urlsplit(find_link(said)).query)
    assert asked["scope"] == ["openid profile email"]
    assert asked["redirect_uri"] == ["http://127.0.0.1:8000" + CALLBACK]
    assert asked["code_challenge_method"] == ["S256"]
    assert set(asked) == {
        *("response_type", "client_id", "redirect_uri", "scope", "state", "nonce"),
        *("code_challenge", "code_challenge_method"),
    }


def test_it_begins_no_log_in_by_a_link(client, provider):
    assert client.get(START).status_code == 405
    assert provider.came == []


def test_it_begins_no_log_in_by_a_form_of_another_site(provider):
    assert Client(enforce_csrf_checks=True).post(START).status_code == 403


def test_it_knows_only_the_providers_of_the_settings(client, provider):
    assert client.post("/login/with/github/").status_code == 404
    assert client.get("/login/with/github/callback/").status_code == 404


def test_it_leads_to_no_other_site_afterwards(client, provider, alice):
    connect(alice, provider)
    assert log_in_by(client, provider, next="https://evil.example/").url == "/"


def test_it_shows_the_buttons_of_the_providers(client, provider, settings):
    assert "Log in with Stand-in" in client.get("/login/").content.decode()
    assert "Sign up with Stand-in" in client.get("/signup/").content.decode()
    settings.LOGIN_PROVIDERS = ()
    assert "Log in with" not in client.get("/login/").content.decode().replace("Log in with a passkey", "")


def test_it_still_asks_for_the_second_factor(client, provider, alice):
    TOTP.activate(alice, SECRET)
    connect(alice, provider)
    assert log_in_by(client, provider).url == "/account/factor/log-in/"
    assert find_logged_in_name(client) == ""
    client.post("/account/factor/log-in/", {"code": compute_totp_code(SECRET)})
    assert find_logged_in_name(client) == "alice"


def test_it_does_not_log_in_a_blocked_account(client, provider, alice):
    connect(alice, provider)
    User.objects.update(is_active=False)
    assert log_in_by(client, provider).url == "/account/inactive/"
    assert find_logged_in_name(client) == ""
    event = AuditEvent.objects.get(action=AuditAction.ACCOUNT_LOGIN_FAILED)
    assert (event.person_id, event.subject) == (alice.pk, "blocked account")


def test_it_signs_up_without_a_password_and_asks_to_confirm_the_address(client, provider, postbox):
    assert log_in_by(client, provider).url == "/signup/with/"
    form = client.get("/signup/with/").context["form"]
    assert form.initial["email"] == "ada@example.org"
    client.post("/signup/with/", {"username": "ada", "email": "ada@example.org"})
    ada = User.objects.get()
    assert (ada.username, ada.first_name, ada.has_usable_password()) == ("ada", "", False)
    assert find_logged_in_name(client) == ""
    assert not EmailAddress.objects.get().verified
    connection = SocialAccount.objects.get()
    assert (connection.provider, connection.uid) == (provider.issuer, "subject-1")
    assert connection.extra_data == {"name": "Ada L."}
    assert not SocialToken.objects.exists()
    client.post(find_message_link(postbox.one()))
    assert find_logged_in_name(client) == "ada"
    client.post("/logout/")
    log_in_by(client, provider)
    assert find_logged_in_name(client) == "ada"


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_it_offers_no_address_that_the_provider_has_not_verified(client, provider, verified):
    provider.claims["email_verified"] = verified
    log_in_by(client, provider)
    assert client.get("/signup/with/").context["form"].initial["email"] == ""


@pytest.mark.parametrize("address", ["alice@example.org", "Alice@Example.ORG"])
def test_it_joins_no_account_by_its_address(client, provider, alice, postbox, address):
    provider.claims["email"] = address
    assert log_in_by(client, provider).url == "/signup/with/"
    said = client.post("/signup/with/", {"username": "alice2", "email": address})
    assert said.url == "/account/confirm/"
    assert not SocialAccount.objects.exists()
    assert User.objects.count() == 1
    message = postbox.one()
    assert message["To"] == "alice@example.org"
    assert "connect it on your account page" in message.get_content()


def test_it_says_what_is_wrong_with_the_form(client, provider, alice):
    log_in_by(client, provider)
    said = client.post("/signup/with/", {"username": "alice", "email": "new@example.org"})
    assert said.status_code == 422
    assert "is taken" in said.content.decode()


def test_it_makes_one_account_for_who_signs_up_in_two_browsers(client, provider):
    other = Client()
    log_in_by(client, provider)
    log_in_by(other, provider)
    client.post("/signup/with/", {"username": "ada", "email": "ada@example.org"})
    assert other.post("/signup/with/", {"username": "ada2", "email": "ada2@example.org"}).url == "/login/"
    assert User.objects.get().username == "ada"
    assert EmailAddress.objects.get().email == "ada@example.org"


def test_it_says_that_the_name_was_taken_while_the_form_was_checked(client, provider, alice, monkeypatch):
    log_in_by(client, provider)
    with monkeypatch.context() as patch:
        patch.setattr(AccountAdapter, "clean_username", lambda self, name, shallow=False: name)
        page = client.post("/signup/with/", {"username": "alice", "email": "ada@example.org"})
    assert page.status_code == 422 and "This username is taken" in page.content.decode()
    assert User.objects.count() == 1
    client.post("/signup/with/", {"username": "ada", "email": "ada@example.org"})
    assert SocialAccount.objects.get().user.username == "ada"


def test_it_shows_no_form_to_who_has_not_logged_in_at_a_provider(client, provider):
    assert client.get("/signup/with/").url == "/signup/"


def test_it_forgets_a_sign_up_whose_provider_is_gone(client, provider, settings):
    log_in_by(client, provider)
    settings.LOGIN_PROVIDERS = ()
    assert client.get("/signup/with/").url == "/signup/"


def test_a_stranger_who_signed_up_first_loses_the_account_to_the_owner_of_the_address(client, provider, postbox):
    log_in_by(client, provider)
    client.post("/signup/with/", {"username": "ada", "email": "ada@example.org"})
    owner = Client()
    said = owner.post(find_message_link(postbox.one()))
    assert "/account/reset/" in said.url
    assert not SocialAccount.objects.exists()


def test_a_stranger_who_signed_up_first_loses_the_account_to_who_resets_the_password(client, provider, postbox):
    log_in_by(client, provider)
    client.post("/signup/with/", {"username": "ada", "email": "ada@example.org"})
    postbox.fetch()
    owner = Client()
    owner.post("/account/reset/", {"email": "ada@example.org"})
    page = owner.get(urlsplit(find_message_link(postbox.one())).path)
    new = "quite another password"
    owner.post(page.url, {"password1": new, "password2": new})
    assert User.objects.get().has_usable_password()
    assert not SocialAccount.objects.exists()


def test_it_keeps_the_connection_of_who_resets_the_password_of_an_account_in_use(client, provider, alice, postbox):
    connect(alice, provider)
    client.post("/account/reset/", {"email": "alice@example.org"})
    page = client.get(urlsplit(find_message_link(postbox.one())).path)
    new = "quite another password"
    client.post(page.url, {"password1": new, "password2": new})
    assert SocialAccount.objects.count() == 1


def test_it_limits_how_often_a_visitor_begins(client, provider):
    statuses = {client.post(START).status_code for _ in range(21)}
    assert statuses == {200, 429}


def test_it_asks_the_provider_about_itself_once(client, provider, alice):
    connect(alice, provider)
    for _ in range(3):
        log_in_by(client, provider)
        client.post("/logout/")
    paths = [path for path, _ in provider.came]
    assert paths.count("/.well-known/openid-configuration") == paths.count("/keys") == 1
    assert paths.count("/token") == 3


def test_it_sends_its_secret_as_the_provider_wants(client, provider, alice):
    connect(alice, provider)
    provider.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    log_in_by(client, provider)
    assert find_logged_in_name(client) == "alice"
