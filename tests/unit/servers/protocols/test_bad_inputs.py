"""What is wrong in an answer breaks a rule at its place, in every protocol, and the valid rest is kept."""

import json
import xmlrpc.client
from email.message import Message
from xml.sax.saxutils import escape

import pytest

from annotations.schema import Kind
from bcms.lib.http.messages import HttpReply
from servers.calls import client
from tests.questions import question

TITLE, ABSTRACT = "p53 binds Mdm2", "So p53 acts."
TEXT = f"{TITLE}\n{ABSTRACT}"
KINDS = (Kind.MENTION, Kind.ENTITY, Kind.RELATION, Kind.LABEL)
GOOD = [(0, 3, "p53", "ncbigene:7157"), (10, 14, "Mdm2", "ncbigene:4193")]
LAST = len(TEXT) - 5
BAD = {
    "outside": (500, 503, "p53", "ncbigene:1"),
    "crossing": (LAST, LAST + 9, "acts.", "ncbigene:1"),
    "reversed": (9, 4, "binds", "ncbigene:1"),
    "empty": (4, 4, "", "ncbigene:1"),
    "negative": (-3, 3, "p53", "ncbigene:1"),
    "other text": (4, 9, "bound", "ncbigene:1"),
    "identifier": (4, 9, "binds", "MESH:XYZ"),
    "zero character": (4, 9, "bi\0ds", "ncbigene:1"),
    "huge": (10**20, 10**20 + 3, "p53", "ncbigene:1"),
}
RELATIONS = {
    "missing mention": ["T1", "T9"],
    "one argument": ["T1"],
    "itself": ["T1", "R1"],
    "many arguments": ["T1"] * 17,
}


def write_rest(mentions, relation):
    found = [
        {"id": f"T{number}", "start": start, "end": end, "text": text, "type": "Gene", "identifiers": [curie]}
        for number, (start, end, text, curie) in enumerate(mentions, 1)
    ]
    relations = [{"id": "R1", "type": "binds", "arguments": [{"mention": each} for each in relation]}]
    annotations = {"mention": found, "relation": relations if relation else []}
    return json.dumps({"id": "12", "annotations": annotations}).encode()


def write_xmlrpc(mentions, relation):
    found = [
        {"id": f"T{number}", "offset": start, "mention": text, "type": "Gene", "identifiers": [curie]}
        for number, (start, _, text, curie) in enumerate(mentions, 1)
    ]
    relations = [{"id": "R1", "type": "binds", "arguments": [{"mention": each} for each in relation]}]
    answer = {"mentions": found, "relations": relations if relation else []}
    return xmlrpc.client.dumps((answer,), methodresponse=True).encode()


def write_pubannotation(mentions, relation):
    spans = [{"begin": start, "end": end} for start, end, *_ in mentions]
    denotations = [{"id": f"T{number}", "span": span, "obj": "Gene"} for number, span in enumerate(spans, 1)]
    attributes = [
        {"subj": f"T{number}", "pred": "identifier", "obj": curie} for number, (*_, curie) in enumerate(mentions, 1)
    ]
    relations = [{"id": "R1", "subj": relation[0], "pred": "binds", "obj": relation[1]}] if relation else []
    layers = {"denotations": denotations, "attributes": attributes, "relations": relations}
    return json.dumps({"text": TEXT, "sourceid": "12", **layers}).encode()


def write_becalm(mentions, relation):
    predictions = []
    for start, end, text, curie in mentions:
        origin = 0 if start <= len(TITLE) else len(TITLE) + 1
        place = {"section": "A" if origin else "T", "init": start - origin, "end": end - origin}
        found = {"annotated_text": text, "type": "GENE", "database_id": curie, "score": 0.5}
        predictions.append({"document_id": "12", **place, **found})
    return json.dumps(predictions).encode()


def write_bioc(mentions, relation):
    annotations = "".join(
        f'\n<annotation id="T{number}"><infon key="type">Gene</infon><infon key="identifier">{curie}</infon>'
        f'<location offset="{start}" length="{end - start}"/><text>{escape(text)}</text></annotation>'
        for number, (start, end, text, curie) in enumerate(mentions, 1)
    )
    nodes = "".join(f'<node refid="{each}" role=""/>' for each in relation)
    relations = f'<relation id="R1"><infon key="type">binds</infon>{nodes}</relation>' if relation else ""
    return (
        "<collection><source/><date/><key/><document><id>12</id><passage><offset>0</offset>"
        f"<text>{TEXT}</text>{annotations}{relations}</passage></document></collection>"
    ).encode()


