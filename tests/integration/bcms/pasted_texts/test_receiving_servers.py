"""Servers that take pasted texts: how their teams say so, when they are woken, and answers that are late or hostile."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.urls import reverse

from servers.calls import loop
from servers.calls.leases import lease
from servers.calls.leases.fairness import has_server_waiting_for_slot, list_slot_demands_including_server
from servers.calls.models import Attempt
from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call
from servers.calls.queues.wake_ups import list_unleased_servers_with_work, list_waiting_servers_by_time
from servers.pasted_texts import annotation
from servers.pasted_texts.models import PastedTextCall
from servers.registry.models import Server
from tests.integration.pasted_text_cast import MENTION
from tests.integration.server_cast import articles
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db


def change(client, **changes):
    """The page with the form of GeneDict's settings, sent with changes."""
    fields = {"name": "GeneDict", "url": "http://127.0.0.1:9/", "protocol": "bcms", "send": "struct"}
    fields |= {"method": "Annotator.getAnnotation", "kinds": ["mention", "normalization"], "time_limit": "600"}
    return client.post(reverse("server-edit", args=["genedict"]), fields | changes)


def test_a_team_says_in_the_settings_that_its_server_takes_texts(as_alice, server):
    assert not server.accepts_pasted_texts
    assert change(as_alice, accepts_pasted_texts="on").status_code == 302
    assert Server.objects.get().accepts_pasted_texts
    assert "<dt>Pasted texts</dt>" in as_alice.get(reverse("server", args=["genedict"])).content.decode()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"send": "pmid"}, "A pasted text has no PMID: clear the box, or select another article format."),
        ({"protocol": "becalm"}, "A server that calls back cannot annotate pasted texts: clear the box, or"),
    ],
)
def test_a_server_that_cannot_take_texts_is_not_registered_for_them(as_alice, server, fields, message):
    refused = change(as_alice, accepts_pasted_texts="on", **fields)
    assert message in refused.content.decode()
    assert not Server.objects.get().accepts_pasted_texts


def test_programs_say_it_too(as_alice, server):
    url = "/api/v1/servers/genedict/"
    changed = as_alice.patch(url, {"accepts_pasted_texts": True}, content_type="application/json")
    assert changed.json()["inside"]["accepts_pasted_texts"] is True
    refused = as_alice.patch(url, {"send": "pmid"}, content_type="application/json")
    assert refused.status_code == 400 and "A pasted text has no PMID" in refused.content.decode()


def test_a_waiting_text_wakes_its_server_and_waits_for_a_slot(pasted, receiving, second):
    assert list(list_unleased_servers_with_work()) == [receiving]
    Server.objects.update(state_since=pasted.created - timedelta(days=7))
    assert list_waiting_servers_by_time().get().waiting_since == pasted.created
    assert has_server_waiting_for_slot()
    assert [demand.server for demand in list_slot_demands_including_server(receiving.pk)] == [receiving.pk]
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert not list_unleased_servers_with_work().exists() and not has_server_waiting_for_slot()


def test_a_text_is_sent_before_the_articles_that_wait(pasted, receiving, annotator):
    queue = receiving.queues.get()
    enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(70000001, 2)])
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert [asked["id"].partition("-")[0] for asked in annotator.asked] == ["text", "70000001", "70000002"]


def list_asked(annotator):
    return [asked["id"].partition("-")[0] for asked in annotator.asked]


def test_calls_and_texts_take_turns(send, receiving, annotator):
    for _ in range(3):
        send()
    enqueue_articles_without_open_or_test_call(receiving.queues.get(), [each.pk for each in articles(70000001, 2)])
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert list_asked(annotator) == ["text", "70000001", "text", "70000002", "text"]


