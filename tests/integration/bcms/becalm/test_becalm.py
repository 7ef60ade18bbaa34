"""BeCalm: the acknowledged question, the call back in three forms, and each of the protocol's refusals kept apart."""

import base64
import json
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from annotations.articles.models import Corpus
from annotations.results.models import Annotation
from servers.calls import loop
from servers.calls.deferred_answers import callbacks
from servers.calls.models import Attempt, Call, Callback
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.conftest import ABSTRACT, TITLE
from tests.integration.evaluation_cast import hide_article
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)

ACKNOWLEDGED = {"status": 200, "success": True, "key": "k", "data": []}
FOUND = {
    "document_id": "10000001",
    "section": "T",
    "init": 8,
    "end": 12,
    "score": 0.9,
    "annotated_text": "CDH1",
    "type": "GENE",
    "database_id": "uniprot:P12830",
}
OFFSET = ABSTRACT.index(" ")


@pytest.fixture
def queue(server, article):
    Server.objects.filter(pk=server.pk).update(protocol="becalm", custom_parameters={"model": "large"})
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    return queue


def ask(server, acknowledgement=ACKNOWLEDGED):
    with TaskServer(lambda asked: (200, {}, acknowledgement)) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    return there.asked[0].json


@pytest.fixture
def pending(server, queue):
    """The attempt that waits to be called back."""
    ask(server)
    return Attempt.objects.select_related("server").get()


def save(client, attempt, content, form="JSON", key=None, reference=None):
    body = content if isinstance(content, (bytes, str)) else json.dumps(content)
    place = f"/api/saveAnnotations/{form}?apikey={key or attempt.server.api_key}"
    sent = client.post(f"{place}&communicationId={reference or attempt.pk}", body, content_type="text/plain")
    return sent.status_code, sent.json()


def save_refused_answer(client, attempt, content, **how):
    status, said = save(client, attempt, content, **how)
    assert (status, said["status"], said["success"]) == (400, 400, False)
    return said["errorCode"], said["errorName"]


def test_it_asks_with_keys_document_types_and_an_id_to_call_back_with(server, queue):
    sent = ask(server)
    server.refresh_from_db()
    assert (sent["method"], sent["becalm_key"]) == ("getAnnotations", server.secret_key)
    assert sent["custom_parameters"] == {"model": "large"}
    [document] = sent["parameters"]["documents"]
    assert (document["document_id"], document["source"], document["title"]) == ("10000001", "PUBMED", TITLE)
    assert sent["parameters"]["types"] == ["GENE", "PROTEIN"]
    assert sent["parameters"]["communication_id"] == Attempt.objects.get().pk
    assert sent["parameters"]["expired"].endswith("+00:00")
    assert Call.objects.get().state == CallState.PENDING


@pytest.mark.parametrize(
    ("acknowledgement", "words"),
    [
        ({"status": 401, "success": False, "message": "Wrong key"}, "Wrong key"),
        ({"status": "500", "success": False}, "status 500"),
        ([], "it is not an object"),
        ({"success": True}, "status missing"),
    ],
)
def test_it_takes_a_refusal_inside_http_200(server, queue, acknowledgement, words):
    ask(server, acknowledgement)
    attempt = Attempt.objects.get()
    assert (attempt.outcome, attempt.diagnosis) == (Outcome.COMMUNICATION, "not-acknowledged")
    assert words in attempt.message


def test_it_stores_what_it_is_called_back_with(client, server, pending):
    status, said = save(client, pending, [FOUND])
    assert (status, said["success"], said["message"]) == (200, True, "1 annotation accepted.")
    assert said["urlParams"]["communicationId"] == str(pending.pk)
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert Call.objects.get().state == CallState.ANSWERED
    rows = Annotation.objects.order_by("result__kind").values_list(
        "result__kind", "start", "end", "type", "identifier", "confidence"
    )
    assert list(rows) == [
        ("mention", 8, 12, "GENE", "", 0.9),
        ("normalization", None, None, "", "P12830", 0.9),
    ]


def test_it_takes_a_table_with_its_header(client, server, pending):
    first = ABSTRACT.split(" ", maxsplit=1)[0]
    table = (
        "DOCUMENT_ID\tSECTION\tINIT\tEND\tSCORE\tANNOTATED_TEXT\tTYPE\tDATABASE_ID\r\n"
        f"10000001\tA\t0\t{len(first)}\t0.5\t{first}\tprotein\t\r\n"
    )
    assert save(client, pending, table, form="TSV")[0] == 200
    loop.run_slices_if_slot_and_lease_free(server.pk)
    mention = Annotation.objects.get()
    assert (mention.start, mention.text) == (len(TITLE) + 1, first)


