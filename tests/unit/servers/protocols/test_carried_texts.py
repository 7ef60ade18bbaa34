"""Answers with a text that differs slightly from the text that was sent: their annotations are moved to that."""

import json
from dataclasses import replace
from email.message import Message

import pytest

from annotations.schema import SEVEN_KINDS, Kind, Span
from bcms.lib.http.messages import HttpReply
from servers.calls.batches.batch_client import validate_answer_parts
from servers.calls.client import collect_broken_rules_unless_deferred, read_callback_answer_collecting_broken_rules
from servers.calls.errors import CallError
from servers.protocols import carried_texts, pubannotation, rest
from servers.protocols.batches.array_batches import PUBANNOTATION_BATCHES
from tests.questions import question

TITLE = "BRCA1 and breast cancer"
ABSTRACT = "We found that ERK 2 phosphorylates p53 in cells of mice. It is not clear whether ERK1 does so, too."
TEXT = f"{TITLE}\n{ABSTRACT}"
CHANGED = TEXT.replace("\n", "\n\n").replace("We found that", "We show that").replace(" p53", " (p54)")
OPEN = (Kind.MENTION, Kind.RELATION, Kind.LABEL)
PROTOCOLS = {"pubannotation": pubannotation, "rest": rest}


def judge(document, protocol="pubannotation", kinds=OPEN):
    """The answer with the rules that it breaks."""
    asked = replace(question(protocol, title=TITLE, abstract=ABSTRACT), kinds=kinds)
    body = json.dumps(document).encode()
    parsed = PROTOCOLS[protocol].read_reply(HttpReply(200, Message(), body, "http://127.0.0.1/"), asked)
    return collect_broken_rules_unless_deferred(parsed, asked, body)


def denote(number, text, words):
    start = text.index(words)
    return {"id": f"T{number}", "span": {"begin": start, "end": start + len(words)}, "obj": "Gene"}


def list_valid(answer):
    broken = {rule.index for rule in answer.broken_rules}
    return [each for index, each in enumerate(answer.annotations) if index not in broken]


def find_span(words):
    return Span(TEXT.index(words), TEXT.index(words) + len(words))


def make_document(text):
    denotations = [denote(1, text, "breast cancer"), denote(2, text, "ERK1"), denote(3, text, "mice")]
    relations = [{"id": "R1", "subj": "T1", "pred": "found in", "obj": "T3"}]
    return {"text": text, "denotations": denotations, "relations": relations}


@pytest.mark.parametrize("kinds", [OPEN, SEVEN_KINDS])
def test_it_moves_mentions_and_relations_to_the_text_that_was_sent(kinds):
    answer = judge(make_document(CHANGED), kinds=kinds)
    assert answer.broken_rules == []
    mentions = [each for each in answer.annotations if each.kind is Kind.MENTION]
    assert [each.parts for each in mentions] == [(find_span(words),) for words in ("breast cancer", "ERK1", "mice")]
    assert [each.text for each in mentions] == ["breast cancer", "ERK1", "mice"]
    relations = [each for each in answer.annotations if each.kind is Kind.RELATION]
    assert [[argument.spans[0] for argument in each.arguments] for each in relations] == (
        [[find_span("breast cancer"), find_span("mice")]] if kinds == OPEN else []
    )
    assert answer.moved == ({Kind.MENTION: 0, Kind.RELATION: 0} if kinds == OPEN else {Kind.MENTION: 0})
    assert answer.notes == [carried_texts.NOTE]


def test_what_cannot_be_moved_breaks_a_rule_and_the_rest_is_kept():
    document = make_document(CHANGED)
    document["denotations"] += [denote(4, CHANGED, "p54"), {"id": "T5", "span": {"begin": 5, "end": 900}, "obj": "x"}]
    document["relations"] += [{"id": "R2", "subj": "T4", "pred": "found in", "obj": "T3"}]
    answer = judge(document)
    assert [(rule.code, rule.where) for rule in answer.broken_rules] == [
        ("R211", "denotations[3]"),
        ("R104", "denotations[4].span.begin"),
        ("R211", "relations[1]"),
    ]
    assert "p54" in answer.broken_rules[0].message
    assert "count positions in the text that was sent" in answer.broken_rules[0].mend
    assert [each.text for each in list_valid(answer)][:3] == ["breast cancer", "ERK1", "mice"]
    assert answer.moved == {Kind.MENTION: 1, Kind.RELATION: 1}


def test_a_span_is_checked_in_the_text_of_the_answer():
    """It is within the text that was sent, but beyond the end of the text in which it was counted."""
    shorter = TEXT.removesuffix(", too.")
    outside = {"id": "T1", "span": {"begin": len(shorter) - 2, "end": len(shorter) + 3}, "obj": "Gene"}
    answer = judge({"text": shorter, "denotations": [outside]})
    assert [rule.code for rule in answer.broken_rules] == ["R104"]


