"""Providers, and people at them, who try to log in as somebody else: nobody is logged in, and nothing is stored."""

import base64
import hmac
import json
import time

import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.test import Client

from bcms.accounts.providers import metadata
from tests.identity_provider import CLIENT_ID, IdentityProvider, describe_key, make_key
from tests.integration.provider_cast import (
    CALLBACK,
    START,
    connect,
    find_link,
    find_logged_in_name,
    log_in_by,
)

pytestmark = pytest.mark.django_db
ELSEWHERE = "http://192.0.2.1/"


def encode_part(part):
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def sign_with_public_key(provider):
    """A token whose shared secret is the provider's public key, which everybody has."""
    pem = provider.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def sign(nonce):
        now = int(time.time())
        claims = {"iss": provider.issuer, "aud": CLIENT_ID, "sub": "subject-1", "iat": now, "exp": now + 60}
        content = f"{encode_part({'alg': 'HS256', 'kid': '1'})}.{encode_part(claims | {'nonce': nonce})}"
        signature = base64.urlsafe_b64encode(hmac.digest(pem, content.encode(), "sha256")).rstrip(b"=").decode()
        return f"{content}.{signature}"

    return sign


def leave_unsigned(provider):
    signed = provider.sign

    def sign(nonce):
        return f"{encode_part({'alg': 'none', 'kid': '1'})}.{signed(nonce).split('.')[1]}."

    return sign


def sign_by_own_key(provider):
    """A token that brings its key along."""
    provider.key = make_key(number=1)
    provider.header = {"jwk": describe_key(provider.key), "jku": f"{provider.issuer}/other-keys"}


def use_elliptic_key(provider):
    provider.key, provider.algorithm = ec.generate_private_key(ec.SECP256R1()), "ES256"


def use_small_key(provider):
    provider.key = make_key(1024)
    provider.keys = [describe_key(provider.key)]


def use_private_key(provider):
    """As public keys have no private part, who publishes one does not know what they do."""
    provider.keys = [{**describe_key(provider.key), "d": "AQAB", "p": "AQAB"}]


WRONG_SIGNATURES = {
    "no signature": lambda provider: setattr(provider, "sign", leave_unsigned(provider)),
    "public key as a secret": lambda provider: setattr(provider, "sign", sign_with_public_key(provider)),
    "another key": lambda provider: setattr(provider, "key", make_key(number=1)),
    "its own key": sign_by_own_key,
    "a longer hash": lambda provider: setattr(provider, "algorithm", "RS512"),
    "an elliptic curve": use_elliptic_key,
    "a small key": use_small_key,
    "a published private key": use_private_key,
    "a key that is not listed": lambda provider: provider.header.update(kid="2"),
    "one of two keys without a name": lambda provider: (
        provider.header.update(kid=None),
        provider.keys.append(describe_key(make_key(number=1), kid="2")),
    ),
    "a key for encryption": lambda provider: provider.keys[0].update(use="enc"),
    "a key for another algorithm": lambda provider: provider.keys[0].update(alg="PS256"),
    "keys that are no keys": lambda provider: setattr(provider, "keys", ["1", {"kty": "RSA", "kid": "1"}]),
    "an unknown critical header": lambda provider: provider.header.update(crit=["evil"], evil=1),
}
WRONG_CLAIMS = [
    *({"iss": issuer} for issuer in ("https://evil.example", None, 1)),
    *({"aud": audience} for audience in ("others", None, [], ["others"], ["others", CLIENT_ID])),
    {"azp": "others"},
    *({"exp": end} for end in (1, None, "tomorrow")),
    *({"iat": start} for start in (None, 10**12, "now")),
    {"nbf": 10**12},
    *({"nonce": nonce} for nonce in ("another", None, 1, "", "é", "\ud800")),
    *({"sub": subject} for subject in (None, "", 7, "two words", "x" * 192, "nul\x00", "é", "\ud800")),
]
WRONG_METADATA = [
    *({"issuer": issuer} for issuer in ("https://evil.example", None, ["a"])),
    *({"token_endpoint": url} for url in (None, 1, "", "file:///etc/passwd", ELSEWHERE, "https://a@b/")),
    *({"jwks_uri": url} for url in (ELSEWHERE, "http://localhost/", "//127.0.0.1/", "https://x/" + "y" * 1000)),
    *({"authorization_endpoint": url} for url in ("javascript:alert(1)", "https://x/\r\nA: b", "https://x/#a")),
]
PAGES = ["/.well-known/openid-configuration", "/keys", "/token"]
WRONG_ANSWERS = [
    (302, {"Location": "/elsewhere"}, b""),
    (500, {}, b"{}"),
    (200, {}, b"<p>not JSON</p>"),
    (200, {}, b"[]"),
    (200, {}, b"{}"),
    (200, {}, b"[" * 100_000),
    (200, {}, b'{"id_token": 1, "keys": 1}'),
    (200, {}, b'{"id_token": "a.b.c", "keys": []}'),
    (200, {}, b'{"a": "' + b"x" * metadata.MOST_BYTES + b'"}'),
    (200, {"Content-Length": "1000000"}, b"{}"),
]