def test_it_takes_bioc(client, server, pending):
    document = (
        "<collection><source/><date/><key/><document><id>10000001</id><passage><offset>0</offset>"
        f"<text>{TITLE}</text><annotation id='1'><infon key='type'>GENE</infon>"
        "<location offset='8' length='4'/><text>CDH1</text></annotation></passage></document></collection>"
    )
    assert save(client, pending, document, form="BIOC")[0] == 200
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert Annotation.objects.get().text == "CDH1"


@pytest.mark.parametrize("body", ["", "[]", "{}"])
def test_it_closes_a_question_with_nothing(client, server, pending, body):
    assert save(client, pending, body)[0] == 200
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert Call.objects.get().state == CallState.EMPTY


def test_it_takes_one_answer_only(client, server, pending):
    save(client, pending, [FOUND])
    assert save_refused_answer(client, pending, [FOUND]) == ("13", "REQUEST_CLOSED")
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert save_refused_answer(client, pending, [FOUND]) == ("13", "REQUEST_CLOSED")
    assert Callback.objects.count() == 1


def test_it_takes_no_answer_after_the_time_is_over(client, server, pending):
    Call.objects.update(expires=Now() - timedelta(seconds=1), due=Now())
    assert save_refused_answer(client, pending, [FOUND]) == ("9", "REQUEST_EXPIRED")
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert save_refused_answer(client, pending, [FOUND]) == ("9", "REQUEST_EXPIRED")
    assert Attempt.objects.get().outcome == Outcome.NO_ANSWER


def test_it_tells_nobody_whether_the_key_or_the_id_is_wrong(client, pending):
    wrong = save_refused_answer(client, pending, [FOUND], key="0" * 40)
    assert (
        wrong == save_refused_answer(client, pending, [FOUND], reference="999999") == ("10", "UNKNOWN_COMMUNICATION_ID")
    )
    assert save_refused_answer(client, pending, [FOUND], reference="9" * 30) == wrong
    assert not Callback.objects.exists()


def drop_mention_field(name):
    return [{key: value for key, value in FOUND.items() if key != name}]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("{", "17"),
        ("[" * 100, "17"),
        (b"[\xff]", "19"),
        ('"text"', "8"),
        (drop_mention_field("type"), "5"),
        ([FOUND | {"type": "COLOUR"}], "6"),
        ([FOUND | {"document_id": "999"}], "7"),
        (drop_mention_field("init"), "14"),
        ([FOUND | {"init": "eight"}], "15"),
        ([FOUND | {"section": "X"}], "15"),
        ([FOUND, FOUND], "16"),
    ],
)
def test_it_says_by_its_code_what_is_wrong_and_lets_it_be_mended(client, server, pending, content, code):
    assert save_refused_answer(client, pending, content)[0] == code
    assert save(client, pending, [FOUND])[0] == 200


@pytest.mark.parametrize("kinds", [["mention", "normalization"], ["normalization"]])
@pytest.mark.parametrize("score", [float("nan"), -0.5, 0, 1.5])
def test_it_breaks_a_rule_with_a_score_that_is_none(client, server, pending, kinds, score):
    Server.objects.update(kinds=kinds)
    assert save(client, pending, [FOUND | {"score": score}])[0] == 200
    loop.run_slices_if_slot_and_lease_free(server.pk)
    attempt, call = Attempt.objects.get(), Call.objects.get()
    assert (attempt.outcome, attempt.diagnosis) == (Outcome.INVALID, "R101")
    assert (call.state, call.tries) == (CallState.WAITING, 1)


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        ([FOUND | {"init": 9, "end": 13}], "R105", "count from 1 instead of 0"),
        ([FOUND | {"end": 11}], "R105", "The end seems to be the mention's last character"),
        ([FOUND | {"init": 900, "end": 904}], "R104", "characters 900 to 904"),
        ([FOUND | {"annotated_text": "BRCA1"}, FOUND | {"init": 0, "annotated_text": "RAD51"}], "R107", '"BRCA1"'),
    ],
)
def test_it_judges_what_it_is_called_back_with_like_any_answer(client, server, pending, said, code, words):
    assert save(client, pending, said)[0] == 200
    loop.run_slices_if_slot_and_lease_free(server.pk)
    attempt = Attempt.objects.get()
    assert (attempt.outcome, attempt.diagnosis) == (Outcome.INVALID, code)
    assert words in attempt.message
    assert not Annotation.objects.exists()


