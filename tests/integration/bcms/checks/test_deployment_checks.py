"""What the system checks find in the settings of a deployment: URL, HTTPS, keys, mail and folders."""

import json
from types import SimpleNamespace

import pytest

from bcms.checks import deployment
from bcms.lib.sealing import generate_public_and_private_key, parse_optional_private_key, parse_optional_public_key
from bcms.mail.mail_url import parse_mail_url


@pytest.fixture
def public_site(settings):
    settings.SITE_URL, settings.ALLOWED_HOSTS = "https://bcms.example.org", ["bcms.example.org"]
    settings.SECURE_SSL_REDIRECT = True
    settings.DEFAULT_FROM_EMAIL = "BCMS <bcms@example.org>"
    return settings


def list_check_ids(check):
    return [message.id for message in check(None)]


def test_it_finds_nothing_in_a_public_site_with_https(public_site):
    for check in (deployment.check_public_url, deployment.check_encryption_of_site, deployment.check_mail):
        assert list_check_ids(check) == []


@pytest.mark.parametrize(
    "url", ["bcms.example.org", "ftp://bcms.example.org", "https://bcms.example.org/site/", "", "https://"]
)
def test_it_refuses_a_url_of_no_site(public_site, url):
    public_site.SITE_URL = url

    assert list_check_ids(deployment.check_public_url) == ["bcms.E005"]


def test_it_refuses_a_host_that_the_site_does_not_answer(public_site):
    public_site.ALLOWED_HOSTS = ["localhost"]

    assert list_check_ids(deployment.check_public_url) == ["bcms.E006"]


@pytest.mark.parametrize("name", ["SOURCE_URL", "PRIVACY_URL", "TERMS_URL"])
def test_it_refuses_links_that_lead_to_no_page(public_site, name):
    for url in ("javascript:alert(1)", "example.org/privacy", "https://", "https://["):
        setattr(public_site, name, url)
        assert list_check_ids(deployment.check_links_of_foot) == ["bcms.E012"], url
    for url in ("", "https://example.org/page"):
        setattr(public_site, name, url)
        assert list_check_ids(deployment.check_links_of_foot) == [], url


def test_it_warns_of_a_public_site_without_https(public_site):
    public_site.SECURE_SSL_REDIRECT = False

    assert list_check_ids(deployment.check_encryption_of_site) == ["bcms.W008"]


def test_it_accepts_a_site_on_this_machine_without_https(public_site):
    public_site.SECURE_SSL_REDIRECT, public_site.SITE_URL = False, "http://localhost:8000"

    assert list_check_ids(deployment.check_encryption_of_site) == []


def test_it_warns_of_links_without_https(public_site):
    public_site.SITE_URL = "http://bcms.example.org"

    assert list_check_ids(deployment.check_encryption_of_site) == ["bcms.W009"]


def test_it_refuses_keys_that_do_not_belong_together(settings):
    public, private = generate_public_and_private_key(key_bits=2048)
    other, _ = generate_public_and_private_key(key_bits=2048)
    settings.GOLD_PRIVATE_KEY = parse_optional_private_key(private, "GOLD_PRIVATE_KEY", "make_gold_key")

    found = []
    for text in (public, other, ""):
        settings.GOLD_PUBLIC_KEY = parse_optional_public_key(text, "GOLD_PUBLIC_KEY", "make_gold_key")
        found.append(list_check_ids(deployment.check_key_pairs))

    assert found == [[], ["bcms.E007"], ["bcms.E007"]]


def test_it_warns_of_a_sender_that_nobody_accepts(public_site):
    public_site.DEFAULT_FROM_EMAIL = "BCMS <bcms@localhost>"

    assert list_check_ids(deployment.check_mail) == ["bcms.W010"]


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("smtp://me:secret@mail.example.org", ["bcms.W011"]),
        ("smtp://me:secret@localhost", []),
        ("smtp+tls://me:secret@mail.example.org", []),
        ("smtps://me:secret@mail.example.org", []),
        ("smtp://mail.example.org", []),
        ("file:///tmp/mail", []),
    ],
)
def test_it_warns_of_a_password_that_travels_unencrypted(public_site, url, found):
    public_site.MAIL_DELIVERY = parse_mail_url(url)

    assert list_check_ids(deployment.check_mail) == found


def test_it_refuses_a_folder_of_static_files_that_is_missing(settings, tmp_path):
    settings.STATIC_ROOT = str(tmp_path / "none")
    assert "bcms.E008" in list_check_ids(deployment.check_storage)


def test_it_refuses_static_files_without_a_list_and_of_another_version(tmp_path, monkeypatch):
    assert f"{tmp_path}/staticfiles.json" in deployment.find_fault_of_static_files(tmp_path)
    names = ["a.css", "b.css"]
    monkeypatch.setattr(deployment, "get_finders", lambda: [SimpleNamespace(list=lambda _: [(n, None) for n in names])])
    manifest = {"version": "1.1", "paths": {"a.css": "a.0123456789ab.css"}, "hash": ""}
    (tmp_path / "staticfiles.json").write_text(json.dumps(manifest))
    assert "another version: b.css is missing" in deployment.find_fault_of_static_files(tmp_path)
    names.remove("b.css")
    assert deployment.find_fault_of_static_files(tmp_path) == ""


def test_it_warns_of_a_full_folder_for_temporary_files(settings, monkeypatch):
    settings.STATIC_ROOT = None
    monkeypatch.setattr(deployment, "TEMPORARY_BYTES", 1)
    assert list_check_ids(deployment.check_storage) == []
    monkeypatch.setattr(deployment, "TEMPORARY_BYTES", 10**18)
    assert list_check_ids(deployment.check_storage) == ["bcms.W012"]


def test_it_refuses_a_machine_without_a_folder_for_temporary_files(settings, monkeypatch):
    def refuse():
        raise FileNotFoundError(2, "No usable temporary directory found")

    settings.STATIC_ROOT = None
    monkeypatch.setattr(deployment.tempfile, "gettempdir", refuse)

    assert list_check_ids(deployment.check_storage) == ["bcms.E009"]