WRITERS = {
    "rest": write_rest,
    "bcms": write_xmlrpc,
    "pubannotation": write_pubannotation,
    "becalm json": write_becalm,
    "becalm bioc": write_bioc,
}


def read_answer(protocol, mentions, relation=()):
    body = WRITERS[protocol](mentions, relation)
    name, _, callback = protocol.partition(" ")
    values = {"kinds": KINDS, "entity_types": ("Gene",), "identifier": "12", "pmid": 12}
    request = question(name, title=TITLE, abstract=ABSTRACT, **values)
    if callback:
        return client.read_callback_answer_collecting_broken_rules(request, callback, body)
    reply = HttpReply(200, Message(), body, "http://127.0.0.1:9/")
    return client.collect_broken_rules_unless_deferred(client.PROTOCOLS[name].read_reply(reply, request), request, body)


def list_kept_mentions(answer):
    broken = {each.index for each in answer.broken_rules}
    return [
        (each.start, each.end, each.text)
        for index, each in enumerate(answer.annotations)
        if index not in broken and each.kind is Kind.MENTION
    ]


# The rules that each bad mention breaks; a protocol that does not have the fault is missing.
BROKEN = {
    "outside": {"rest": "R104", "bcms": "R104", "pubannotation": "R104", "becalm json": "R104", "becalm bioc": "R202"},
    "crossing": {"rest": "R104", "pubannotation": "R104", "becalm json": "R104", "becalm bioc": "R104"},
    "reversed": {"rest": "R104", "pubannotation": "R104", "becalm json": "R104", "becalm bioc": "R202"},
    "empty": {"rest": "R104", "bcms": "R104", "pubannotation": "R104", "becalm json": "R104", "becalm bioc": "R202"},
    "negative": {"rest": "R104", "bcms": "R104", "pubannotation": "R104", "becalm json": "R104", "becalm bioc": "R202"},
    "other text": {"rest": "R105", "bcms": "R105", "becalm json": "R105", "becalm bioc": "R105"},
    "identifier": dict.fromkeys(WRITERS, "R118"),
    "zero character": {"rest": "R106", "becalm json": "R106"},
    "huge": {"rest": "R202", "pubannotation": "R202", "becalm json": "R202", "becalm bioc": "R202"},
}


@pytest.mark.parametrize(
    ("name", "protocol", "rule"),
    [(name, protocol, rule) for name, rules in BROKEN.items() for protocol, rule in rules.items()],
)
def test_a_bad_mention_breaks_a_rule_and_the_others_are_kept(name, protocol, rule):
    answer = read_answer(protocol, [*GOOD, BAD[name]])
    assert {broken.code for broken in answer.broken_rules} == {rule}
    assert all(broken.where and broken.message and broken.mend for broken in answer.broken_rules)
    assert list_kept_mentions(answer) == [(start, end, text) for start, end, text, _ in GOOD]


# Relations of PubAnnotation always have two arguments.
UNBOUNDED = ("rest", "bcms", "becalm bioc")


@pytest.mark.parametrize(
    ("name", "protocol", "rule"),
    [
        *(("missing mention", protocol, "R126") for protocol in ("rest", "bcms", "pubannotation", "becalm bioc")),
        ("itself", "becalm bioc", "R126"),
        *(("itself", protocol, "R128") for protocol in ("rest", "bcms", "pubannotation")),
        *((name, protocol, "R125") for name in ("one argument", "many arguments") for protocol in UNBOUNDED),
    ],
)
def test_a_bad_relation_breaks_a_rule_and_the_mentions_are_kept(name, protocol, rule):
    answer = read_answer(protocol, GOOD, RELATIONS[name])
    assert [broken.code for broken in answer.broken_rules] == [rule]
    assert all(broken.where and broken.message and broken.mend for broken in answer.broken_rules)
    assert len(list_kept_mentions(answer)) == len(GOOD)


@pytest.mark.parametrize("protocol", WRITERS)
def test_it_keeps_a_thousand_of_ten_thousand_mentions_at_most(protocol):
    spans = [(start, end) for start in range(len(TEXT)) for end in range(start + 1, len(TEXT) + 1)]
    mentions = [(start, end, TEXT[start:end], "ncbigene:1") for start, end in spans if TEXT[start:end].strip()]
    repeated = (mentions * 30)[:10_000]
    answer = read_answer(protocol, repeated)
    assert {broken.code for broken in answer.broken_rules} <= {"R104", "R105", "R120", "R121"}
    assert 0 < len(list_kept_mentions(answer)) <= 1000
