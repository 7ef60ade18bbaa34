"""JSON-REST and PubAnnotation: what is sent, what is read, and what every malformed answer is called."""

from urllib.parse import unquote

import pytest

from annotations.schema import AnnotationData, Kind
from bcms.lib.http.exchange import Exchange
from servers.calls.client import request_answer_and_collect_broken_rules, request_task_answer_or_next_poll
from servers.calls.errors import CallError
from servers.protocols.annotation_requests import DeferredAnswer
from tests.conftest import ABSTRACT, TITLE
from tests.questions import question
from tests.taskserver import TaskServer

TEXT = f"{TITLE}\n{ABSTRACT}"
AT = TEXT.index("CDH1")


def request_annotator(protocol, body, status=200, headers=None, **values):
    with TaskServer(lambda asked: (status, headers or {}, body)) as server:
        answer = request_answer_and_collect_broken_rules(question(protocol, url=server.url, **values), Exchange())
    return answer, server.asked[0]


def failure(protocol, body, status=200, headers=None, **values):
    with pytest.raises(CallError) as caught:
        request_annotator(protocol, body, status, headers, **values)
    return caught.value.diagnosis.code, str(caught.value)


def test_it_sends_the_article_with_its_passages():
    _, asked = request_annotator("rest", {})
    assert (asked.method, asked.type) == ("POST", "application/json")
    sent = asked.json
    assert (sent["id"], sent["pmid"], sent["text"], sent["deadline"]) == ("10000001", 10000001, TEXT, 20.0)
    assert [TEXT[p["offset"] :].startswith(p["text"]) for p in sent["passages"]] == [True, True]
    assert "mention" in sent["kinds"]


def test_it_sends_no_pmid_of_a_blind_article():
    _, asked = request_annotator("rest", {}, identifier="B0123", pmid=None)
    assert "pmid" not in asked.json
    assert failure("rest", {}, send="pmid", pmid=None)[0] == "no-pmid"


def test_it_reads_every_kind():
    annotations = {
        "mention": [{"start": AT, "end": AT + 4, "text": "CDH1", "type": "gene", "confidence": 0.9}],
        "normalization": [{"database": "UniProt", "identifier": "P12830", "taxon": 9606, "rank": 1}],
        "taxon": [{"identifier": 9606}],
        "classification": {"relevant": True, "confidence": 0.7},
        "pair": [{"database": "uniprot", "identifier": "P12830", "partner": "P35222"}],
        "method": [{"identifier": "MI:0018"}],
    }
    answer, _ = request_annotator("rest", {"id": 10000001, "annotations": annotations})
    assert answer.broken_rules == []
    assert answer.annotations == [
        AnnotationData(Kind.MENTION, start=AT, end=AT + 4, text="CDH1", type="gene", confidence=0.9),
        AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="P12830", taxon=9606, rank=1),
        AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606"),
        AnnotationData(Kind.CLASSIFICATION, relevant=True, confidence=0.7),
        AnnotationData(Kind.PAIR, database="uniprot", identifier="P12830", partner="P35222"),
        AnnotationData(Kind.METHOD, database="psi-mi", identifier="MI:0018"),
    ]


@pytest.mark.parametrize(
    ("version", "stated"),
    [("2.1", "2.1"), (3, "3"), (None, ""), (["2"], ""), (True, ""), ("v\0" + 99 * "1", "v\ufffd" + 97 * "1" + "…")],
)
def test_it_reads_which_version_answers(version, stated):
    answer, _ = request_annotator("rest", {"annotations": {}, "version": version})
    assert (answer.stated_version, answer.notes) == (stated, [])


@pytest.mark.parametrize("body", [{}, [], {"annotations": {}}, {"annotations": []}, {"annotations": {"mention": {}}}])
def test_it_takes_an_empty_array_for_an_empty_object(body):
    answer, _ = request_annotator("rest", body)
    assert (answer.annotations, answer.broken_rules) == ([], [])


def test_it_notes_what_nobody_reads():
    answer, _ = request_annotator(
        "rest", {"annotations": {"taxon": [{"identifier": 9606, "colour": "red"}]}, "release": 3}
    )
    assert len(answer.annotations) == 1
    assert [note.split('"')[1] for note in answer.notes] == ["release", "colour"]


