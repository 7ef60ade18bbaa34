"""Every page says who runs the site and leads to what people ask of a site before they trust it."""

import pytest
from django.urls import reverse

from bcms.about import site_status
from bcms.health.readiness import MISSING, OK
from bcms.lib.version import VERSION

PAGES = ("about", "privacy", "terms", "accessibility", "status")


def read_foot(client, url="/"):
    return client.get(url).content.decode().partition("<footer")[2]


@pytest.mark.django_db
def test_the_foot_of_a_page_leads_to_each_of_them(client):
    foot = read_foot(client)
    assert all(f'href="{reverse(name)}"' in foot for name in PAGES)
    assert VERSION in foot
    assert "mailto:" not in foot
    assert "run by" not in foot


@pytest.mark.django_db
def test_the_operator_is_named(client, settings):
    settings.OPERATOR, settings.CONTACT_EMAIL = "Institute <of> Texts", "bcms@example.org"
    settings.SOURCE_URL = "https://code.example.org/bcms"
    foot = read_foot(client, reverse("about"))
    assert "run by Institute &lt;of&gt; Texts" in foot
    assert 'href="mailto:bcms@example.org"' in foot
    assert 'href="https://code.example.org/bcms"' in foot
    for name in PAGES[:-1]:
        assert "mailto:bcms@example.org" in client.get(reverse(name)).content.decode().partition("<footer")[0]


@pytest.mark.django_db
def test_the_site_is_cited_by_its_public_address(client, settings):
    settings.SITE_URL = "https://bcms.example.org"
    assert "https://bcms.example.org/, accessed" in client.get(reverse("about")).content.decode()


@pytest.mark.django_db
def test_the_operator_has_pages_of_their_own(client, settings):
    settings.PRIVACY_URL, settings.TERMS_URL = "https://example.org/privacy", "https://example.org/terms"
    foot = read_foot(client)
    assert 'href="https://example.org/privacy"' in foot
    assert 'href="https://example.org/terms"' in foot
    assert reverse("privacy") not in foot


@pytest.mark.django_db
@pytest.mark.parametrize("name", PAGES[:-1])
def test_they_ask_the_database_for_nothing(client, django_assert_num_queries, name):
    with django_assert_num_queries(0):
        assert client.get(reverse(name)).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    "words",
    [
        *("cryptographic hash of your password", "second factor", "recovery codes", "API token", "ORCID iD"),
        *("how long it took", "questionnaire", "manuscript’s author", "which mails you want", "Names of authors"),
    ],
)
def test_the_privacy_page_names_all_that_is_stored_of_people(client, words):
    assert words in client.get(reverse("privacy")).content.decode()


@pytest.mark.django_db
def test_an_error_page_has_the_contact(client, settings, monkeypatch):
    settings.CONTACT_EMAIL = "bcms@example.org"
    monkeypatch.setattr("bcms.about.views.list_part_states", lambda: 1 / 0)
    client.raise_request_exception = False
    response = client.get(reverse("status"))
    assert response.status_code == 500
    assert "mailto:bcms@example.org" in response.content.decode()


@pytest.mark.django_db
def test_the_status_says_what_does_not_work(client, monkeypatch):
    states = dict.fromkeys(site_status.NOTICED, OK) | {"workers of scoring": MISSING}
    monkeypatch.setattr(site_status, "probe_readiness", lambda: states)
    page = client.get(reverse("status")).content.decode()
    assert "1 part of the site does not work now." in page
    assert "New runs wait for their scores." in page
    assert "Articles wait in the queues." not in page
    monkeypatch.setattr(site_status, "probe_readiness", lambda: dict.fromkeys(states, OK))
    assert "Everything works." in client.get(reverse("status")).content.decode()


@pytest.mark.django_db(transaction=True)
def test_every_part_that_is_probed_has_words(client):
    parts = client.get(reverse("readiness")).json()
    assert parts.keys() <= site_status.NOTICED.keys()
    assert "Pages and search" in client.get(reverse("status")).content.decode()