def test_texts_do_not_use_up_the_calls_of_each_minute(send, receiving, annotator):
    Server.objects.update(calls_per_minute=1)
    for _ in range(2):
        send()
    enqueue_articles_without_open_or_test_call(receiving.queues.get(), [each.pk for each in articles(70000001, 2)])
    for number in range(1, 5):
        loop.run_slices_if_slot_and_lease_free(receiving.pk)
        assert len(annotator.asked) == number
        for model in (PastedTextCall, Attempt):
            model.objects.update(started=F("started") - timedelta(minutes=2))
    assert list_asked(annotator) == ["text", "70000001", "text", "70000002"]


def test_a_text_is_not_sent_while_the_server_works_on_a_call(send, receiving):
    send()
    # As if another text had been sent: it is the turn of the call.
    PastedTextCall.objects.update(started=Now())
    enqueue_articles_without_open_or_test_call(receiving.queues.get(), [each.pk for each in articles(70000001, 1)])
    with TaskServer(lambda asked: (202, {"Location": "/tasks/1", "Retry-After": "60"}, {})) as there:
        Server.objects.update(url=there.url, protocol="rest")
        for _ in range(2):
            assert loop.run_slices_if_slot_and_lease_free(receiving.pk) == "idle"
    assert PastedTextCall.objects.get().state == "waiting"


def test_a_text_goes_to_the_address_that_the_team_has_set_last(pasted, receiving, annotator):
    outdated = Server.objects.get(pk=receiving.pk)
    outdated.url = "http://127.0.0.1:9/"
    token = lease.acquire_free_lease_of_working_server(receiving.pk)
    assert annotation.annotate_next_pasted_text(outdated, token)
    assert PastedTextCall.objects.get().state == "answered"


def test_the_answer_of_a_server_that_was_stopped_at_once_is_discarded(pasted, receiving, monkeypatch):
    def stop(answer):
        lease.release_lease(Server.objects.get(pk=receiving.pk).lease_token)
        return check(answer)

    check = annotation.check_answer_identifiers_and_build_ending
    monkeypatch.setattr(annotation, "check_answer_identifiers_and_build_ending", stop)
    assert loop.run_slices_if_slot_and_lease_free(receiving.pk) == "lost"
    assert PastedTextCall.objects.get().annotations == []


def test_a_server_may_answer_later_within_the_minute(send, receiving):
    def behave(asked):
        if asked.method == "POST":
            return 202, {"Location": "/tasks/1", "Retry-After": "0"}, {}
        return 200, {}, {"annotations": {"mention": [{"start": 17, "end": 21, "text": "CDH1"}]}}

    with TaskServer(behave) as there:
        Server.objects.update(url=there.url, protocol="rest")
        send()
        loop.run_slices_if_slot_and_lease_free(receiving.pk)
    call = PastedTextCall.objects.get()
    assert (call.state, len(call.annotations)) == ("answered", 1), (call.failure, call.broken_rules)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"null",
        b"[" * 100_000,
        b'{"annotations": {"mention": [{"start": 0, "end": 1, "text": "\\u0000"}]}}',
        b"\xff" * 9,
    ],
)
def test_an_answer_that_cannot_be_read_ends_the_call_and_the_page_stands(send, receiving, as_carol, body):
    with TaskServer(lambda asked: (200, {}, body)) as there:
        Server.objects.update(url=there.url, protocol="rest")
        sent = send()
        assert loop.run_slices_if_slot_and_lease_free(receiving.pk) == "idle"
    call = PastedTextCall.objects.get()
    assert call.finished and call.annotations == []
    assert as_carol.get(sent.url).status_code == 200


def test_an_answer_with_too_many_annotations_is_not_stored(send, receiving, annotator, as_carol, monkeypatch):
    monkeypatch.setattr(annotation, "MOST_ANNOTATIONS", 1)
    annotator.behave = lambda sent: {"mentions": [MENTION, {"offset": 0, "section": "title", "mention": "Zyxelgenin"}]}
    sent = send()
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    assert PastedTextCall.objects.get().annotations == []
    assert "the answer has too many annotations to be shown" in as_carol.get(sent.url).content.decode()
