"""The migration that puts attempts in partitions, with data, there and back."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

pytestmark = pytest.mark.long
BEFORE = [("servers", "0018_request_ids_of_calls")]
AFTER = [("servers", "0019_partitioned_attempts")]
DAYS = (800, 45, 8, 0, 0)


def migrate(target):
    executor = MigrationExecutor(connection)
    executor.migrate(target)
    return MigrationExecutor(connection).loader.project_state(target).apps


def make_calls(apps):
    """A live and a training call."""
    article = apps.get_model("annotations", "Article").objects.create(pmid=1, text="", passages=[], content_hash="")
    team = apps.get_model("servers", "Team").objects.create(name="Alpha", slug="alpha")
    server = apps.get_model("servers", "Server").objects.create(
        team=team, name="S", slug="s", url="http://x", kinds=["taxon"]
    )
    for mode in ("live", "training"):
        producer = apps.get_model("annotations", "Producer").objects.create(name=mode, sort="server")
        queue = apps.get_model("servers", "Queue").objects.create(server=server, mode=mode, producer=producer)
        yield apps.get_model("servers", "Call").objects.create(queue=queue, server=server, article=article, priority=3)


def make_attempts(apps, call, number):
    now = timezone.now()
    return [
        apps.get_model("servers", "Attempt").objects.create(
            call=call,
            server=call.server,
            number=number,
            started=now - timedelta(days=days),
            message=f"{days} days ago",
            request=f"request {days}".encode(),
            answer=f"answer {days}".encode(),
        )
        for days in DAYS
    ]


def read_rows(apps, model="Attempt"):
    fields = ("pk", "call", "server", "number", "started", "message", "outcome")
    return list(apps.get_model("servers", model).objects.order_by("pk").values_list(*fields))


@pytest.fixture
def attempts_before(own_database):
    """The app registry, the attempts and a call-back and a notice of the newest, before the migration."""
    apps = migrate(BEFORE)
    live, training = make_calls(apps)
    made = [*make_attempts(apps, live, 1), *make_attempts(apps, training, 2)]
    apps.get_model("servers", "Callback").objects.create(attempt=made[-1], form="json", body=b"{}")
    apps.get_model("servers", "Notice").objects.create(
        server=live.server, happening="article failed", attempt=made[-1], due=timezone.now()
    )
    return apps, made


def test_it_keeps_attempts_and_the_bodies_that_are_not_too_old_and_can_be_taken_back(attempts_before):
    apps, made = attempts_before
    rows = read_rows(apps)
    apps = migrate(AFTER)
    assert read_rows(apps) == rows
    bodies = {
        body.attempt_id: (body.started, bytes(body.request), bytes(body.answer))
        for body in apps.get_model("servers", "AttemptBody").objects.all()
    }
    # Those of live calls of the last 30 days, and all of the challenge.
    assert sorted(bodies) == [each.pk for each in made[2:]]
    assert all(bodies[each.pk] == (each.started, each.request, each.answer) for each in made[2:])
    attempt_model = apps.get_model("servers", "Attempt")
    new = attempt_model.objects.create(call_id=made[0].call_id, server_id=made[0].server_id, number=3)
    new_id = new.pk
    assert new_id > made[-1].pk
    assert apps.get_model("servers", "Callback").objects.get().attempt_id == made[-1].pk
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM servers_attempt_default")
        assert cursor.fetchone() == (0,)
    new.delete()

    apps = migrate(BEFORE)
    assert read_rows(apps) == rows
    kept = {each.pk: bytes(each.request) for each in apps.get_model("servers", "Attempt").objects.all()}
    assert [kept[each.pk] for each in made] == [b"", b"", *(each.request for each in made[2:])]
    again = apps.get_model("servers", "Attempt").objects.create(
        call_id=made[0].call_id, server_id=made[0].server_id, number=3, request=b"", answer=b""
    )
    assert again.pk > new_id
    again.delete()


def test_it_goes_on_where_it_was_interrupted(attempts_before, monkeypatch):
    apps, made = attempts_before
    rows, migration = read_rows(apps), import_module("servers.migrations.0019_partitioned_attempts")
    monkeypatch.setattr(migration, "BATCH", 2)
    with monkeypatch.context() as broken:
        broken.setattr(migration, "LOCK", "SELECT 1 / 0")
        with pytest.raises(Exception, match="division by zero"):
            migrate(AFTER)
    assert read_rows(apps) == rows
    apps = migrate(AFTER)
    assert read_rows(apps) == rows
    assert apps.get_model("servers", "AttemptBody").objects.count() == len(made) - 2
