"""What opens a manuscript without an account: nobody gets it from a session, a form, an address or the log."""

import logging
from importlib import import_module

import pytest
from django.conf import settings
from django.test import Client

from annotations.curation.models import Decision
from bcms.lib.secret_paths import SecretPathFilter
from tests.integration.article_cast import make_read_article
from tests.integration.curation_cast import begin
from tests.integration.manuscript_cast import open_as, submit

pytestmark = pytest.mark.django_db
COOKIE = settings.SESSION_COOKIE_NAME


def get_path(url):
    return "/" + url.split("/", 3)[3]


@pytest.fixture
def paths(submitted):
    """The paths of the links by role."""
    return {role: get_path(submitted[1][f"{role}_link"]) for role in ("author", "reviewer")}


def test_a_session_that_somebody_else_knows_opens_nothing(program, submitted, paths):
    """A session of somebody who has opened another link, and has set its cookie in the author's browser."""
    _, other = submit(program, reference="E-2")
    stranger, author = open_as(other["author_link"]), Client()
    known = stranger.cookies[COOKIE].value
    author.cookies[COOKIE] = known
    assert author.get(paths["author"]).status_code == 302
    assert author.cookies[COOKIE].value != known
    assert author.get(f"/manuscripts/{submitted[0].pk}/").status_code == 200
    assert not import_module(settings.SESSION_ENGINE).SessionStore().exists(known)
    assert stranger.get(f"/manuscripts/{submitted[0].pk}/").status_code == 404


def test_a_link_ends_no_login_and_a_logout_ends_its_opening(carol, submitted, paths):
    client = Client()
    client.force_login(carol)
    client.get(paths["reviewer"])
    page = f"/manuscripts/{submitted[0].pk}/"
    assert client.get(page).status_code == 200
    assert client.get("/account/").status_code == 200
    client.post("/logout/")
    assert client.get(page).status_code == 404


@pytest.mark.parametrize("role", ["author", "reviewer"])
def test_other_sites_send_no_forms_for_the_reader(manuscript, paths, role):
    client = Client(enforce_csrf_checks=True)
    client.get(paths[role])
    page, curation = f"/manuscripts/{manuscript.pk}/", f"/curation/{manuscript.curation_id}/"
    addresses = [f"{page}comment/", f"{page}refuse/", *(f"{curation}{each}/" for each in ("decide", "finish", "file"))]
    assert {client.post(address, {"text": "x", "reason": "x"}).status_code for address in addresses} == {403}
    manuscript.refresh_from_db()
    assert (manuscript.state, manuscript.comments.count(), Decision.objects.count()) == ("open", 0, 0)


@pytest.mark.parametrize("role", ["author", "reviewer"])
def test_no_other_site_learns_the_address_of_a_link(manuscript, paths, role):
    client = Client()
    opened = client.get(paths[role])
    page = client.get(opened.url)
    assert {opened["Referrer-Policy"], page["Referrer-Policy"]} == {"same-origin"}
    assert {opened["Cache-Control"], page["Cache-Control"]} == {
        "max-age=0, no-cache, no-store, must-revalidate, private"
    }
    assert paths[role].split("/")[-2] not in opened.url + page.content.decode()


def test_the_log_has_no_address_of_a_link(paths, caplog):
    assert settings.LOGGING["handlers"]["console"]["filters"] == ["without_secrets"]
    caplog.set_level(logging.WARNING, logger="django.request")
    for path in (paths["author"], f"{paths['author']}x"):
        Client().post(path)
    records = [record for record in caplog.records if "/manuscripts/open/" in record.getMessage()]
    assert len(records) == 2
    for record in records:
        copy = logging.makeLogRecord(vars(record))
        assert SecretPathFilter().filter(copy)
        assert "/manuscripts/open/***/" in copy.getMessage()


def test_a_link_tells_of_no_other_curation(program, submitted, paths, carol, django_assert_num_queries):
    """A private manuscript, an unfinished curation and nothing at all are answered alike, with the same queries."""
    other, _ = submit(program, reference="E-2")
    unfinished, client = begin(carol, make_read_article()), Client()
    client.get(paths["author"])
    for pk in (other.curation_id, unfinished.pk, 2**31 - 1):
        with django_assert_num_queries(2):
            answer = client.get(f"/curation/{pk}/")
        assert (answer.status_code, answer.url) == (302, f"/login/?next=/curation/{pk}/")
    client.force_login(carol)
    client.get(paths["author"])
    numbers = set()
    for pk in (other.curation_id, 2**31 - 1):
        answer = client.get(f"/curation/{pk}/")
        numbers.add((answer.status_code, len(answer.content)))
    assert len(numbers) == 1
