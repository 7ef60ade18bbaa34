"""Passkeys: added, used to log in and as the second factor, and refused when anything about them is wrong."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.test import Client

from bcms.accounts.providers.connections import lock_login_methods
from servers.audit.models import AuditEvent
from tests.passkey import Passkey

pytestmark = pytest.mark.django_db

NEW = "/account/factor/passkeys/new/"
LOGIN = "/login/passkey/"
PASSWORD = "a-long-password"


def find_logged_in_name(client):
    return client.get("/manual/").context["user"].get_username()


@pytest.fixture
def client():
    return Client(headers={"host": "testserver"})


def log_in_twice(client):
    client.post("/login/", {"login": "alice", "password": PASSWORD})
    client.post("/account/again/", {"password": PASSWORD})


def register(client, passkey, **more):
    """The response to a new passkey."""
    options = client.get(NEW).context["js_data"]["creation_options"]["publicKey"]
    data = {"name": "phone", "passwordless": "on", "credential": json.dumps(passkey.create(options)), **more}
    return client.post(NEW, data)


def ask_for_log_in(client):
    return client.get(LOGIN, headers={"accept": "application/json"}).json()["request_options"]["publicKey"]


def log_in_by(client, passkey, **more):
    return client.post(LOGIN, {"credential": json.dumps(passkey.get(ask_for_log_in(client))), **more})


@pytest.fixture
def passkey(client, alice):
    """A passkey of alice, who is logged out."""
    log_in_twice(client)
    made = Passkey()
    assert register(client, made).status_code == 302
    client.post("/logout/")
    return made


def test_it_logs_in_by_a_passkey_alone(client, passkey):
    assert log_in_by(client, passkey, next="/servers/").url == "/servers/"
    assert find_logged_in_name(client) == "alice"


def test_it_stores_of_a_passkey_only_what_is_needed(client, alice):
    log_in_twice(client)
    passkey = Passkey()
    options = client.get(NEW).context["js_data"]["creation_options"]["publicKey"]
    answer = passkey.create(options) | {"more": "x" * 50_000, "authenticatorAttachment": "platform"}
    assert client.post(NEW, {"name": "n" * 500, "credential": json.dumps(answer)}).status_code == 302
    stored = Authenticator.objects.get(type="webauthn").data
    assert len(stored["name"]) == 100
    assert set(stored["credential"]) == {"id", "rawId", "type", "response", "clientExtensionResults"}


def test_it_asks_for_a_passkey_after_the_password(client, passkey):
    asked = client.post("/login/", {"login": "alice", "password": PASSWORD})
    assert asked.url == "/account/factor/log-in/"
    assert find_logged_in_name(client) == ""
    options = client.get(asked.url).context["js_data"]["request_options"]["publicKey"]
    client.post(asked.url, {"credential": json.dumps(passkey.get(options))})
    assert find_logged_in_name(client) == "alice"


def test_it_says_what_is_wrong_with_a_passkey_after_the_password(client, passkey):
    asked = client.post("/login/", {"login": "alice", "password": PASSWORD}).url
    options = client.get(asked).context["js_data"]["request_options"]["publicKey"]
    passkey.origin = "https://evil.example"
    said = client.post(asked, {"credential": json.dumps(passkey.get(options))}).content.decode()
    assert "does not belong" in said
    assert "Use a passkey" in said


def test_it_offers_no_passkey_to_who_has_none(client, alice):
    TOTP.activate(alice, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    asked = client.post("/login/", {"login": "alice", "password": PASSWORD}).url
    assert "passkey" not in client.get(asked).content.decode()


def test_it_accepts_no_password_in_the_api_of_who_has_a_passkey(client, passkey):
    basic = "Basic " + base64.b64encode(f"alice:{PASSWORD}".encode()).decode()
    said = client.get("/api/v1/teams/", headers={"authorization": basic})
    assert said.status_code == 401
    assert "two-factor" in said.json()["detail"]


def test_it_ends_the_other_sessions_when_a_passkey_comes_or_goes(client, alice, postbox):
    thief = Client()
    thief.post("/login/", {"login": "alice", "password": PASSWORD})
    log_in_twice(client)
    register(client, Passkey())
    assert find_logged_in_name(thief) == ""
    assert find_logged_in_name(client) == "alice"
    assert postbox.one()["Subject"] == "[BCMS] A passkey was added"
    assert AuditEvent.objects.filter(after={"change": "webauthn added"}).count() == 1
    thief.force_login(alice)
    row = Authenticator.objects.get(type="webauthn")
    assert client.post(f"/account/factor/passkeys/{row.pk}/remove/").url == "/account/factor/"
    assert find_logged_in_name(thief) == ""
    assert postbox.one()["Subject"] == "[BCMS] A passkey was removed"
    assert not Authenticator.objects.exists()


def test_it_renames_a_passkey(client, alice):
    log_in_twice(client)
    register(client, Passkey())
    row = Authenticator.objects.get(type="webauthn")
    assert client.post(f"/account/factor/passkeys/{row.pk}/name/", {"name": "key ring"}).url == "/account/factor/"
    assert "key ring" in client.get("/account/factor/").content.decode()


def test_it_shows_no_passkey_to_others(client, passkey, olga):
    row = Authenticator.objects.get(type="webauthn")
    client.force_login(olga)
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": 1e11, "reauthenticated": True}]
    session["account_authentication_methods_user"] = str(olga.pk)
    session.save()
    for action in ("name", "remove"):
        assert client.get(f"/account/factor/passkeys/{row.pk}/{action}/").status_code == 404


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "https://evil.testserver", "http://testserver", "https://testserver:8443", "null"],
)
def test_it_refuses_a_passkey_asked_for_by_another_site(client, alice, origin):
    log_in_twice(client)
    passkey = Passkey(origin=origin)
    assert "does not belong" in register(client, passkey).content.decode()
    assert not Authenticator.objects.exists()
    passkey.origin = "https://testserver"
    register(client, passkey)
    client.post("/logout/")
    passkey.origin = origin
    log_in_by(client, passkey)
    assert find_logged_in_name(client) == ""


def test_it_refuses_a_key_without_fingerprint_or_pin_to_log_in_alone(client, passkey, alice):
    """Also where the session asked for less, as for the second factor of another account."""
    passkey.verified = False
    log_in_by(client, passkey)
    assert find_logged_in_name(client) == ""
    asked = client.post("/login/", {"login": "alice", "password": PASSWORD}).url
    options = client.get(asked).context["js_data"]["request_options"]["publicKey"]
    client.post(LOGIN, {"credential": json.dumps(passkey.get(options))})
    assert find_logged_in_name(client) == ""


def test_it_uses_an_answer_once(client, passkey):
    answer = json.dumps(passkey.get(ask_for_log_in(client)))
    client.post(LOGIN, {"credential": answer})
    client.post("/logout/")
    client.post(LOGIN, {"credential": answer})
    assert find_logged_in_name(client) == ""
    ask_for_log_in(client)
    client.post(LOGIN, {"credential": answer})
    assert find_logged_in_name(client) == ""


def test_it_refuses_a_forged_answer(client, passkey, olga):
    forged = Passkey()
    forged.handle = passkey.handle
    log_in_by(client, forged)
    assert find_logged_in_name(client) == ""


def list_damaged_answers(answer):
    yield from ("null", "5", "[]", "{}", '"x"', "[[[", '{"response": 5}', "[" * 5000, '{"a": "\\u0000"}')
    for name in answer:
        yield json.dumps({key: value for key, value in answer.items() if key != name})
    for value in (None, 5, [], {}, "", "AAAA", "é", "A" * 4000, "\x00", "o2NmbXQ"):
        for name in answer:
            yield json.dumps(answer | {name: value})
        for name in answer["response"]:
            yield json.dumps(answer | {"response": answer["response"] | {name: value}})


def test_it_answers_damaged_passkeys(client, passkey, settings):
    settings.MFA_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS = False
    for damaged in list_damaged_answers(passkey.get(ask_for_log_in(client))):
        ask_for_log_in(client)
        assert client.post(LOGIN, {"credential": damaged}).status_code in (302, 400, 422), damaged
    # Leaving out what nobody reads does no harm.
    client.post("/logout/")
    log_in_by(client, passkey)
    client.post("/account/again/", {"password": PASSWORD})
    options = client.get(NEW).context["js_data"]["creation_options"]["publicKey"]
    for damaged in list_damaged_answers(Passkey().create(options)):
        client.get(NEW)
        assert client.post(NEW, {"name": "x", "credential": damaged}).status_code in (200, 302, 400, 422), damaged
    assert client.get("/account/factor/").status_code == 200


def test_it_logs_in_no_closed_account(client, passkey, alice):
    type(alice).objects.filter(pk=alice.pk).update(is_active=False)
    log_in_by(client, passkey)
    assert find_logged_in_name(client) == ""


def test_it_lets_an_administrator_in_with_a_passkey(client, passkey, alice):
    type(alice).objects.filter(pk=alice.pk).update(is_staff=True)
    client.force_login(alice)
    asked = client.get("/administration/").url
    assert asked == "/account/factor/passkeys/again/?next=/administration/"
    options = client.get(asked).context["js_data"]["request_options"]["publicKey"]
    wrong = client.post(asked, {"credential": '{"id": 1}'})
    assert wrong.status_code == 422
    assert "does not belong" in wrong.content.decode()
    options = client.get(asked).context["js_data"]["request_options"]["publicKey"]
    entered = client.post(asked, {"credential": json.dumps(passkey.get(options))})
    assert entered.url == "/administration/"
    assert client.get(entered.url).status_code == 200
    TOTP.activate(alice, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    other = Client()
    other.force_login(alice)
    assert other.get("/administration/").url == "/account/factor/again/?next=/administration/"


def test_it_limits_the_number_of_passkeys(client, alice):
    log_in_twice(client)
    register(client, Passkey())
    data = Authenticator.objects.get(type="webauthn").data
    Authenticator.objects.bulk_create(Authenticator(user=alice, type="webauthn", data=data) for _ in range(19))
    assert "at most 20 passkeys" in register(client, Passkey()).content.decode()


def register_and_disconnect(client, passkey):
    try:
        return register(client, passkey).content.decode()
    finally:
        connection.close()


def wait_until_somebody_waits():
    with connection.cursor() as cursor:
        while cursor.rowcount < 1:
            cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted")


@pytest.mark.django_db(transaction=True)
def test_it_limits_the_number_of_passkeys_that_are_added_at_once(client, alice):
    log_in_twice(client)
    register(client, Passkey())
    data = Authenticator.objects.get(type="webauthn").data
    Authenticator.objects.bulk_create(Authenticator(user=alice, type="webauthn", data=data) for _ in range(18))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            lock_login_methods(alice.pk)
            second = pool.submit(register_and_disconnect, client, Passkey())
            wait_until_somebody_waits()
            Authenticator.objects.create(user=alice, type="webauthn", data=data)
        assert "at most 20 passkeys" in second.result()
    assert Authenticator.objects.filter(type="webauthn").count() == 20


def test_it_keeps_no_session_of_who_only_looks_at_the_log_in(client):
    client.get("/login/")
    assert not Session.objects.exists()


def list_failures():
    """(subject, person, reason) of the failed log-ins in the audit trail, oldest first."""
    events = AuditEvent.objects.filter(action="account.login_failed").order_by("pk")
    return list(events.values_list("subject", "person__username", "reason"))


def test_it_records_failed_log_ins_by_passkey(client, passkey, olga):
    forged = Passkey()
    forged.handle = passkey.handle
    log_in_by(client, forged)
    client.post(LOGIN, {"credential": '{"id": "AAAA"}'})
    passkey.origin = "https://evil.example"
    log_in_by(client, passkey)
    assert list_failures() == [("passkey", "alice", ""), ("passkey", None, ""), ("passkey", "alice", "")]


def test_it_records_and_limits_wrong_second_factors(client, passkey):
    asked = client.post("/login/", {"login": "alice", "password": PASSWORD}).url
    client.post(asked, {"code": "123456"})
    for _ in range(9):
        said = client.post(asked, {"credential": '{"id": 1}'}).content.decode()
    assert "Too many failed logins" in said
    assert list_failures() == [
        ("code as second factor", "alice", ""),
        *[("passkey as second factor", "alice", "")] * 4,
    ]


def test_it_records_failed_confirmations(client, passkey):
    log_in_by(client, passkey)
    client.post("/account/again/", {"password": "wrong"})
    client.post("/account/password/", {"oldpassword": "wrong", "password1": "another one", "password2": "another one"})
    client.post("/account/factor/again/", {"code": "123456"})
    client.post("/account/factor/passkeys/again/", {"credential": '{"id": 1}'})
    assert list_failures() == [
        ("password to confirm", "alice", ""),
        ("password to confirm", "alice", ""),
        ("code to confirm", "alice", ""),
        ("passkey to confirm", "alice", ""),
    ]
    assert {event.actor.username for event in AuditEvent.objects.filter(action="account.login_failed")} == {"alice"}


def test_it_refuses_a_passkey_that_counts_less_than_before(client, passkey):
    log_in_by(client, passkey)
    client.post("/logout/")
    for behind in (0, -1):
        passkey.counter += behind
        passkey.counts = False
        assert "may have been copied" in log_in_by(client, passkey).content.decode()
        assert find_logged_in_name(client) == ""
    assert list_failures() == [("passkey", "alice", "The passkey may have been copied.")] * 2
    passkey.counter += 2
    log_in_by(client, passkey)
    assert find_logged_in_name(client) == "alice"


def test_it_accepts_passkeys_that_do_not_count(client, alice):
    log_in_twice(client)
    shared = Passkey(counts=False)
    register(client, shared)
    for _ in range(2):
        client.post("/logout/")
        log_in_by(client, shared)
        assert find_logged_in_name(client) == "alice"


def test_it_keeps_a_passkey_that_is_a_second_factor_from_logging_in_alone(client, alice):
    log_in_twice(client)
    second = Passkey()
    register(client, second, passwordless="")
    client.post("/logout/")
    assert "log in with your password first" in log_in_by(client, second).content.decode()
    assert find_logged_in_name(client) == ""
    asked = client.post("/login/", {"login": "alice", "password": PASSWORD}).url
    options = client.get(asked).context["js_data"]["request_options"]["publicKey"]
    client.post(asked, {"credential": json.dumps(second.get(options))})
    assert find_logged_in_name(client) == "alice"
