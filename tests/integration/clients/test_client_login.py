"""Where the address and the token come from, and where the token may go."""

import json
import os

import pytest

from bcms_client import AsyncClient, Client, ConfigurationError
from bcms_client.login import Login, find_login, read_login_file, store_login

SITE = "https://bcms.example.org"


def test_arguments_come_before_the_environment_and_that_before_the_file(monkeypatch):
    store_login(Login(SITE, "bcms_stored"))
    assert find_login() == Login(SITE, "bcms_stored")
    monkeypatch.setenv("BCMS_TOKEN", "bcms_environment")
    assert find_login() == Login(SITE, "bcms_environment")
    monkeypatch.setenv("BCMS_URL", "https://other.example/")
    assert find_login() == Login("https://other.example", "bcms_environment")
    assert find_login(SITE, " bcms_argument\n") == Login(SITE, "bcms_argument")
    assert find_login(SITE, "") == Login(SITE)


@pytest.mark.parametrize("variables", [{"BCMS_URL": SITE}, {}], ids=["its-variable", "login"])
def test_the_token_of_the_environment_goes_to_its_site_only(monkeypatch, variables):
    store_login(Login("https://stored.example" if variables else SITE, "bcms_stored"))
    monkeypatch.setenv("BCMS_TOKEN", "bcms_environment")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert find_login(f"{SITE}/").token == "bcms_environment"
    with pytest.raises(
        ConfigurationError, match=r"BCMS_TOKEN is for https://bcms\.example\.org, not for https://other"
    ):
        find_login("https://other.example")
    assert find_login("https://other.example", "bcms_argument").token == "bcms_argument"
    assert find_login("https://other.example", "").token == ""
    monkeypatch.setenv("BCMS_TOKEN", "")
    assert find_login("https://other.example").token == ""


def test_the_only_site_that_is_named_gets_the_token_of_the_environment(monkeypatch):
    monkeypatch.setenv("BCMS_TOKEN", "bcms_environment")
    assert find_login(SITE).token == "bcms_environment"


def test_what_is_given_otherwise_needs_no_file(login_file, monkeypatch):
    login_file.parent.mkdir()
    login_file.write_text("damaged")
    assert find_login(SITE, "bcms_argument").token == "bcms_argument"
    monkeypatch.setenv("BCMS_URL", SITE)
    monkeypatch.setenv("BCMS_TOKEN", "bcms_environment")
    assert find_login() == Login(SITE, "bcms_environment")


def test_the_stored_token_goes_to_its_site_only():
    store_login(Login(SITE, "bcms_stored"))
    assert find_login(f"{SITE}/").token == "bcms_stored"
    for other in ("https://other.example", f"{SITE}:8443", f"{SITE}/path", f"{SITE}.evil.example"):
        assert find_login(other).token == ""


def test_the_file_is_for_its_owner_alone(login_file):
    login_file.parent.mkdir()
    login_file.write_text("{}")
    login_file.chmod(0o644)
    store_login(Login(SITE, "bcms_stored"))
    assert login_file.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in login_file.parent.iterdir()] == ["bcms.json"]
    assert json.loads(login_file.read_text()) == {"url": SITE, "token": "bcms_stored"}
    login_file.chmod(0o640)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        find_login()


@pytest.mark.parametrize("content", ["", "[]", "{}", "5", '{"url": 1, "token": ""}', '{"url": "ftp://x", "token": ""}'])
def test_a_damaged_file_is_told(login_file, content):
    login_file.parent.mkdir()
    login_file.touch(0o600)
    login_file.write_text(content)
    with pytest.raises(ConfigurationError):
        find_login()


def test_without_a_site_it_says_how_to_choose_one():
    assert read_login_file() is None
    with pytest.raises(ConfigurationError, match="bcms login URL"):
        Client()


@pytest.mark.parametrize(
    "url",
    [
        *("http://bcms.example.org", "http://127.0.0.1.example.org", "http://10.0.0.1", "ftp://127.0.0.1", "bcms"),
        *(
            "https://",
            "https://name:word@bcms.example.org",
            "https://x/?a=b",
            "https://x/#a",
            "https://x:port",
            "https://[",
            "https://a\0b",
            "https://[v1.a]",
        ),
    ],
)
def test_it_refuses_addresses_that_would_show_the_token(url):
    with pytest.raises(ConfigurationError):
        Client(url, "bcms_secret")


@pytest.mark.parametrize("url", ["https://x", "http://localhost:8000", "http://127.0.0.1", "http://[::1]:8000/below/"])
def test_it_takes_https_and_this_machine(url):
    assert find_login(url).url == url.rstrip("/")


@pytest.mark.parametrize("token", ["two words", "a\nb", "é", "a\x7f"])
def test_a_token_that_cannot_be_one_is_not_repeated(token):
    with pytest.raises(ConfigurationError) as raised:
        Client(SITE, token)
    assert token not in str(raised.value)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_no_text_of_a_client_has_the_token(kind):
    client = kind(SITE, "bcms_secret")
    assert repr(client) == f"{kind.__name__}('{SITE}')"
    assert "bcms_secret" not in repr(vars(client))
    assert "bcms_secret" not in repr(find_login(SITE, "bcms_secret"))


def test_what_was_left_by_an_interrupted_login_is_replaced(login_file):
    login_file.parent.mkdir()
    login_file.with_name(f".bcms.json.{os.getpid()}").write_text("half")
    store_login(Login(SITE, "bcms_stored"))
    assert find_login().token == "bcms_stored"