def check_nobody_is_logged_in(client, response):
    assert response.status_code == 400
    assert find_logged_in_name(client) == ""
    assert "socialaccount_sociallogin" not in client.session
    assert SocialAccount.objects.count() <= 1


@pytest.fixture
def connected(alice, provider):
    return connect(alice, provider)


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
@pytest.mark.parametrize("name", WRONG_SIGNATURES)
def test_it_accepts_no_token_with(name, client, provider, connected):
    WRONG_SIGNATURES[name](provider)
    check_nobody_is_logged_in(client, log_in_by(client, provider))


def test_it_looks_for_no_primes_of_a_private_key(client, provider, connected, monkeypatch):
    """With long numbers that are no key, it would take minutes."""
    looked_for = []
    monkeypatch.setattr("jwt.algorithms.rsa_recover_prime_factors", lambda *numbers: looked_for.append(numbers))
    provider.keys[0]["d"] = "AQAB"
    check_nobody_is_logged_in(client, log_in_by(client, provider))
    assert looked_for == []


@pytest.mark.parametrize("claims", WRONG_CLAIMS, ids=ascii)
def test_it_accepts_no_token_with_claims(claims, client, provider, connected):
    provider.claims.update(claims)
    check_nobody_is_logged_in(client, log_in_by(client, provider))


@pytest.mark.parametrize("found", WRONG_METADATA, ids=str)
def test_it_goes_to_no_address_that_is_not_safe(found, client, provider):
    provider.metadata.update(found)
    check_nobody_is_logged_in(client, client.post(START))
    assert [path for path, _ in provider.came] == PAGES[:1]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("answer", WRONG_ANSWERS, ids=range(len(WRONG_ANSWERS)))
def test_it_survives_wrong_answers(path, answer, client, provider, connected):
    provider.sends[path] = answer
    response = client.post(START)
    if response.status_code == 200:
        response = client.get(CALLBACK, provider.authorize(find_link(response)))
    check_nobody_is_logged_in(client, response)
    assert "/elsewhere" not in [path for path, _ in provider.came]


def test_it_accepts_a_key_without_a_name_if_it_is_the_only_one(client, provider, connected):
    provider.header["kid"] = None
    log_in_by(client, provider)
    assert find_logged_in_name(client) == "alice"


def test_it_looks_for_the_keys_again_when_they_were_changed(client, provider, connected):
    log_in_by(client, provider)
    client.post("/logout/")
    provider.key = make_key(number=1)
    provider.keys, provider.header = [describe_key(provider.key, kid="2")], {"kid": "2"}
    log_in_by(client, provider)
    assert find_logged_in_name(client) == "alice"


def test_it_takes_an_answer_once(client, provider, connected):
    answer = provider.authorize(find_link(client.post(START)))
    client.get(CALLBACK, answer)
    client.post("/logout/")
    check_nobody_is_logged_in(client, client.get(CALLBACK, answer))


def test_it_takes_no_answer_in_the_session_of_somebody_else(client, provider, connected):
    """Else people could be logged in as an attacker, and would give them what they write."""
    answer = provider.authorize(find_link(client.post(START)))
    victim = Client()
    check_nobody_is_logged_in(victim, victim.get(CALLBACK, answer))
    victim.post(START)
    check_nobody_is_logged_in(victim, victim.get(CALLBACK, answer))


