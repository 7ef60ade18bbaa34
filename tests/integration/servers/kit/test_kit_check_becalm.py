"""`python -m servers.kit check` of servers that speak BeCalm's protocol and call back."""

import json
import threading
import urllib.error
import urllib.request

import pytest

from servers.kit.checks.callback_listener import CallbackListener
from tests.fakeserver import dead
from tests.integration.kit_cast import list_reported_faults, mentions, one_article, run_kit_check
from tests.taskserver import TaskServer

ACKNOWLEDGED = 200, {}, {"status": 200, "success": True, "key": "secret"}


class Becalm:
    """A server that acknowledges at once and calls back from a thread of its own; what it was told is kept."""

    def __init__(self, port, answers, form="JSON", key="&apikey=mine"):
        self.place = f"http://127.0.0.1:{port}/api/saveAnnotations/{form}"
        self.answers = answers
        self.key = key
        self.told_by_thread = {}
        self.threads = []
        self.keys = []

    @property
    def told(self):
        """What the call-backs were told, in the order of the requests: one may be told before the one before it."""
        return [
            told
            for thread in (*self.threads, threading.current_thread())
            for told in self.told_by_thread.get(thread, ())
        ]

    def behave(self, asked):
        parameters = asked.json["parameters"]
        self.keys.append(asked.json["becalm_key"])
        self.threads.append(threading.Thread(target=self.call_back, args=[parameters], daemon=True))
        self.threads[-1].start()
        return ACKNOWLEDGED

    def call_back(self, parameters):
        for body in self.answers(*parameters["documents"]):
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            place = f"{self.place}?communicationId={parameters['communication_id']}{self.key}"
            try:
                with urllib.request.urlopen(place, data, timeout=60) as reply:
                    self.note(json.load(reply))
            except urllib.error.HTTPError as error:
                self.note(json.load(error))

    def note(self, told):
        self.told_by_thread.setdefault(threading.current_thread(), []).append(told)


@pytest.fixture
def port():
    """A port that was free a moment ago."""
    with dead() as url:
        return int(url.rstrip("/").rpartition(":")[2])


def check_becalm(capsys, port, becalm, *more):
    with TaskServer(becalm.behave) as there:
        answered = run_kit_check(capsys, there.url, "--protocol", "becalm", "--listen", port, "--key", "secret", *more)
        for thread in becalm.threads:
            thread.join(60)
    return answered


def predictions(*documents):
    """One list with the mentions of the titles, as the protocol counts them."""
    found = [(sent, at, word) for sent in documents for at, word in mentions(sent["title"])]
    yield [
        {
            **{"document_id": sent["document_id"], "section": "T", "score": 0.5, "type": "GENE"},
            **{"init": at, "end": at + len(word), "annotated_text": word},
        }
        for sent, at, word in found
    ]


def test_it_is_called_back_by_a_server_that_speaks_becalm(capsys, port):
    becalm = Becalm(port, predictions)
    status, report = check_becalm(capsys, port, becalm)
    assert (status, list_reported_faults(report)) == (0, [[("BRCA1", "0-5")], [], []])
    assert becalm.keys == ["secret"] * 3
    assert [told["message"] for told in becalm.told] == [
        "1 annotation accepted.",
        "0 annotations accepted.",
        "0 annotations accepted.",
    ]
    assert becalm.told[0]["urlParams"] == {"apikey": "mine", "communicationId": "1"}


def test_it_sends_two_articles_together(capsys, port):
    becalm = Becalm(port, predictions)
    status, report = check_becalm(capsys, port, becalm, "--articles-per-request", "4")
    assert (status, [each["batch"]["passed"] for each in report["articles"]]) == (0, [True] * 3)
    assert sorted(told["urlParams"]["communicationId"] for told in becalm.told) == list("123456")


def test_it_reports_a_server_that_refuses_two_articles(capsys, port):
    class OneAtATime(Becalm):
        def behave(self, asked):
            refusal = 200, {}, {"status": 400, "success": False, "message": "One document, please"}
            return super().behave(asked) if len(asked.json["parameters"]["documents"]) == 1 else refusal

    options = ("--articles-per-request", "4", "--articles", one_article())
    status, report = check_becalm(capsys, port, OneAtATime(port, predictions), *options)
    assert (status, report["articles"][0]["stored"]) == (1, {"mention": 1})
    [fault] = report["articles"][0]["batch"]["faults"]
    assert fault["article"] == "" and "One document, please" in fault["message"]


def test_it_takes_a_table_from_becalm(capsys, port):
    becalm = Becalm(port, lambda sent: [b"7\tT\t0\t5\t0.5\tBRCA1\tGENE\t\n"], form="tsv")
    status, report = check_becalm(capsys, port, becalm, "--articles", one_article())
    assert (status, list_reported_faults(report)) == (0, [[("BRCA1", "0-5")]])


@pytest.mark.parametrize(
    ("body", "code", "rule"),
    [
        ([{"document_id": "8", "section": "T", "init": 0, "end": 5, "type": "GENE"}], "7", "R206"),
        ([{"document_id": "7", "section": "T", "init": 0, "end": 5, "type": "COLOUR"}], "6", "R205"),
        ([{"document_id": "7", "section": "B", "init": 0, "end": 5, "type": "GENE"}], "15", "R203"),
        ([{"document_id": "7", "section": "T", "init": 0, "end": 5}], "5", "R201"),
        ([{"document_id": "7", "section": "T", "init": 0, "end": 5, "type": "GENE"}] * 2, "16", "R120"),
        (b"nonsense", "17", "R202"),
    ],
)
def test_it_refuses_a_call_back_as_the_site_does_and_tells_of_it_at_once(capsys, port, body, code, rule):
    becalm = Becalm(port, lambda sent: [body])
    status, report = check_becalm(capsys, port, becalm, "--articles", one_article())
    assert (status, becalm.told[0]["errorCode"]) == (1, code)
    assert [broken["code"] for broken in report["articles"][0]["broken_rules"]] == [rule]


def test_it_times_out_on_a_call_back_without_a_key(capsys, port):
    keyless = Becalm(port, lambda sent: [[]], key="")
    status, report = check_becalm(capsys, port, keyless, "--articles", one_article(), "--time-limit", "0.5")
    assert (status, report["articles"][0]["failure"]["code"]) == (1, "no-answer")
    assert keyless.told[0]["errorName"] == "NEED_PARAMETERS"


def test_it_refuses_what_comes_twice_or_late_or_was_not_asked_for():
    with CallbackListener({1: ["7"], 2: ["8"]}) as listener:
        becalm = Becalm(listener.server.server_address[1], lambda sent: [[]])
        listener.await_callback(2, 0)
        for reference in (1, 1, 2, 3):
            becalm.call_back({"documents": [{}], "communication_id": reference})
        assert listener.await_callback(1, 0) == ("json", b"[]")
    names = [told["errorName"] for told in becalm.told]
    assert names == ["", "REQUEST_CLOSED", "REQUEST_EXPIRED", "UNKNOWN_COMMUNICATION_ID"]


def test_it_says_why_a_question_was_not_accepted(capsys, port):
    with TaskServer(lambda asked: (200, {}, {"status": 401, "success": False, "message": "Wrong key"})) as there:
        status, report = run_kit_check(capsys, there.url, "--protocol", "becalm", "--articles", one_article())
    assert status == 1
    assert "Wrong key" in report["articles"][0]["failure"]["message"]
