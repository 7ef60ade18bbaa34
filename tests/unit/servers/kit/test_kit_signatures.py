"""The kit verifies signatures that the library of the Standard Webhooks specification made, and nothing else."""

from datetime import UTC, datetime, timedelta

import pytest
import standardwebhooks

from bcms.lib.http.message_signatures import build_signature_headers, generate_signing_secret, parse_signing_key
from servers.kit.signatures import SignatureError, verify_signature

SECRET = generate_signing_secret()
BODY = '{"text": "β-catenin"}'


def sign(body=BODY, secret=SECRET, age=timedelta(0), message_id="call_1"):
    at = datetime.now(UTC) - age
    signature = standardwebhooks.Webhook(secret).sign(message_id, at, body)
    return {
        "Webhook-Id": message_id,
        "Webhook-Timestamp": str(int(at.timestamp())),
        "Webhook-Signature": signature,
    }


@pytest.mark.parametrize("body", [BODY, "", "\x00"])
def test_it_accepts_a_fresh_signature(body):
    verify_signature(sign(body), body.encode(), SECRET)


def test_one_of_several_signatures_is_enough():
    other = sign(secret=generate_signing_secret())["Webhook-Signature"]
    headers = sign()
    headers["Webhook-Signature"] = f"v1,x v2,é {other} {headers['Webhook-Signature']}"
    verify_signature(headers, BODY.encode(), SECRET)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Webhook-Id": "call_2"}, "No signature matches"),
        ({"Webhook-Id": "é"}, "No signature matches"),
        ({"Webhook-Id": ""}, "no header webhook-id: it is not signed"),
        ({"Webhook-Timestamp": "1700000000"}, "No signature matches"),
        ({"Webhook-Timestamp": "now"}, "not a time in seconds"),
        ({"Webhook-Timestamp": "-1"}, "not a time in seconds"),
        ({"Webhook-Timestamp": "9" * 400}, "not a time in seconds"),
        ({"Webhook-Signature": ""}, "no header webhook-signature"),
        ({"Webhook-Signature": "v1,"}, "No signature matches"),
        ({"Webhook-Signature": "v1,\ud800"}, "No signature matches"),
    ],
)
def test_it_refuses_what_is_not_authentic(changes, message):
    with pytest.raises(SignatureError, match=message):
        verify_signature(sign() | changes, BODY.encode(), SECRET)


@pytest.mark.parametrize("body", [BODY.encode() + b" ", b""])
def test_it_refuses_another_body(body):
    with pytest.raises(SignatureError, match="No signature matches"):
        verify_signature(sign(), body, SECRET)


def test_it_refuses_the_signature_of_another_secret():
    with pytest.raises(SignatureError, match="No signature matches"):
        verify_signature(sign(secret=generate_signing_secret()), BODY.encode(), SECRET)


@pytest.mark.parametrize("age", [timedelta(seconds=400), timedelta(seconds=-400)])
def test_it_refuses_old_and_future_signatures_unless_tolerated(age):
    with pytest.raises(SignatureError, match="more than 300 s ago or ahead"):
        verify_signature(sign(age=age), BODY.encode(), SECRET)
    verify_signature(sign(age=age), BODY.encode(), SECRET, tolerance_seconds=900)


def test_the_library_verifies_ours():
    now = int(datetime.now(UTC).timestamp())
    headers = dict(build_signature_headers([SECRET], "call_1", now, BODY.encode()))
    standardwebhooks.Webhook(SECRET).verify(BODY, headers)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_*", "whsec_a"])
def test_it_says_what_a_secret_is(secret):
    with pytest.raises(ValueError, match="whsec_ and base64") as caught:
        parse_signing_key(secret)
    assert "*" not in str(caught.value)
