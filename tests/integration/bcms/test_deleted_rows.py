"""Rows that are deleted while a request uses them: nothing is there any more, which is no failure of the site."""

import logging

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet
from django.test import Client

from bcms.access_audiences import AccessRole
from bcms.lib.database_errors.deleted_rows import SENTENCE, is_deleted_row_error
from evaluation.challenges.models import ChallengeState
from servers.registry.models import Server
from servers.teams.models import Team
from tests.integration.bcms.test_access_table import list_view_methods, views
from tests.integration.role_cast import build_sent_fields, log_in_all, make_cast, map_opaque_ids

pytestmark = pytest.mark.django_db

# Together they may use nearly every address.
ROLES = (AccessRole.MANAGER, AccessRole.ORGANIZER, AccessRole.CURATOR, AccessRole.STAFF)


@pytest.fixture
def words(django_user_model, alice, carol, olga, server, settings):
    settings.API_PER_MINUTE_ADDRESS = settings.API_PER_MINUTE_ACCOUNT = settings.API_FILES_PER_MINUTE = 10**6
    settings.ACCOUNT_RATE_LIMITS = False
    logging.disable(logging.CRITICAL)
    yield make_cast(django_user_model.objects.create_user, alice, olga, server)
    logging.disable(logging.NOTSET)


def lock_nothing(rows, *args, **options):
    """As if each row had been deleted between looking it up and locking it."""
    return rows.none()


def request_status(cookie: str, method: str, address: str, sent: dict[str, object]) -> int:
    """The status of one request, of which nothing is kept."""
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = cookie
    with transaction.atomic():
        status = getattr(client, method.lower())(address, sent).status_code
        transaction.set_rollback(True)
    return status


@pytest.mark.long
@pytest.mark.usefixtures("site_at_work")
@pytest.mark.parametrize("role", ROLES)
def test_no_address_fails_because_what_it_locks_was_deleted(words, role, monkeypatch):
    cookie, opaque = log_in_all()[role], map_opaque_ids()
    monkeypatch.setattr(QuerySet, "select_for_update", lock_nothing)
    failed = []
    for name, view in sorted(dict(views()).items()):
        for method in list_view_methods(view):
            if method != "GET":
                address, sent = words.address(name, test=False), build_sent_fields(name, opaque)
                status = request_status(cookie, method, address, sent)
                if status >= 500:
                    failed.append((method, name, status))
    assert failed == []


def test_a_page_says_that_the_challenge_was_deleted(client, olga, challenge, monkeypatch, caplog):
    client.force_login(olga)
    monkeypatch.setattr(QuerySet, "select_for_update", lock_nothing)
    page = client.post(f"/challenges/{challenge.slug}/state/", {"state": ChallengeState.CLOSED})
    assert (page.status_code, SENTENCE in page.content.decode()) == (404, True)
    assert_reported_as_error(caplog)


def assert_reported_as_error(caplog):
    """With the place in the code: it may be a fault of the site that expects a row which never was there."""
    (record,) = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert record.exc_info and issubclass(record.exc_info[0], ObjectDoesNotExist)


def test_rest_answers_that_nothing_is_there(as_alice, server, monkeypatch, caplog):
    monkeypatch.setattr(QuerySet, "select_for_update", lock_nothing)
    reply = as_alice.post(f"/api/v1/servers/{server.slug}/halt-hard/")
    assert (reply.status_code, reply.json()["code"]) == (404, "not-found")
    assert_reported_as_error(caplog)


def catch_error(action):
    with pytest.raises((DatabaseError, Team.DoesNotExist, Server.DoesNotExist)) as caught, transaction.atomic():
        action()
    return caught.value


def test_it_recognizes_what_refers_to_or_updates_a_deleted_row(team, server):
    gone = Team(pk=9_999_999, name="Gone", slug="gone")

    def refer():
        Server.objects.filter(pk=server.pk).update(team=gone)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    assert is_deleted_row_error(catch_error(refer))
    assert is_deleted_row_error(catch_error(lambda: gone.save(update_fields=["name"])))
    assert is_deleted_row_error(catch_error(gone.refresh_from_db))


def test_it_takes_no_other_error_for_a_deleted_row(team, server):
    assert not is_deleted_row_error(catch_error(lambda: Team.objects.create(name="Two", slug=team.slug)))
    assert not is_deleted_row_error(catch_error(lambda: connection.cursor().execute("SELECT nothing")))

    def delete_what_is_referred_to():
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("DELETE FROM servers_team WHERE id = %s", [team.pk])

    assert not is_deleted_row_error(catch_error(delete_what_is_referred_to))
    with pytest.raises(Server.team.RelatedObjectDoesNotExist) as caught:
        Server().team  # noqa: B018 - it is the look-up that fails
    assert not is_deleted_row_error(caught.value)
