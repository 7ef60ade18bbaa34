"""Secrets in requests and answers are never shown."""

import pytest

from servers.calls.secret_masking import decode_printable_and_mask_secrets, mask_secrets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "POST / HTTP/1.1\r\nAuthorization: Basic c2VjcmV0\r\nHost: a",
            "POST / HTTP/1.1\r\nAuthorization: [masked]\r\nHost: a",
        ),
        ("proxy-authorization:  Bearer s3cret", "proxy-authorization:  [masked]"),
        ("Set-Cookie: id=s3cret; Path=/", "Set-Cookie: [masked]"),
        ("X-Api-Key: s3cret", "X-Api-Key: [masked]"),
        ("GET /annotate?apikey=s3cret&pmid=1 HTTP/1.1", "GET /annotate?apikey=[masked]&pmid=1 HTTP/1.1"),
        ("GET /annotate?pmid=1&key=s3cret", "GET /annotate?pmid=1&key=[masked]"),
        ("api_key=s3cret&pmid=1", "api_key=[masked]&pmid=1"),
        ('{"becalm_key": "s3\\"cret", "id": 7}', '{"becalm_key": [masked], "id": 7}'),
        ('{"becalm_key": "cut off here', '{"becalm_key": [masked]'),
        (
            "<member><name>apikey</name><value><string>s3cret</string></value></member>",
            "<member><name>apikey</name><value><string>[masked]</string></value></member>",
        ),
        ("http://name:s3cret@example.org/", "http://[masked]@example.org/"),
    ],
)
def test_it_masks_the_secret_and_nothing_else(text, expected):
    assert mask_secrets(text) == expected


@pytest.mark.parametrize("text", ["", "The key residue: K27.", "token ring: a=b", '{"identifier": "P12345"}'])
def test_it_leaves_other_text_alone(text):
    assert mask_secrets(text) == text


def test_it_makes_any_bytes_readable():
    assert (
        decode_printable_and_mask_secrets(b"\xff<b>\x00\tok\n")
        == "\N{REPLACEMENT CHARACTER}<b>\N{REPLACEMENT CHARACTER}\tok\n"
    )
