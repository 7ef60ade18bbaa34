"""A trial of a BeCalm server waits for its call-back, judges it like any answer, and stores nothing of it."""

import json

import pytest
from django.db import connection
from django.test import Client

from annotations.results.models import Result
from bcms.lib.http.exchange import KEPT_BYTES
from servers.calls.models import Attempt
from servers.registry import trial_callbacks, trials
from servers.registry.models import FIRST_REFERENCE, Server, Trial
from tests.module_time import replace_time
from tests.taskserver import TaskServer

# The call-back comes in a thread of its own, as it comes in another process.
pytestmark = pytest.mark.django_db(transaction=True)

ACKNOWLEDGED = {"status": 200, "success": True, "key": "k"}
FOUND = {"document_id": "10000001", "section": "T", "init": 8, "end": 12, "annotated_text": "CDH1", "type": "GENE"}


def start_becalm_trial(team, by, article, server=None, **fields):
    asked = {"name": "New", "method": "", "send": "struct", "kinds": ["mention"], "time_limit": 60}
    asked |= {"protocol": "becalm", "custom_parameters": {}, "url": ""} | fields
    return trials.store_and_enqueue_trial_below_limit(team, by, asked, article, server)


def save(reference, body, key="any"):
    place = f"/api/saveAnnotations/JSON?apikey={key}&communicationId={reference}"
    said = Client().post(place, body, content_type="application/json").json()
    return said["errorCode"] or said["message"]


def run_trial_with_callback(trial, body, key="any"):
    """The trial, and how its call-back was answered, which comes before the acknowledgement."""
    answers = []

    def behave(asked):
        answers.append(save(asked.json["parameters"]["communication_id"], body, key))
        connection.close()
        return 200, {}, ACKNOWLEDGED

    with TaskServer(behave) as there:
        Trial.objects.filter(pk=trial.pk).update(fields=trial.fields | {"url": there.url})
        trials.run_open_trial_and_store_report(trial.pk)
    return Trial.objects.get(pk=trial.pk), answers


def test_it_judges_what_the_server_calls_back_with(client, alice, team, article):
    trial, answers = run_trial_with_callback(start_becalm_trial(team, alice, article), json.dumps([FOUND]))
    assert answers == ["1 annotation accepted."]
    assert (trial.report["passed"], trial.report["stored"]) == (True, {"mention": 1})
    client.force_login(alice)
    page = client.get(f"/servers/trials/{trial.pk}/").content.decode()
    assert '>CDH1 <span class="meta">GENE</span></td><td class="mono" data-head="Where">8-12</td>' in page
    assert "&quot;annotated_text&quot;: &quot;CDH1&quot;" in page
    assert not (Server.objects.exists() or Attempt.objects.exists() or Result.objects.exists())


def run_trial_of_two(trial, call_back):
    """The trial of a server that takes several articles; call_back is made with the parameters of each request."""

    def behave(asked):
        call_back(asked.json["parameters"])
        connection.close()
        return 200, {}, ACKNOWLEDGED

    with TaskServer(behave) as there:
        Trial.objects.filter(pk=trial.pk).update(fields=trial.fields | {"url": there.url, "articles_per_request": 8})
        trials.run_open_trial_and_store_report(trial.pk)
    return Trial.objects.get(pk=trial.pk), [asked.json["parameters"] for asked in there.asked]


def test_it_sends_two_articles_together_and_waits_for_one_call_back_of_both(client, alice, team, article):
    def call_back(parameters):
        found = [FOUND] if len(parameters["documents"]) == 1 else [FOUND, FOUND | {"document_id": "90000001"}]
        if len(found) == 2:
            found[1] |= {"init": 0, "end": 5, "annotated_text": "BRCA1"}
            assert save(trial.reference, json.dumps(found)) == "13"
        assert save(parameters["communication_id"], json.dumps(found)).endswith("accepted.")
        assert save(parameters["communication_id"], json.dumps(found)) == "13"

    trial = start_becalm_trial(team, alice, article)
    trial, requests = run_trial_of_two(trial, call_back)
    assert [parameters["communication_id"] for parameters in requests] == [trial.reference, trial.reference + 1]
    documents = [[each["document_id"] for each in parameters["documents"]] for parameters in requests]
    assert documents == [["10000001"], ["10000001", "90000001"]]
    assert trial.report["batch"] == {"passed": True, "articles": ["10000001", "90000001"], "faults": []}
    client.force_login(alice)
    page = client.get(f"/servers/trials/{trial.pk}/").content.decode()
    assert "Two articles in one request were answered, too." in page
    assert "Callback for two articles" in page and "&quot;annotated_text&quot;: &quot;BRCA1&quot;" in page