@pytest.mark.parametrize("text", [TEXT, f"{TEXT}\n", TEXT.replace("\n", " "), TEXT.replace(" ", "\N{NO-BREAK SPACE}")])
def test_a_text_with_the_same_positions_is_the_same_text(text, monkeypatch):
    monkeypatch.setattr(carried_texts, "align_carried_text", None)
    answer = judge(make_document(TEXT) | {"text": text})
    assert (answer.broken_rules, answer.notes, answer.moved) == ([], [], {})
    assert [each.text for each in answer.annotations[:3]] == ["breast cancer", "ERK1", "mice"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "E. coli",
        TITLE[::-1],
        ABSTRACT.upper(),
        "Another article\nIt has another abstract, too.",
        TEXT * 3,
        "a" * 99,
    ],
)
def test_another_text_is_one_error(text, protocol):
    with pytest.raises(CallError) as error:
        judge({"text": text, "denotations": [], "annotations": {}}, protocol)
    assert error.value.diagnosis.code == "wrong-article"


def test_rest_may_have_a_text_too():
    start = CHANGED.index("ERK 2")
    mention = {"start": start, "end": start + 5, "text": "ERK 2", "type": "Gene"}
    other = {"start": CHANGED.index("p54"), "end": CHANGED.index("p54") + 3, "text": "p54", "type": "Gene"}
    label = {"name": "topic", "value": "cancer"}
    annotations = {"mention": [mention, other], "label": [label]}
    answer = judge({"text": CHANGED, "annotations": annotations}, "rest")
    assert [(rule.code, rule.where) for rule in answer.broken_rules] == [("R211", "annotations.mention[1]")]
    assert [each.parts for each in list_valid(answer)] == [(find_span("ERK 2"),), ()]
    assert answer.moved == {Kind.MENTION: 1}
    assert answer.omitted.parts == []


def test_each_document_of_a_batch_has_a_text_of_its_own():
    first = replace(question("pubannotation", title=TITLE, abstract=ABSTRACT), kinds=OPEN)
    asked = [first, replace(first, identifier="2", pmid=2), replace(first, identifier="3", pmid=3)]
    documents = [
        {**make_document(text), "sourceid": each.identifier}
        for text, each in zip((CHANGED, TEXT, TEXT), asked, strict=True)
    ]
    documents[2]["text"] = "Something else"
    reply = HttpReply(200, Message(), json.dumps(documents).encode(), "http://127.0.0.1/")
    moved, same, other = validate_answer_parts(PUBANNOTATION_BATCHES.read_batch_reply(reply, asked), asked)
    assert moved.annotations == same.annotations
    assert (bool(moved.moved), bool(same.moved)) == (True, False)
    assert isinstance(other, CallError)


def read_callback(text, mention_offset, mention="ERK 2"):
    """The answer of a BeCalm server with one mention in a BioC document with this text."""
    location = f'<location offset="{mention_offset}" length="{len(mention)}"/><text>{mention}</text>'
    annotation = f'<annotation id="1"><infon key="type">GENE</infon>{location}</annotation>'
    passage = f"<passage><offset>0</offset><text>{text}</text>{annotation}</passage>"
    body = f"<collection><document><id>10000001</id>{passage}</document></collection>"
    asked = replace(question("becalm", title=TITLE, abstract=ABSTRACT), kinds=OPEN)
    return read_callback_answer_collecting_broken_rules(asked, "bioc", body.encode())


def test_bioc_of_becalm_is_moved_too():
    answer = read_callback(CHANGED, CHANGED.index("ERK 2"))
    assert (answer.broken_rules, answer.moved) == ([], {Kind.MENTION: 0})
    assert answer.annotations[0].parts == (find_span("ERK 2"),)
    not_movable = read_callback(CHANGED, CHANGED.index("p54"), "p54")
    assert [rule.code for rule in not_movable.broken_rules] == ["R211"]


@pytest.mark.parametrize("text", [TEXT, "", "Placeholder " * 20])
def test_bioc_of_becalm_may_have_no_real_text(text):
    answer = read_callback(text, TEXT.index("ERK 2"))
    assert (answer.moved, answer.notes) == ({}, [])
    assert answer.annotations[0].parts == (find_span("ERK 2"),)


def test_without_the_package_that_aligns_texts_every_difference_is_an_error(monkeypatch):
    def fail(*_):
        raise ModuleNotFoundError

    monkeypatch.setattr(carried_texts, "align_carried_text", fail)
    with pytest.raises(CallError):
        judge(make_document(CHANGED))