def test_it_takes_no_code_of_another_log_in(client, provider, connected):
    """The code is of the attacker's log-in, the state of the victim's: PKCE and the nonce tell them apart."""
    stolen = provider.authorize(find_link(Client().post(START)))
    own = provider.authorize(find_link(client.post(START)))
    check_nobody_is_logged_in(client, client.get(CALLBACK, {**own, "code": stolen["code"]}))


def test_it_takes_no_answer_at_the_address_of_another_provider(client, provider, connected, settings):
    with IdentityProvider() as evil:
        settings.LOGIN_PROVIDERS = (*settings.LOGIN_PROVIDERS, evil.configure("evil", "Evil"))
        answer = provider.authorize(find_link(client.post(START)))
        check_nobody_is_logged_in(client, client.get("/login/with/evil/callback/", answer))
        assert evil.came == []


def test_a_subject_counts_at_its_own_provider_only(client, provider, connected, settings):
    with IdentityProvider() as evil:
        settings.LOGIN_PROVIDERS = (evil.configure(),)
        assert log_in_by(client, evil).url == "/signup/with/"
    assert find_logged_in_name(client) == ""


@pytest.mark.parametrize("named", ["https://evil.example", ""])
def test_it_takes_no_answer_that_names_another_provider(client, provider, connected, named):
    answer = provider.authorize(find_link(client.post(START)))
    check_nobody_is_logged_in(client, client.get(CALLBACK, {**answer, "iss": named}))


def test_it_takes_no_answer_without_a_name_where_the_provider_names_itself(client, provider, connected):
    provider.metadata["authorization_response_iss_parameter_supported"] = True
    check_nobody_is_logged_in(client, log_in_by(client, provider))
    answer = provider.authorize(find_link(client.post(START)))
    client.get(CALLBACK, {**answer, "iss": provider.issuer})
    assert find_logged_in_name(client) == "alice"


@pytest.mark.parametrize("query", [{}, {"state": ""}, {"state": "\x00"}, {"code": "a"}, {"state": "x", "code": "a"}])
def test_it_takes_no_answer_without_a_log_in(client, provider, query):
    check_nobody_is_logged_in(client, client.get(CALLBACK, query))
    client.post(START)
    check_nobody_is_logged_in(client, client.get(CALLBACK, query))


@pytest.mark.parametrize("code", ["", "x" * 5000])
def test_it_takes_no_answer_without_a_code_of_usual_length(client, provider, code):
    state = provider.authorize(find_link(client.post(START)))["state"]
    check_nobody_is_logged_in(client, client.get(CALLBACK, {"state": state, "code": code}))
    assert "/token" not in [path for path, _ in provider.came]


def test_it_shows_nothing_that_the_provider_writes_about_an_error(client, provider):
    state = provider.authorize(find_link(client.post(START)))["state"]
    text = "Call+0900-555 <script>alert(1)</script>"
    said = client.get(CALLBACK, {"state": state, "error": text, "error_description": text, "error_uri": text})
    check_nobody_is_logged_in(client, said)
    assert "0900" not in said.content.decode()


def test_it_says_that_the_person_did_not_continue(client, provider):
    state = provider.authorize(find_link(client.post(START)))["state"]
    said = client.get(CALLBACK, {"state": state, "error": "access_denied"})
    assert "You did not continue at Stand-in" in said.content.decode()


def test_it_changes_nobody_who_is_logged_in_already(client, provider, connected, django_user_model):
    """In another tab, after the log-in had begun."""
    answer = provider.authorize(find_link(client.post(START)))
    client.force_login(django_user_model.objects.create_user("bob"))
    assert client.get(CALLBACK, answer).status_code == 400
    assert find_logged_in_name(client) == "bob"


def test_it_follows_the_person_and_not_the_address_that_was_changed_at_the_provider(client, provider, connected):
    provider.claims.update(sub="subject-2", email="alice@example.org", email_verified=True)
    assert log_in_by(client, provider).url == "/signup/with/"
    assert find_logged_in_name(client) == ""


def test_it_shortens_and_cleans_the_name_of_the_person(client, provider):
    provider.claims["name"] = "\x1b[31m" + "n" * 500 + "\u202e"
    log_in_by(client, provider)
    client.post("/signup/with/", {"username": "ada", "email": "ada@example.org"})
    name = SocialAccount.objects.get().extra_data["name"]
    assert len(name) <= 100
    assert name.isprintable()
