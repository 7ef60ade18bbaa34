"""Passwords are counted before they are checked: by address and name, by address, and by account."""

from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pytest
from django.core.cache import cache
from django.test import RequestFactory
from rest_framework.authentication import BasicAuthentication
from rest_framework.exceptions import AuthenticationFailed

from bcms.api import authentication
from bcms.api.authentication import PasswordAuthentication
from bcms.lib.rest.limits import TooManyRequests


class Account:
    pk = 1


@pytest.fixture
def checked(monkeypatch):
    """The passwords that were checked; only "right" is right. Without a database."""
    passwords, lock = [], Lock()

    def check(self, userid, password, request=None):
        with lock:
            passwords.append(password)
        if password != "right":
            raise AuthenticationFailed
        return Account(), None

    monkeypatch.setattr(BasicAuthentication, "authenticate_credentials", check)
    monkeypatch.setattr(authentication, "find_account_by_login", lambda name: Account() if "alice" in name else None)
    monkeypatch.setattr(authentication, "record_audit_event", lambda *_, **__: None)
    monkeypatch.setattr(authentication, "_check_password_suffices", lambda user: None)
    monkeypatch.setattr(authentication, "SECONDS_BETWEEN_WAITS", 0.001)
    return passwords


def try_password(password, name="alice", address="192.0.2.1"):
    """The status that the attempt gets."""
    request = RequestFactory().get("/api/v1/teams/", REMOTE_ADDR=address)
    try:
        PasswordAuthentication().authenticate_credentials(name, password, request)
    except AuthenticationFailed:
        return 401
    except TooManyRequests:
        return 429
    return 200


def test_it_checks_no_more_passwords_at_once_than_are_allowed(checked):
    with ThreadPoolExecutor(40) as pool:
        statuses = list(pool.map(try_password, map(str, range(40))))
    assert len(checked) == authentication.MOST_FAILURES_OF_NAME
    assert sorted(statuses) == [401] * 10 + [429] * 30


def test_it_lets_right_passwords_in_however_many_come_at_once(checked):
    with ThreadPoolExecutor(40) as pool:
        assert set(pool.map(try_password, ["right"] * 80)) == {200}
    for _ in range(9):
        assert try_password("wrong") == 401
    assert {try_password("right") for _ in range(20)} == {200}


def test_it_counts_an_account_over_its_names_and_over_addresses(checked, monkeypatch):
    monkeypatch.setattr(authentication, "MOST_FAILURES_OF_ACCOUNT", 12)
    for number in range(10):
        assert try_password("wrong", ("alice", "alice@example.org")[number % 2]) == 401
    assert try_password("right") == 429
    assert [try_password("wrong", address="192.0.2.2") for _ in range(3)] == [401, 401, 429]
    assert try_password("right", address="192.0.2.3") == 429
    assert try_password("wrong", "bob", "192.0.2.3") == 401


def test_it_counts_a_network_of_ipv6_as_one_address(checked):
    statuses = [try_password("wrong", address=f"2001:db8::{number:x}") for number in range(11)]
    assert statuses == [401] * 10 + [429]
    assert try_password("wrong", address="2001:db8:0:1::1") == 401


def test_it_forgets_with_the_window(checked):
    for _ in range(10):
        try_password("wrong")
    cache.clear()
    assert try_password("right") == 200
