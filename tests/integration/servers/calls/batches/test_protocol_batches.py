"""Several articles in one request to PubAnnotation annotators, and to BeCalm servers, which call back."""

import json

import pytest
from django.db.models.functions import Now

from annotations.results.models import Annotation, Reply
from servers.calls import loop
from servers.calls.models import Attempt, Call, Callback
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.integration.server_cast import articles
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)

PMIDS = ["70000001", "70000002", "70000003"]
FOUND = {"section": "T", "init": 0, "end": 4, "score": 0.9, "annotated_text": "CDH1", "type": "GENE"}
ACKNOWLEDGED = {"status": 200, "success": True, "key": "k", "data": []}


def make_queue(server, protocol):
    Server.objects.filter(pk=server.pk).update(
        protocol=protocol, method="POST", kinds=["mention"], articles_per_request=8
    )
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(70000001, 3)])


def serve(server, behave):
    with TaskServer(behave) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url)
        Call.objects.update(due=Now())
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    return there.asked


def annotate_document(document):
    span = {"begin": 0, "end": 4}
    return {"sourceid": document["sourceid"], "denotations": [{"id": "T1", "span": span, "obj": "Gene"}]}


def test_pubannotation_sends_and_reads_an_array_of_documents(server):
    make_queue(server, "pubannotation")
    asked = serve(server, lambda asked: (200, {}, [annotate_document(each) for each in asked.json[:2]]))
    assert asked[0].json == [{"sourcedb": "PubMed", "sourceid": pmid, "text": "CDH1"} for pmid in PMIDS]
    assert list(Call.objects.order_by("pk").values_list("state", flat=True)[:2]) == [CallState.ANSWERED] * 2
    assert Annotation.objects.count() == 2
    missing = Attempt.objects.get(call__article__pmid=70000003)
    assert (missing.outcome, missing.diagnosis) == (Outcome.INVALID, "missing-article")


def test_pubannotation_may_answer_a_batch_by_a_task(server):
    make_queue(server, "pubannotation")
    sent = []

    def work(asked):
        if asked.method == "POST":
            sent.extend(asked.json)
            return 201, {"Location": "/task"}, {}
        if asked.path == "/task":
            return 200, {}, {"status": "DONE", "result_location": "/result"}
        return 200, {}, [annotate_document(each) for each in sent]

    with TaskServer(work) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
        assert set(Call.objects.values_list("state", flat=True)) == {CallState.PENDING}
        Call.objects.update(due=Now())
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.ANSWERED, 1)}


@pytest.fixture
def pending(server):
    """The first attempt of a BeCalm request with three documents."""
    make_queue(server, "becalm")
    asked = serve(server, lambda asked: (200, {}, ACKNOWLEDGED))
    parameters = asked[0].json["parameters"]
    assert [document["document_id"] for document in parameters["documents"]] == PMIDS
    first = Attempt.objects.select_related("server").earliest("pk")
    assert parameters["communication_id"] == first.pk
    assert set(Call.objects.values_list("state", flat=True)) == {CallState.PENDING}
    return first


def call_back(client, attempt, predictions, reference=None):
    url = f"/api/saveAnnotations/JSON?apikey={attempt.server.api_key}&communicationId={reference or attempt.pk}"
    return client.post(url, json.dumps(predictions), content_type="text/plain").json()


def test_becalm_is_called_back_once_for_all_documents(client, server, pending):
    predictions = [{**FOUND, "document_id": pmid} for pmid in PMIDS[:2]]
    assert call_back(client, pending, predictions)["success"]
    loop.run_slices_if_slot_and_lease_free(server.pk)
    states = Call.objects.order_by("pk").values_list("state", "tries")
    assert list(states) == [(CallState.ANSWERED, 1), (CallState.ANSWERED, 1), (CallState.EMPTY, 1)]
    assert Annotation.objects.count() == 2
    assert Reply.objects.count() == 3
    assert b'"document": "70000002"' in bytes(Attempt.objects.get(call__article__pmid=70000002).body.answer)


def test_becalm_refuses_documents_and_ids_that_are_not_those_of_the_request(client, server, pending):
    refused = call_back(client, pending, [{**FOUND, "document_id": "999"}])
    assert refused["errorName"] == "DOCUMENT_NOT_FOUND"
    assert "Document 999 was not requested; 3 others were, such as 70000001." in refused["message"]
    second = Attempt.objects.order_by("pk")[1]
    assert call_back(client, pending, [], second.pk)["errorName"] == "UNKNOWN_COMMUNICATION_ID"
    assert not Callback.objects.exists()


def test_becalm_sends_fewer_documents_after_a_call_back_that_did_not_come(client, server, pending):
    Call.objects.update(expires=Now(), due=Now())
    [asked] = serve(server, lambda asked: (200, {}, ACKNOWLEDGED))
    assert len(asked.json["parameters"]["documents"]) == 1
    assert Server.objects.get().batch_limit == 1
    assert set(Attempt.objects.filter(articles_in_request=3).values_list("diagnosis", flat=True)) == {"no-answer"}
    assert set(Call.objects.values_list("tries", flat=True)) == {0}
    assert call_back(client, pending, [])["errorName"] == "REQUEST_EXPIRED"
