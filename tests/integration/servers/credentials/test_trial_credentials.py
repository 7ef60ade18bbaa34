"""The credentials of a test call before registration: used once, sealed meanwhile, and gone afterwards."""

import json
from datetime import timedelta

import pytest
from celery import current_app
from django.db import connection
from django.db.models.functions import Now
from django.urls import reverse
from django.views.debug import SafeExceptionReporterFilter

from servers.audit.models import AuditEvent
from servers.credentials.models import CallCredentials
from servers.registry import trials
from servers.registry.models import Server, Trial
from servers.tasks import delete_credentials_of_lost_trials
from tests.fakeserver import FakeServer, answer
from tests.integration.servers.credentials.test_call_credentials import (
    ANSWERS,
    SECRET,
    SENT,
    find_header,
    list_tables_with,
)
from tests.integration.servers.registry.test_server_trials import registration

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def as_alice(client, alice, team):
    client.force_login(alice)
    return client


def prefix(fields):
    return {f"credentials-{name}": value for name, value in fields.items()}


def start_trial(client, team, url, fields, **changes):
    sent = registration(team, url=url, protocol="rest", method="a.b") | prefix(fields) | changes
    return client.post(reverse("server-register"), sent)


@pytest.mark.parametrize("scheme", SENT)
def test_it_sends_them_once_and_keeps_nothing_of_them(as_alice, team, article, scheme, monkeypatch):
    messages = []
    monkeypatch.setattr(current_app, "send_task", lambda name, arguments, **_: messages.append((name, arguments)))
    fields, header = SENT[scheme]
    echo = b'{"annotations": {}, "note": "%s"}' % header
    with FakeServer(answer(echo)) as there:
        assert start_trial(as_alice, team, there.url, fields).status_code == 302
        trial = Trial.objects.get()
        assert messages == [(trials.TRIAL_TASK, [trial.pk])]
        assert bytes(trial.credentials) != b""
        assert list_tables_with(SECRET) == list_tables_with(header.decode()) == []
        trials.run_open_trial_and_store_report(trial.pk)
    name = fields.get("header", "Authorization").encode()
    assert find_header(there.requests[0], name) == header
    trial.refresh_from_db()
    assert (trial.finished is not None, bytes(trial.credentials)) == (True, b"")
    assert list_tables_with(SECRET) == list_tables_with(header.decode()) == []
    pages = [
        f"/servers/trials/{trial.pk}/",
        f"/servers/trials/{trial.pk}/live/",
        f"/servers/register/?trial={trial.pk}",
    ]
    for address in pages:
        body = as_alice.get(address).content
        assert SECRET.encode() not in body
        assert header not in body
    assert "[masked]" in as_alice.get(pages[0]).content.decode()
    as_alice.post(reverse("server-trial-save", args=[trial.pk]))
    assert Server.objects.exists()
    assert not CallCredentials.objects.exists()
    assert SECRET not in str(list(AuditEvent.objects.values()))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"scheme": "bearer"}, "secret"),
        ({"secret": SECRET}, "secret"),
        ({"scheme": "basic", "secret": SECRET}, "user_name"),
        ({"scheme": "header", "secret": SECRET, "header": "Host"}, "header"),
        ({"scheme": "bearer", "secret": f"{SECRET}\r\nX: y"}, "secret"),
        ({"scheme": "digest", "secret": SECRET}, "scheme"),
    ],
)
def test_it_refuses_what_is_no_header_and_does_not_show_the_secret(as_alice, team, article, fields, field):
    reply = start_trial(as_alice, team, "http://127.0.0.1:9/", fields)
    assert (reply.status_code, list(reply.context["credentials"].errors)) == (422, [field])
    assert SECRET not in reply.content.decode()
    assert not Trial.objects.exists()


def test_a_form_with_other_errors_does_not_show_the_secret(as_alice, team, article):
    for changes in ({"name": ""}, {"pmid": "99"}):
        reply = start_trial(as_alice, team, "http://127.0.0.1:9/", SENT["bearer"][0], **changes)
        assert (reply.status_code, SECRET in reply.content.decode()) == (422, False)


def test_a_trial_without_credentials_sends_none(as_alice, team, article):
    with FakeServer(answer(ANSWERS["rest"])) as there:
        start_trial(as_alice, team, there.url, {"scheme": "", "user_name": "", "header": "", "secret": ""})
        trials.run_open_trial_and_store_report(Trial.objects.get().pk)
    assert find_header(there.requests[0]) is None


def test_the_credentials_of_a_lost_trial_are_deleted(as_alice, team, article):
    start_trial(as_alice, team, "http://127.0.0.1:9/", SENT["bearer"][0])
    assert delete_credentials_of_lost_trials() == 0
    Trial.objects.update(started=Now() - timedelta(minutes=2))
    assert delete_credentials_of_lost_trials() == 1
    assert bytes(Trial.objects.get().credentials) == b""


def test_a_site_without_a_key_takes_none(as_alice, team, article, settings):
    settings.CREDENTIALS_PUBLIC_KEY = None
    assert "Credentials for the test call" not in as_alice.get(reverse("server-register")).content.decode()
    reply = start_trial(as_alice, team, "http://127.0.0.1:9/", SENT["bearer"][0])
    assert (reply.status_code, "no key to encrypt" in str(reply.context["credentials"].errors)) == (422, True)
    assert start_trial(as_alice, team, "http://127.0.0.1:9/", {}).status_code == 302


def test_an_error_report_does_not_show_the_secret(as_alice, team, article, monkeypatch, settings, caplog):
    settings.DEBUG = False
    as_alice.raise_request_exception = False

    def fail(*_, **__):
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(trials, "store_and_enqueue_trial_below_limit", fail)
    reply = start_trial(as_alice, team, "http://127.0.0.1:9/", SENT["bearer"][0])
    assert reply.status_code == 500
    assert SECRET not in reply.content.decode()
    request = next(record.request for record in caplog.records if hasattr(record, "request"))
    cleansed = SafeExceptionReporterFilter().get_post_parameters(request)
    assert SECRET not in json.dumps(cleansed)
    connection.close()