def test_it_breaks_a_rule_at_its_place():
    answer, _ = request_annotator(
        "rest", {"annotations": {"mention": [{"start": 0, "end": 4}], "taxon": [{"identifier": "9606"}]}}
    )
    assert [(rule.code, rule.where) for rule in answer.broken_rules] == [("R201", "annotations.mention[0].text")]
    assert [finding.kind for finding in answer.annotations] == [Kind.TAXON]


@pytest.mark.parametrize("confidence", [float("nan"), -0.5, 1.5])
def test_it_refuses_a_confidence_that_is_none(confidence):
    answer, _ = request_annotator("rest", {"annotations": {"taxon": [{"identifier": 9606, "confidence": confidence}]}})
    assert [rule.where for rule in answer.broken_rules] == ["annotations.taxon[0].confidence"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "not-json"),
        (b'{"annotations": ', "cut-off"),
        (b'{"annotations": {"mention": "CD', "cut-off"),
        (b"{} {}", "not-json"),
        (b"<html><title>Log in</title></html>", "not-json"),
        ('{"annotations": "é"}'.encode("latin-1"), "wrong-encoding"),
        (b"[" * 100_000, "too-deep"),
        (b"[" + b"1," * 300_000 + b"1]", "too-many-values"),
        (b"1" * 10_000, "not-json"),
        ({"id": "999", "annotations": {}}, "wrong-article"),
    ],
)
def test_it_diagnoses_what_cannot_be_read(body, code):
    found, sentence = failure("rest", body)
    assert found == code
    assert sentence.count(". ") >= 1


def test_it_takes_commas_inside_strings_for_no_values():
    answer, _ = request_annotator("rest", {"annotations": {}, "comment": "," * 300_000})
    assert answer.broken_rules == []


def test_it_is_told_where_the_answer_will_be():
    answer, _ = request_annotator("rest", {}, 202, {"Location": "/tasks/7", "Retry-After": "5"})
    assert isinstance(answer, DeferredAnswer)
    assert (answer.task_url.endswith("/tasks/7"), answer.wait) == (True, 5.0)
    assert failure("rest", {}, 202)[0] == "no-task"


@pytest.mark.parametrize("protocol", ["rest", "pubannotation"])
@pytest.mark.parametrize("place", ["http://[", "ftp://127.0.0.1/tasks/7", "/tasks/7\0", "http://user:pa55@127.0.0.1/"])
def test_it_says_that_nothing_can_be_asked_where_the_answer_is_said_to_be(protocol, place):
    code, sentence = failure(protocol, {}, 202, {"Location": place})
    assert (code, "pa55" in sentence) == ("bad-task-place", False)


def test_it_puts_the_article_into_a_pubannotation_url():
    with TaskServer(lambda asked: (200, {}, {"denotations": []})) as server:
        url = server.url + "annotate?text=_text_&source=_sourcedb_:_sourceid_"
        request_answer_and_collect_broken_rules(question("pubannotation", url=url, method="GET"), Exchange())
    [asked] = server.asked
    assert asked.method == "GET"
    assert unquote(asked.path) == f"/annotate?text={TEXT}&source=PubMed:10000001"


def test_it_posts_the_text_or_a_document():
    _, asked = request_annotator("pubannotation", {"denotations": []}, send="text")
    assert (asked.type, asked.body.decode()) == ("text/plain; charset=UTF-8", TEXT)
    _, asked = request_annotator("pubannotation", {"denotations": []})
    assert asked.json == {"sourcedb": "PubMed", "sourceid": "10000001", "text": TEXT}


