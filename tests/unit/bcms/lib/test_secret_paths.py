"""The log keeps where a request went, and not what would open it."""

import logging

import pytest
from django.urls import get_resolver

from bcms.lib.secret_paths import SECRET_PATH, SecretPathFilter


@pytest.mark.parametrize(
    ("message", "arguments", "logged"),
    [
        ("%s: %s", ("Not Found", "/manuscripts/open/a-B_c/"), "Not Found: /manuscripts/open/***/"),
        ("%s: %s", ("Not Found", "/manuscripts/open/a/b"), "Not Found: /manuscripts/open/***/b"),
        ("Forbidden (%s): %s", ("no cookie", "/invitations/abc/"), "Forbidden (no cookie): /invitations/***/"),
        ("/mail/stop/1:x:y/ and /account/reset/1-a-b/", (), "/mail/stop/***/ and /account/reset/***/"),
        ("%s: %s", ("Not Found", "/manuscripts/7/"), "Not Found: /manuscripts/7/"),
        ("100%", (), "100%"),
    ],
)
def test_it_leaves_secrets_out(message, arguments, logged):
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, message, arguments, None)
    assert SecretPathFilter().filter(record)
    assert record.getMessage() == logged


def list_patterns(resolver, before=""):
    for pattern in resolver.url_patterns:
        whole = before + str(pattern.pattern)
        yield from list_patterns(pattern, whole) if hasattr(pattern, "url_patterns") else [whole]


def test_it_knows_every_address_with_a_token():
    with_token = [pattern for pattern in list_patterns(get_resolver()) if "<str:token>" in pattern]
    assert len(with_token) >= 4
    assert [pattern for pattern in with_token if not SECRET_PATH.search("/" + pattern)] == []