@pytest.mark.parametrize(
    ("found", "said", "code"),
    [
        (FOUND | {"init": 9, "end": 13}, "1 annotation accepted.", "R105"),
        (FOUND | {"document_id": "999"}, "7", "R206"),
        (None, "", "no-answer"),
    ],
)
def test_it_shows_what_is_wrong_with_the_call_back_of_two(alice, team, article, monkeypatch, found, said, code):
    if found is None:
        wait = trials.wait_for_trial_callback
        monkeypatch.setattr(trials, "wait_for_trial_callback", lambda pk, ref, s: None if ref % 2 else wait(pk, ref, s))

    def call_back(parameters):
        if len(parameters["documents"]) == 1:
            save(parameters["communication_id"], "")
        elif found:
            assert save(parameters["communication_id"], json.dumps([found])) == said

    trial, _ = run_trial_of_two(start_becalm_trial(team, alice, article), call_back)
    assert [fault["code"] for fault in trial.report["batch"]["faults"]] == [code]
    assert (trial.report["broken_rules"], trial.report["passed"]) == ([], False)


def test_a_server_that_takes_one_article_has_no_call_back_of_two(alice, team, article):
    trial = start_becalm_trial(team, alice, article)
    assert save(trial.reference + 1, "[]") == "10"


def test_it_shows_rule_by_rule_what_is_wrong_with_it(alice, team, article):
    bad = [FOUND | {"init": 9, "end": 13}, FOUND | {"document_id": "999"}, FOUND | {"type": "COLOUR"}]
    trial, answers = run_trial_with_callback(start_becalm_trial(team, alice, article), json.dumps(bad))
    assert answers == ["6"]
    assert [rule["code"] for rule in trial.report["broken_rules"]] == ["R205", "R206", "R105"]
    assert trial.report["stored"] == {}


def test_it_takes_an_empty_body_for_nothing_found(alice, team, article):
    trial, answers = run_trial_with_callback(start_becalm_trial(team, alice, article), "")
    assert (answers, trial.report["passed"], trial.report["stored"]) == (["0 annotations accepted."], True, {})


def test_it_waits_for_a_call_back_that_comes_later(alice, team, article, monkeypatch):
    trial = start_becalm_trial(team, alice, article)
    replace_time(monkeypatch, trial_callbacks, sleep=lambda _: save(trial.reference, json.dumps([FOUND])))
    with TaskServer(lambda asked: (200, {}, ACKNOWLEDGED)) as there:
        Trial.objects.update(fields=trial.fields | {"url": there.url})
        trials.run_open_trial_and_store_report(trial.pk)
    report = Trial.objects.get().report
    assert report["stored"] == {"mention": 1}
    assert 0 < report["phases"]["wait"] + report["phases"]["work"] <= report["seconds"]


def test_it_ends_without_a_call_back_when_its_time_is_over(client, alice, team, article, monkeypatch):
    monkeypatch.setattr(trials, "LONGEST_TRIAL", 0.5)
    trial = start_becalm_trial(team, alice, article)
    with TaskServer(lambda asked: (200, {}, ACKNOWLEDGED)) as there:
        Trial.objects.update(fields=trial.fields | {"url": there.url})
        trials.run_open_trial_and_store_report(trial.pk)
    assert Trial.objects.get().report["failure"]["code"] == "no-answer"
    client.force_login(alice)
    assert "The server did not call back." in client.get(f"/servers/trials/{trial.pk}/").content.decode()
    assert save(trial.reference, "[]") == "9"
    assert not Trial.objects.get().callback_form


def test_it_takes_one_call_back_and_no_more(alice, team, article):
    trial = start_becalm_trial(team, alice, article)
    assert save(trial.reference, json.dumps([FOUND])) == "1 annotation accepted."
    assert save(trial.reference, "[]") == "13"
    assert bytes(Trial.objects.get().callback) == json.dumps([FOUND]).encode()


def test_it_wants_the_key_of_a_server_that_is_registered(alice, team, server, article):
    trial = start_becalm_trial(team, alice, article, server)
    assert FIRST_REFERENCE <= trial.reference < 2 * FIRST_REFERENCE
    assert save(trial.reference, "[]") == "10"
    assert save(trial.reference, "[]", server.api_key) == "0 annotations accepted."


def test_it_keeps_the_beginning_of_what_came(alice, team, article):
    trial, _ = run_trial_with_callback(start_becalm_trial(team, alice, article), json.dumps([FOUND]) + " " * 100_000)
    assert len(bytes(trial.callback)) == KEPT_BYTES
