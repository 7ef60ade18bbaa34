"""Before it is published nothing of a test's gold standard is in any answer, message, log or column of the database.

Every address of the site is asked for as everybody, and every table is read as text.
"""

import logging

import pytest
import redis
from django.conf import settings
from django.db import connection
from django.test import Client

from annotations.formats.errors import RefusedFileError
from evaluation import tasks
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from servers.calls.models import Attempt, Queue
from tests.integration.evaluation_cast import answer, end, get_article, make_corpus, make_server, relevant, species
from tests.integration.every_address import iter_all_responses

pytestmark = pytest.mark.django_db

# Organisms that nothing else on the site names.
SECRETS = ("90909091", "90909092", "90909093")
GOLD = b"201\t90909091\n202\t90909092\n202\t90909093\n"


@pytest.fixture
def phase(challenge):
    return creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )


@pytest.fixture
def run(challenge, phase, team, caplog):
    """A server that has answered the test, scored by the scoring worker; all that was logged on the way is kept."""
    caplog.set_level(logging.DEBUG)
    server = make_server(team, "reader")
    for own in enter_eligible_server_and_enqueue_articles(server, challenge.phases.get(sort="training")):
        for pmid in (101, 102, 103, 104):
            answer(own, pmid, relevant(True) if own.task.name == "ACT" else species("9606"))
    store_gold_sealed_or_open(challenge.tasks.get(name="TX"), phase, GOLD, "species.tsv")
    (own,) = [each for each in enter_eligible_server_and_enqueue_articles(server, phase) if each.task.name == "TX"]
    answer(own, 201, species("9606"))
    answer(own, 202, [])
    call = Queue.objects.get(server=server, mode="test").calls.first()
    Attempt.objects.create(call=call, server=server, number=1, outcome="connection", message="Refused.")
    tasks.score_due_runs_after_cleaning_unless_busy()
    assert Score.objects.filter(run=own).exists()
    return own


def list_leaked_secrets(text):
    """Which of the secrets a text tells, as it is or as PostgreSQL writes bytes."""
    lower = text.lower()
    return [secret for secret in SECRETS if secret in lower or secret.encode().hex() in lower]


@pytest.mark.long
@pytest.mark.parametrize("name", ["nobody", "alice", "carol", "olga", "staff"])
def test_it_is_at_no_address_of_the_site(name, run, request):
    client = Client()
    user = {"staff": "admin_user"}.get(name, name)
    if name != "nobody":
        client.force_login(request.getfixturevalue(user))
    found = list(iter_all_responses(client, run))
    assert sum(status == 200 for _, status, _ in found) >= 20
    assert [form for form, _, body in found if list_leaked_secrets(body.decode("utf-8", "replace"))] == []


@pytest.mark.long
def test_it_knows_the_addresses_that_it_walks(run, admin_client):
    """The walk would prove nothing if it did not reach what it is about."""
    reached = {form for form, status, _ in iter_all_responses(admin_client, run) if status == 200}
    for form in (
        "/challenges/<slug:slug>/",
        "/challenges/<slug:slug>/<slug:phase>/<slug:task>/",
        "/challenges/<slug:slug>/<slug:phase>/<slug:task>/leaderboard.json",
        "/challenges/<slug:slug>/organize/",
        "/challenges/<slug:slug>/phases/<slug:phase>/matrix/",
        "/api/v1/challenges/<slug:slug>/<slug:phase>/<slug:task>/",
        "/articles/<str:ident>/",
    ):
        assert form in reached


def rows_as_text():
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            name = connection.ops.quote_name(table)
            cursor.execute(f"SELECT own::text FROM {name} own")
            for (row,) in cursor.fetchall():
                yield table, row


def test_it_is_in_no_column_of_the_database(run):
    tables = list(rows_as_text())
    assert {"evaluation_goldstandard", "evaluation_score", "annotations_annotation"} <= {table for table, _ in tables}
    assert [table for table, row in tables if list_leaked_secrets(row)] == []


def test_it_is_found_in_the_database_once_it_is_published(run, phase):
    """So that the test above would see it."""
    end(phase)
    publish_phase_or_request_if_sealed(phase)
    tasks.publish_requested_phases_and_tasks_unless_busy()
    assert {table for table, row in rows_as_text() if list_leaked_secrets(row)} == {"annotations_annotation"}


def test_it_is_in_no_log(run, phase, caplog, settings):
    end(phase)
    publish_phase_or_request_if_sealed(phase)
    settings.GOLD_PRIVATE_KEY = None
    tasks.publish_requested_phases_and_tasks_unless_busy()
    tasks.score_due_runs_after_cleaning_unless_busy()
    assert caplog.text
    assert list_leaked_secrets(caplog.text) == []


def test_it_is_in_no_error_of_the_scoring_worker(run, phase, caplog, monkeypatch):
    """Whatever breaks in there, and quotes what it was at."""

    def broken(*args):
        raise KeyError(GOLD.decode())

    Run.objects.filter(pk=run.pk).update(name="again")
    Score.objects.all().delete()
    monkeypatch.setattr("evaluation.scoring.run_scores.load_open_or_sealed_gold_annotations", broken)
    monkeypatch.setattr("evaluation.challenges.publication.publishing.decrypt_and_store_gold_openly", broken)
    tasks.score_due_runs_after_cleaning_unless_busy()
    end(phase)
    publish_phase_or_request_if_sealed(phase)
    assert tasks.publish_requested_phases_and_tasks_unless_busy() == "failed"
    assert "Unexpected error: run" in caplog.text
    assert "KeyError" in caplog.text
    assert list_leaked_secrets(caplog.text) == []


def test_it_is_in_no_message_to_workers(run, phase, django_capture_on_commit_callbacks):
    end(phase)
    with django_capture_on_commit_callbacks(execute=True):
        publish_phase_or_request_if_sealed(phase)
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        for key in broker.scan_iter():
            kept = broker.dump(key)
            assert kept is None or list_leaked_secrets(kept.decode("latin-1")) == []


def test_a_refused_file_is_told_to_its_sender_alone(challenge, phase, caplog):
    caplog.set_level(logging.DEBUG)
    with pytest.raises(RefusedFileError):
        store_gold_sealed_or_open(
            challenge.tasks.get(name="TX"), phase, b"999\t90909091\n201\tx90909092\n", "species.tsv"
        )
    assert list_leaked_secrets(caplog.text) == []
    assert [table for table, row in rows_as_text() if list_leaked_secrets(row)] == []


def test_test_articles_are_random_ids_to_teams(client, run, alice, phase):
    """Neither their PMIDs nor their texts are found by anybody but the organizers."""
    client.force_login(alice)
    article = get_article(201)
    for address in ("/articles/201/", f"/articles/{article.opaque}/"):
        assert client.get(address).status_code == 404
    assert b"Article 201" not in client.get("/articles/?q=Article").content