def test_it_expands_no_entities_of_bioc(client, server, pending):
    bomb = '<!DOCTYPE c [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><collection><source>&b;</source></collection>'
    thief = '<!DOCTYPE c [<!ENTITY f SYSTEM "file:///etc/passwd">]><collection><source>&f;</source></collection>'
    for hostile in (bomb, thief):
        assert save_refused_answer(client, pending, hostile, form="BIOC") == ("1", "FORMAT_ERROR")


def test_it_tells_all_faults_with_their_places(client, pending):
    _, said = save(client, pending, [FOUND | {"type": "COLOUR"}, FOUND, FOUND | {"section": 3}])
    assert [(error["errorCode"], error["where"]) for error in said["errors"]] == [
        ("6", "[0].type"),
        ("15", "[2].section"),
    ]


def test_it_wants_a_post_with_its_parameters(client, pending):
    assert client.get("/api/saveAnnotations/JSON").json()["errorCode"] == "2"
    said = client.post("/api/saveAnnotations/JSON", "[]", content_type="application/json").json()
    assert (said["errorCode"], said["urlParams"]) == ("12", {})
    assert client.post("/api/saveAnnotations/CSV").status_code == 404


def test_it_takes_the_key_by_http_basic_too(client, pending):
    log_in = base64.b64encode(f"team@example.org:{pending.server.api_key}".encode()).decode()
    sent = client.post(
        f"/api/saveAnnotations/JSON?communicationId={pending.pk}",
        json.dumps([FOUND]),
        content_type="application/json",
        headers={"Authorization": f"Basic {log_in}"},
    )
    assert sent.status_code == 200


def test_it_is_not_surprised_by_an_answer_before_the_acknowledgement(client, server, queue):
    """The server is quicker with its answer than with its acknowledgement."""

    def behave(asked):
        reference = asked.json["parameters"]["communication_id"]
        attempt = Attempt.objects.select_related("server").get(pk=reference)
        assert save(client, attempt, [FOUND])[0] == 200
        return 200, {}, ACKNOWLEDGED

    with TaskServer(behave) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert Call.objects.get().due <= Attempt.objects.get().started + timedelta(seconds=30)
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert Call.objects.get().state == CallState.ANSWERED


def test_it_tells_only_what_everybody_may_see(client, article):
    asked = {"abstracts": ["10000001", 5, "x"]}
    said = client.post("/api/documents/", json.dumps(asked), content_type="application/json").json()
    assert [(one["externalId"], one["title"]) for one in said] == [("10000001", TITLE)]
    assert client.get("/documents/PUBMED/10000001/").json()["text"] == f"{TITLE}\n{ABSTRACT}"
    hide_article(article, Corpus.objects.create(slug="blind", name="Blind", blind=True))
    assert client.post("/api/documents/", json.dumps(asked), content_type="application/json").json() == []
    assert client.get("/documents/PUBMED/10000001/").status_code == 404
    assert client.post("/api/documents/", "nonsense", content_type="application/json").status_code == 400


def test_it_shows_the_keys_to_managers_alone_and_makes_new_ones(client, alice, server, queue, django_user_model):
    server.refresh_from_db()
    client.force_login(alice)
    page = client.get("/servers/genedict/").content.decode()
    assert server.api_key in page
    assert "/api/saveAnnotations/JSON" in page
    dan = django_user_model.objects.create_user("dan")
    server.team.membership_set.create(user=dan)
    client.force_login(dan)
    assert server.api_key not in client.get("/servers/genedict/").content.decode()
    client.force_login(alice)
    client.post("/servers/genedict/new-keys/")
    assert Server.objects.get().api_key != server.api_key


def test_it_refuses_a_call_back_when_the_team_halts_at_that_moment(client, pending, server, monkeypatch):
    """The attempt was open when it was looked up, and is not by the time that it can be written."""
    checked = callbacks.count_callback_annotations_or_refuse

    def halt_meanwhile(document, form, body):
        lifecycle.halt_server_now_and_return_calls(server)
        return checked(document, form, body)

    monkeypatch.setattr(callbacks, "count_callback_annotations_or_refuse", halt_meanwhile)
    assert save_refused_answer(client, pending, [FOUND]) == ("13", "REQUEST_CLOSED")
    assert not Callback.objects.exists()
