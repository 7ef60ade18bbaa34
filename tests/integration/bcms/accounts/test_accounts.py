"""Accounts: signed up with a confirmed address, logged into with a second factor, and closed to everybody else."""

import base64
import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from bcms.accounts.adapters import AccountAdapter
from bcms.accounts.models import ApiToken
from bcms.tasks import delete_long_unconfirmed_unused_accounts
from servers.teams.models import Membership
from tests.authenticator import compute_totp_code
from tests.postbox import find_message_link

pytestmark = pytest.mark.django_db

EVE = {"username": "eve", "email": "Eve@Example.org", "password1": "correct horse battery"}
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def read_page_source(response):
    return " ".join(response.content.decode().split())


def find_logged_in_name(client):
    """The name of who is logged in."""
    response = client.get("/manual/")
    return response.context["user"].get_username()


def log_in(client, name="alice", password="a-long-password", **more):
    return client.post("/login/", {"login": name, "password": password, **more})


@pytest.fixture
def factored(alice):
    """alice with a second factor."""
    totp.TOTP.activate(alice, SECRET)
    RecoveryCodes.activate(alice)
    return alice


def log_in_twice(client):
    """Log in, and say the password again, as for everything that is the key to the account."""
    log_in(client)
    client.post("/account/again/", {"password": "a-long-password"})


def make_token(client):
    log_in_twice(client)
    return client.post("/account/tokens/new/", {"name": "nightly run"}).context["token"]


def basic(name="alice", password="a-long-password"):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def test_it_signs_up_by_confirming_the_address(client, postbox):
    page = read_page_source(client.post("/signup/", EVE, follow=True))
    assert "We sent you an email" in page
    assert find_logged_in_name(client) == ""
    message = postbox.one()
    assert (message["To"], message["Subject"]) == ("eve@example.org", "[BCMS] Confirm your email address")
    link = find_message_link(message)
    # A mail program that looks at links in advance confirms nothing.
    assert "Confirm that <b>eve@example.org</b> is an address of" in read_page_source(client.get(link))
    assert not EmailAddress.objects.get().verified
    client.post(link)
    assert EmailAddress.objects.get().verified
    assert find_logged_in_name(client) == "eve"


def test_it_says_that_the_name_was_taken_while_the_form_was_checked(client, alice, monkeypatch):
    """Two people at once, or one who clicks twice."""
    monkeypatch.setattr(AccountAdapter, "clean_username", lambda self, name, shallow=False: name)
    page = client.post("/signup/", EVE | {"username": "alice"})
    assert "This username is taken" in read_page_source(page)
    assert User.objects.count() == EmailAddress.objects.count() == 1


def test_it_logs_nobody_in_before_the_address_is_confirmed(client, postbox):
    client.post("/signup/", EVE)
    assert log_in(client, "eve", EVE["password1"]).url == "/account/confirm/"
    assert find_logged_in_name(client) == ""
    api = client.get("/api/v1/teams/", headers=basic("eve", EVE["password1"]))
    assert api.status_code == 401
    assert "Confirm your email address first" in api.json()["detail"]


def test_it_sends_the_link_again_at_most_every_three_minutes(client, postbox, settings):
    client.post("/signup/", EVE)
    assert len(postbox.fetch()) == 1
    log_in(client, "eve", EVE["password1"])
    assert postbox.fetch() == []
    settings.CACHES = {"default": {**settings.CACHES["default"], "KEY_PREFIX": "three-minutes-later"}}
    log_in(client, "eve", EVE["password1"])
    assert len(postbox.fetch()) == 1


def test_it_confirms_by_no_link_that_was_changed(client, postbox):
    client.post("/signup/", EVE)
    link = find_message_link(postbox.one())
    assert "no longer valid" in read_page_source(client.get(link[:-4] + "AAA/"))
    assert client.post(link[:-4] + "AAA/").status_code == 404
    assert not EmailAddress.objects.get().verified


def test_it_forgets_who_never_confirms(client, alice, team, postbox, django_user_model):
    client.post("/signup/", EVE)
    assert delete_long_unconfirmed_unused_accounts() == 0
    django_user_model.objects.update(date_joined=timezone.now() - timedelta(days=3, seconds=1))
    django_user_model.objects.create_user("made-by-hand", "hand@example.org", date_joined="2020-01-01T00:00Z")
    assert delete_long_unconfirmed_unused_accounts() == 1
    assert set(django_user_model.objects.values_list("username", flat=True)) == {"alice", "made-by-hand"}


