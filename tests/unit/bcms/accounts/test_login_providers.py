"""LOGIN_PROVIDERS: what the operator writes is checked, secrets stay secret, and addresses stay encrypted."""

import json

import pytest
from django.core.exceptions import ImproperlyConfigured

from bcms.accounts.providers.configuration import is_provider_url, parse_login_providers

ORCID = {
    "id": "orcid",
    "name": "ORCID",
    "issuer": "https://orcid.org",
    "client_id": "APP-1",
    "secret": "s3cret-of-the-site",
}


def test_it_reads_providers_and_keeps_their_secrets_to_itself():
    assert parse_login_providers("") == ()
    other = ORCID | {"id": "uni", "name": "University", "issuer": "https://id.uni.example/realms/a"}
    providers = parse_login_providers(json.dumps([ORCID, other]))
    assert [(each.id, each.secret) for each in providers] == [("orcid", ORCID["secret"]), ("uni", ORCID["secret"])]
    assert ORCID["secret"] not in repr(providers)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (ORCID, "it is not a list"),
        (["orcid"], "provider 1 does not have exactly the members"),
        ([ORCID | {"scope": "email"}], "provider 1 does not have exactly the members"),
        ([ORCID, ORCID | {"id": "b", "name": "B"}], "two providers have the same issuer"),
        ([ORCID, ORCID | {"issuer": "https://b.example", "name": "B"}], "two providers have the same id"),
        ([ORCID | {"secret": ORCID["secret"] + "\n"}], "the secret of provider 1 is not a text"),
        ([ORCID | {"name": " "}], "the name of provider 1 is not a text"),
        ([ORCID | {"name": "n" * 41}], "the name of provider 1 is not a text of 1 to 40 characters"),
        ([ORCID | {"id": "../admin"}], "the id of provider 1 has others than small letters"),
        *(
            ([ORCID | {"issuer": issuer}], "the issuer of provider 1 is not an address that begins with https://")
            for issuer in (
                *("http://orcid.org", "http://localhost", "https://", "https://a@orcid.org", "https://orcid.org?a=b"),
                *(
                    "https://orcid.org/#",
                    "https://örcid.org",
                    "https://orcid.org:x",
                    "https://[",
                    "javascript:alert(1)",
                ),
            )
        ),
    ],
)
def test_it_says_what_is_wrong_without_a_secret(rows, reason):
    with pytest.raises(ImproperlyConfigured, match=reason) as raised:
        parse_login_providers(json.dumps(rows))
    assert ORCID["secret"] not in str(raised.value)


def test_what_is_not_json_is_not_repeated():
    with pytest.raises(ImproperlyConfigured, match="it is not JSON") as raised:
        parse_login_providers(json.dumps([ORCID])[:-1])
    assert ORCID["secret"] not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "issuer", "is_accepted"),
    [
        ("https://id.example/token?tenant=1", "https://id.example", True),
        ("http://127.0.0.1:9/token", "http://127.0.0.1:9", True),
        ("http://127.0.0.1:9/token", "https://id.example", False),
        ("http://127.0.0.1:9/token", "HTTPS://id.example", False),
        ("http://10.0.0.1/token", "http://127.0.0.1:9", False),
        ("http://localhost/token", "http://127.0.0.1:9", False),
        ("https://me:pass@id.example/", "https://id.example", False),
        ("https://id.example/a b", "https://id.example", False),
    ],
)
def test_secrets_go_to_encrypted_addresses_or_to_this_machine(url, issuer, is_accepted):
    assert is_provider_url(url, issuer=issuer) == is_accepted