def test_it_reads_denotations_attributes_and_relations():
    second = TEXT.index("CTNNB1")
    body = {
        "text": TEXT,
        "denotations": [
            {"id": "T1", "span": {"begin": AT, "end": AT + 4}, "obj": "http://identifiers.org/uniprot/P12830"},
            {"id": "T2", "span": {"begin": second, "end": second + 6}, "obj": "Protein"},
        ],
        "attributes": [{"id": "A1", "subj": "T2", "pred": "id", "obj": "uniprot:P35222"}],
        "relations": [{"id": "R1", "subj": "T2", "pred": "binds", "obj": "T1"}],
    }
    answer, _ = request_annotator("pubannotation", body)
    assert answer.broken_rules == []
    mentions = [finding for finding in answer.annotations if finding.kind == Kind.MENTION]
    assert [(mention.text, mention.type) for mention in mentions] == [
        ("CDH1", "http://identifiers.org/uniprot/P12830"),
        ("CTNNB1", "Protein"),
    ]
    assert [f.identifier for f in answer.annotations if f.kind == Kind.NORMALIZATION] == ["P12830", "P35222"]
    assert [(f.identifier, f.partner) for f in answer.annotations if f.kind == Kind.PAIR] == [("P12830", "P35222")]


@pytest.mark.parametrize(
    "label",
    [
        "NCBITaxon:9606",
        "http://purl.obolibrary.org/obo/NCBITaxon_9606",
        "https://identifiers.org/taxonomy:9606",
        "http://identifiers.org/taxonomy/9606",
    ],
)
def test_it_knows_an_entry_in_every_spelling(label):
    body = {"denotations": [{"span": {"begin": 0, "end": 4}, "obj": label}]}
    answer, _ = request_annotator("pubannotation", body, kinds=(Kind.TAXON,))
    assert answer.annotations == [AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606")]


@pytest.mark.parametrize(
    "body",
    [{"sourceid": "999", "denotations": []}, {"text": "Another text.", "denotations": []}, [{}, {}]],
)
def test_it_takes_no_answer_for_another_article(body):
    assert failure("pubannotation", body)[0] == "wrong-article"


def test_it_says_where_a_span_is_wrong():
    body = {"denotations": [{"span": {"begin": 3, "end": 90_000}, "obj": "Protein"}, {"span": [1], "obj": "Protein"}]}
    answer, _ = request_annotator("pubannotation", body)
    places = {rule.where for rule in answer.broken_rules}
    assert "denotations[0].span.end" in places or "denotations[0].span.begin" in places
    assert "denotations[1].span.end" in places


def test_it_follows_a_task_to_its_result():
    def behave(asked):
        if asked.path == "/tasks/7":
            return 200, {}, {"status": "DONE", "result_location": "/results/7"}
        return 200, {}, {"denotations": [{"span": {"begin": AT, "end": AT + 4}, "obj": "Protein"}]}

    with TaskServer(behave) as server:
        answer = request_task_answer_or_next_poll(question("pubannotation"), f"{server.url}tasks/7", 5.0, Exchange())
    assert [asked.path for asked in server.asked] == ["/tasks/7", "/results/7"]
    assert answer.annotations[0].text == "CDH1"


@pytest.mark.parametrize(
    ("task", "code"),
    [
        ({"status": "ERROR", "error_message": "no model"}, "task-failed"),
        ({"status": "DONE"}, "bad-task"),
        ({"status": "DONE", "result_location": "http://["}, "bad-task-place"),
        ({"status": "DONE", "result_location": "/tasks/7"}, "endless-task"),
    ],
)
def test_it_says_why_a_task_brings_nothing(task, code):
    with TaskServer(lambda asked: (200, {}, task)) as server, pytest.raises(CallError) as caught:
        request_task_answer_or_next_poll(question("pubannotation"), f"{server.url}tasks/7", 5.0, Exchange())
    assert caught.value.diagnosis.code == code


@pytest.mark.parametrize(("said", "wait"), [(12.5, 12.5), (10**400, 60.0), (-1, 1.0), (True, 2.0), ("soon", 2.0)])
def test_it_waits_as_long_as_the_task_says_within_bounds(said, wait):
    with TaskServer(lambda asked: (200, {}, {"status": "IN_PROGRESS", "ETR": said})) as server:
        answer = request_task_answer_or_next_poll(question("pubannotation"), f"{server.url}tasks/7", 5.0, Exchange())
    assert (answer.task_url, answer.wait) == (f"{server.url}tasks/7", wait)