def test_it_logs_in_by_name_or_by_address(client, alice):
    assert log_in(client, "Alice").url == "/"
    assert find_logged_in_name(client) == "alice"
    client.post("/logout/")
    log_in(client, "alice@example.org")
    assert find_logged_in_name(client) == "alice"


def test_it_logs_out_by_a_button_alone(client, alice):
    client.force_login(alice)
    assert "Log out alice?" in read_page_source(client.get("/logout/"))
    assert find_logged_in_name(client) == "alice"
    client.post("/logout/")
    assert find_logged_in_name(client) == ""


@pytest.mark.parametrize(
    "place", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_it_leads_nobody_to_another_site(client, alice, place):
    assert log_in(client, next=place).url == "/"
    assert client.post("/logout/", {"next": place}).url == "/"


def test_it_tells_nobody_which_addresses_have_accounts(client, alice, postbox):
    known = client.post("/signup/", {**EVE, "email": "alice@example.org"})
    other = Client().post("/signup/", {**EVE, "username": "eva", "email": "eva@example.org"})
    assert (known.status_code, known.url) == (other.status_code, other.url)
    subjects = {message["To"]: message["Subject"] for message in postbox.fetch()}
    assert subjects["alice@example.org"] == "[BCMS] You already have an account"
    assert subjects["eva@example.org"] == "[BCMS] Confirm your email address"
    assert EmailAddress.objects.filter(email="alice@example.org").count() == 1


def test_it_tells_nobody_by_a_new_password_which_addresses_have_accounts(client, alice, postbox):
    known = client.post("/account/reset/", {"email": "alice@example.org"}, follow=True)
    other = client.post("/account/reset/", {"email": "eva@example.org"}, follow=True)
    assert read_page_source(known) == read_page_source(other)
    subjects = [message["Subject"] for message in postbox.fetch()]
    assert subjects == ["[BCMS] Reset your password", "[BCMS] No account has this address"]


def test_it_says_the_same_of_a_wrong_name_and_a_wrong_password(client, alice):
    said = [list(log_in(client, name, "wrong").context["form"].non_field_errors()) for name in ("alice", "nobody")]
    assert said[0] == said[1] == ["The username or password is wrong: check both, or reset your password by e-mail."]


def test_it_sets_a_new_password_by_mail_once(client, alice, postbox):
    client.post("/account/reset/", {"email": "alice@example.org"})
    link = find_message_link(postbox.one())
    form = client.get(link, follow=True)
    place = form.redirect_chain[-1][0]
    new = {"password1": "another long one", "password2": "another long one"}
    assert "Your password was changed" in read_page_source(client.post(place, new, follow=True))
    assert "no longer valid" in read_page_source(Client().get(link, follow=True))
    assert "[BCMS]" in postbox.one()["Subject"]
    log_in(client, password="another long one")
    assert find_logged_in_name(client) == "alice"


@pytest.mark.parametrize(
    ("page", "sent"),
    [
        ("/account/reset/", {"email": "alice@example.org"}),
        ("/account/reset/", {"email": "nobody@example.org"}),
        ("/signup/", EVE),
        ("/signup/", {**EVE, "email": "alice@example.org"}),
        ("/teams/team-alpha/invite/", {"email": "new@example.org", "role": "member"}),
    ],
)
def test_it_links_to_its_own_address_whatever_host_is_asked(as_alice, team, postbox, settings, page, sent):
    settings.SITE_URL = "https://bcms.example.org"
    client = as_alice if "teams" in page else Client()
    client.post(page, sent, headers={"host": "localhost:4444"})
    text = postbox.one().get_content()
    assert "bcms.example.org" in text
    assert "localhost" not in text


def test_it_changes_the_password_and_says_so_by_mail(client, alice, postbox):
    log_in(client)
    new = {"oldpassword": "a-long-password", "password1": "another long one", "password2": "another long one"}
    assert client.post("/account/password/", {**new, "oldpassword": "wrong"}).status_code == 200
    assert client.post("/account/password/", new).url == "/account/"
    assert "If this was not you" in postbox.one().get_content()
    assert find_logged_in_name(client) == "alice"


@pytest.mark.parametrize("password", ["short", "password12345", "1234567890", "eve@example.org"])
def test_it_takes_no_weak_password(client, db, password):
    response = client.post("/signup/", {**EVE, "password1": password})
    assert response.context["form"].errors["password1"]


def test_it_stops_who_guesses_passwords(client, alice):
    for _ in range(5):
        log_in(client, password="wrong")
    assert "Too many failed logins" in read_page_source(log_in(client))
    assert find_logged_in_name(client) == ""


def test_it_adds_an_address_that_counts_when_it_is_confirmed(client, alice, postbox):
    log_in_twice(client)
    page = read_page_source(
        client.post("/account/addresses/", {"action_add": "", "email": "Work@Example.org"}, follow=True)
    )
    assert "work@example.org" in page
    assert "unconfirmed" in page
    client.post(find_message_link(postbox.one()))
    assert EmailAddress.objects.get(email="work@example.org").verified


@pytest.mark.parametrize("action", ["add", "remove", "primary"])
def test_it_asks_for_the_password_before_addresses_change(client, alice, postbox, action):
    """Else who finds an open session would add theirs, and have a new password sent to it."""
    EmailAddress.objects.create(user=alice, email="work@example.org", verified=True)
    rows = list(EmailAddress.objects.order_by("pk").values("email", "primary"))
    email = "thief@example.org" if action == "add" else "work@example.org"
    log_in(client)
    asked = client.post("/account/addresses/", {f"action_{action}": "", "email": email})
    assert asked.url == "/account/again/?next=%2Faccount%2Faddresses%2F"
    assert list(EmailAddress.objects.order_by("pk").values("email", "primary")) == rows
    assert postbox.fetch() == []
    client.post(asked.url, {"password": "a-long-password"})
    assert list(EmailAddress.objects.order_by("pk").values("email", "primary")) != rows


@pytest.mark.django_db(transaction=True)
def test_it_sets_up_a_second_factor_and_asks_for_it(client, alice, postbox):
    log_in_twice(client)
    form = client.get("/account/factor/app/")
    assert 'src="data:image/svg+xml' in read_page_source(form)
    secret = form.context["form"].secret
    assert "code is wrong" in read_page_source(client.post("/account/factor/app/", {"code": "000000"}))
    done = client.post("/account/factor/app/", {"code": compute_totp_code(secret)}, follow=True)
    assert "Recovery codes" in read_page_source(done)
    assert "[BCMS]" in postbox.one()["Subject"]
    client.post("/logout/")
    assert log_in(client, next="/servers/").url.startswith("/account/factor/log-in/")
    assert find_logged_in_name(client) == ""
    assert client.post("/account/factor/log-in/", {"code": compute_totp_code(secret, later=1)}).url == "/servers/"
    assert find_logged_in_name(client) == "alice"


@pytest.mark.django_db(transaction=True)
def test_a_new_second_factor_ends_other_sessions(client, alice, postbox):
    thief = Client()
    log_in(thief)
    log_in_twice(client)
    secret = client.get("/account/factor/app/").context["form"].secret
    client.post("/account/factor/app/", {"code": compute_totp_code(secret)})
    assert (find_logged_in_name(client), find_logged_in_name(thief)) == ("alice", "")


def test_it_lets_nobody_in_by_the_password_alone(client, factored):
    log_in(client)
    for _ in range(3):
        assert "code is wrong" in read_page_source(client.post("/account/factor/log-in/", {"code": "000000"}))
    assert find_logged_in_name(client) == ""
    assert client.get("/account/").url == "/login/?next=/account/"


def test_it_takes_no_code_twice(client, factored):
    log_in(client)
    client.post("/account/factor/log-in/", {"code": compute_totp_code(SECRET)})
    assert find_logged_in_name(client) == "alice"
    other = Client()
    log_in(other)
    other.post("/account/factor/log-in/", {"code": compute_totp_code(SECRET)})
    assert find_logged_in_name(other) == ""


def test_it_takes_each_recovery_code_once(client, factored):
    code = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()[0]
    for name, browser in (("alice", client), ("", Client())):
        log_in(browser)
        browser.post("/account/factor/log-in/", {"code": code})
        assert find_logged_in_name(browser) == name


def test_it_opens_the_factor_by_no_new_password(client, factored, postbox):
    client.post("/account/reset/", {"email": "alice@example.org"})
    place = client.get(find_message_link(postbox.one()), follow=True).redirect_chain[-1][0]
    client.post(place, {"password1": "another long one", "password2": "another long one"})
    assert find_logged_in_name(client) == ""
    assert log_in(client, password="another long one").url.startswith("/account/factor/log-in/")


def test_it_asks_again_before_it_shows_the_key_to_an_account(client, factored):
    client.force_login(factored)
    for place in ("/account/factor/app/remove/", "/account/factor/codes/new/", "/account/tokens/new/"):
        assert "/again/" in client.get(place).url


def test_it_refuses_programs_the_password_of_who_has_a_second_factor(client, factored):
    response = client.get("/api/v1/teams/", headers=basic())
    assert response.status_code == 401
    assert "Create a token on your account page" in response.json()["detail"]
    assert client.get("/api/v1/teams/", headers=basic(password="wrong")).json()["detail"].startswith("The name or")


def test_it_removes_the_second_factor_and_its_codes(client, factored):
    client.force_login(factored)
    client.post("/account/again/", {"password": "a-long-password"})
    assert "Two-factor authentication" in read_page_source(client.get("/account/factor/"))
    assert "10 of 10 codes are left" in read_page_source(client.get("/account/factor/codes/"))
    assert client.get("/account/factor/codes/file/")["Content-Disposition"].startswith("attachment")
    client.post("/account/factor/app/remove/")
    assert not Authenticator.objects.exists()
    client.post("/logout/")
    log_in(client)
    assert find_logged_in_name(client) == "alice"


def test_it_lets_programs_in_by_password_and_by_token(client, alice, team):
    assert client.get("/api/v1/teams/", headers=basic()).status_code == 200
    log_in_twice(client)
    assert client.post("/account/tokens/new/", {"name": ""}).status_code == 422
    page = client.post("/account/tokens/new/", {"name": "nightly run", "scopes": ["servers"]})
    token = page.context["token"]
    assert token in read_page_source(page)
    assert token not in read_page_source(client.get("/account/"))
    program = Client()
    teams = program.get("/api/v1/teams/", headers=bearer(token)).json()
    assert [each["slug"] for each in teams["results"]] == ["team-alpha"]
    assert program.post("/api/v1/servers/", {}, headers=bearer(token)).status_code == 400
    assert "last used" in read_page_source(client.get("/account/"))
    client.post(f"/account/tokens/{ApiToken.objects.get().pk}/revoke/")
    refused = program.get("/api/v1/teams/", headers=bearer(token))
    assert refused.status_code == 401
    assert "was revoked" in refused.json()["detail"]


def test_it_keeps_a_digest_of_a_token_alone(client, alice):
    token = make_token(client)
    assert token not in str(ApiToken.objects.values())


def test_it_revokes_no_token_of_others(client, alice, carol):
    row = ApiToken.objects.create(user=carol, name="hers", digest="0" * 64, scopes=[])
    client.force_login(alice)
    client.post(f"/account/tokens/{row.pk}/revoke/")
    assert ApiToken.objects.exists()


def test_it_closes_the_api_to_a_closed_account(client, alice):
    token = make_token(client)
    type(alice).objects.update(is_active=False)
    assert Client().get("/api/v1/teams/", headers=bearer(token)).status_code == 401
    assert Client().get("/api/v1/teams/", headers=basic()).status_code == 401


def test_it_stops_programs_that_guess_passwords(client, alice):
    answers = [client.get("/api/v1/teams/", headers=basic(password=f"wrong {n}")).status_code for n in range(11)]
    assert answers == [401] * 10 + [429]
    assert client.get("/api/v1/teams/", headers=basic()).status_code == 429


@pytest.mark.parametrize("token", ["", "bcms_", "naïve", "a b"])
def test_it_refuses_what_is_no_token(client, db, token):
    assert client.get("/api/v1/teams/", headers=bearer(token)).status_code == 401


def test_it_shows_the_account_with_the_same_queries_for_any_number(client, alice, team, django_assert_num_queries):
    for number in range(3):
        EmailAddress.objects.create(user=alice, email=f"{number}@example.org")
        ApiToken.objects.create(user=alice, name="x", digest=str(number), scopes=[])
        SocialAccount.objects.create(user=alice, provider=f"https://{number}.example", uid="x")
    client.force_login(alice)
    with django_assert_num_queries(12):
        assert client.get("/account/").status_code == 200
    assert Membership.objects.get().role in read_page_source(client.get("/account/"))


def test_it_asks_a_token_s_request_few_queries(client, alice, django_assert_max_num_queries):
    sent = bearer(make_token(client))
    Client().get("/api/v1/teams/", headers=sent)
    with django_assert_max_num_queries(4):
        Client().get("/api/v1/teams/", headers=sent)


def test_it_runs_no_foreign_script_on_pages_of_accounts(client, db):
    own = {"/login/": ["live.js", "wide.js", "passkeys.js"]}
    for place in ("/login/", "/signup/", "/account/reset/", "/account/confirm/"):
        response = client.get(place)
        assert "script-src" not in response["Content-Security-Policy"]
        scripts = [f'<script src="/static/{name}" defer>' for name in own.get(place, ["live.js", "wide.js"])]
        assert re.findall("<script[^>]*>", response.content.decode()) == scripts
