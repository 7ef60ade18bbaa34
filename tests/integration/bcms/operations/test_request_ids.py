"""The id of a request goes from the page to the task, the call and the attempt, and every log line names it."""

import io
import json
import logging
import logging.config

import pytest
from django.db import transaction

from bcms.celery import SiteTask, app
from bcms.lib.request_ids import REQUEST_ID, bind_request_id, get_request_id
from bcms.log_configuration import build_logging_settings
from servers.calls import loop
from servers.calls.models import Call
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.queues.wake_ups import enqueue_server_loop_after_commit
from servers.calls.states import QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from tests import fakeserver
from tests.fakeserver import FakeServer

OF_PROXY = "0123456789abcdef" * 2


@pytest.fixture
def log_lines():
    """What the loggers of the site write as JSON while the test runs."""
    chosen = build_logging_settings("INFO", "json")
    configure = logging.config.DictConfigurator(chosen)
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(configure.configure_formatter(chosen["formatters"]["json"]))
    handler.addFilter(configure.configure_filter(chosen["filters"]["without_secrets"]))
    logging.getLogger().addHandler(handler)
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    logging.getLogger().removeHandler(handler)


@pytest.mark.django_db
def test_each_response_has_an_id_under_which_it_is_logged(client, log_lines):
    first, second = client.get("/manual/"), client.get("/servers/nothing-here/")
    ids = [response["X-Request-ID"] for response in (first, second)]
    assert all(map(REQUEST_ID.fullmatch, ids)) and ids[0] != ids[1]
    logged = [line for line in log_lines() if line["logger"] == "bcms.middleware.request_ids"]
    assert [(line["request_id"], line["status"]) for line in logged] == [(ids[0], 200), (ids[1], 404)]
    assert (logged[1]["method"], logged[1]["route"]) == ("GET", "/servers/<slug:slug>/")
    assert get_request_id() == ""


@pytest.mark.django_db
def test_a_key_in_a_url_is_not_logged(client, log_lines, monkeypatch):
    client.get("/manuscripts/open/a-secret-key/")
    monkeypatch.setattr("bcms.manuscripts.views.open_link", fail)
    client.raise_request_exception = False
    client.get("/manuscripts/open/a-secret-key/")
    lines = log_lines()
    assert [line["status"] for line in lines if "status" in line] == [404, 500]
    assert "RuntimeError" in json.dumps(lines) and "a-secret-key" not in json.dumps(lines)


def fail(*_, **__):
    raise RuntimeError("broken")


def test_monitoring_is_not_logged(client, log_lines, db):
    assert client.get("/healthz")["X-Request-ID"]
    assert log_lines() == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("behind_proxy", "given", "taken"),
    [
        (True, OF_PROXY, True),
        (True, OF_PROXY[1:] + "x", False),
        (True, f"{OF_PROXY}0", False),
        (False, OF_PROXY, False),
    ],
)
def test_it_takes_the_id_of_the_proxy_only(client, settings, behind_proxy, given, taken):
    settings.BEHIND_PROXY = behind_proxy
    answered = client.get("/manual/", headers={"X-Request-ID": given})["X-Request-ID"]
    assert (answered == given) == taken and REQUEST_ID.fullmatch(answered)


@pytest.mark.django_db(transaction=True)
def test_it_follows_from_the_page_to_the_attempt(client, article, server, log_lines):
    with FakeServer(fakeserver.fault) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url, review="accepted")
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        get_or_create_queue_and_producer(server, QueueMode.LIVE)
        request_id = client.post(f"/articles/{article.opaque}/ask/")["X-Request-ID"]
        assert Call.objects.get().request_id == request_id
        loop.run_slices_if_slot_and_lease_free(server.pk)
    call = Call.objects.get()
    (line,) = [line for line in log_lines() if line["logger"] == "servers.calls.outcomes.outcome_storage"]
    assert (line["request_id"], line["call"], line["server"]) == (request_id, call.pk, server.slug)
    assert (line["attempt"], line["outcome"]) == (call.attempts.get().pk, "communication")


@pytest.mark.django_db(transaction=True)
def test_a_task_carries_it(server, monkeypatch):
    sent = []
    monkeypatch.setattr("celery.Celery.send_task", lambda *args, headers=None, **options: sent.append(headers))
    with bind_request_id(OF_PROXY), transaction.atomic():
        enqueue_server_loop_after_commit(server.pk)
    enqueue_server_loop_after_commit(server.pk)
    assert sent == [{"request_id": OF_PROXY}, None]


class NotingTask(SiteTask):
    def run(self):
        return get_request_id()


@pytest.mark.parametrize("headers", [{"request_id": OF_PROXY}, None])
def test_a_task_continues_with_it_or_has_its_own(headers, db):
    task = NotingTask()
    task.name = "noting"
    task.bind(app)
    task.push_request(called_directly=False, headers=headers)
    noted = task()
    assert REQUEST_ID.fullmatch(noted) and (noted == OF_PROXY) == bool(headers)
    assert get_request_id() == ""
