"""What servers write otherwise than their protocol does and mean only one thing by: accepted, and noted, in each."""

import json
import xmlrpc.client
from email.message import Message

import pytest

from bcms.lib.http.messages import HttpReply
from servers.calls.client import read_callback_answer_collecting_broken_rules as judge_callback
from servers.protocols import bcms_xmlrpc, pubannotation, rest
from servers.protocols import xmlrpc_messages as messages
from tests.questions import question

TITLE, ABSTRACT = "A study of CDH1", "E-cadherin was found."
TEXT = f"{TITLE}\n{ABSTRACT}"


def make_example_question(protocol):
    return question(protocol, title=TITLE, abstract=ABSTRACT)


def reply(body):
    return HttpReply(200, Message(), body, "http://127.0.0.1/")


def read_xmlrpc_reply(said):
    return bcms_xmlrpc.read_reply(
        reply(xmlrpc.client.dumps((said,), methodresponse=True).encode()), make_example_question("bcms")
    )


def read_rest_reply(said):
    return rest.read_reply(reply(json.dumps(said).encode()), make_example_question("rest"))


def read_pubannotation_reply(said):
    return pubannotation.read_reply(reply(json.dumps(said).encode()), make_example_question("pubannotation"))


def judge_becalm_json(said):
    return judge_callback(make_example_question("becalm"), "json", json.dumps(said).encode())


def judge_becalm_table(said):
    return judge_callback(make_example_question("becalm"), "tsv", said.encode())


ORDER = "document_id, section, init, end, score, annotated_text, type, database_id"
PREDICTION = {"document_id": "10000001", "section": "T", "init": 11, "end": 15, "type": "GENE"}


@pytest.mark.parametrize(
    ("read", "said", "note"),
    [
        (
            read_xmlrpc_reply,
            {"mentions": [[11, "title", "CDH1"]]},
            "An array was sent for mentions and read in the order offset, section, mention, confidence.",
        ),
        (
            read_rest_reply,
            {"annotations": {"mention": [[11, 15, "CDH1"]]}},
            "An array was sent for mention and read in the order start, end, text, type, confidence.",
        ),
        (
            read_pubannotation_reply,
            {"denotations": [{"span": [11, 15], "obj": "Gene"}]},
            "An array was sent for a span and read in the order begin, end.",
        ),
        (
            read_pubannotation_reply,
            {"denotations": [["T1", {"begin": 11, "end": 15}, "Gene"]]},
            "An array was sent for a denotation and read in the order id, span, obj, confidence.",
        ),
        (
            judge_becalm_json,
            [["10000001", "T", 11, 15, None, "CDH1", "GENE"]],
            f"An array was sent for an annotation and read in the order {ORDER}.",
        ),
    ],
)
def test_it_takes_arrays_in_place_of_structs(read, said, note):
    parsed = read(said)
    assert [(found.start, found.end, found.text) for found in parsed.annotations] == [(11, 15, "CDH1")]
    assert (parsed.broken_rules, parsed.notes) == ([], [note])


@pytest.mark.parametrize(
    ("read", "said", "note"),
    [
        (read_xmlrpc_reply, [], "An empty array was sent for the answer and read as an empty struct."),
        (read_xmlrpc_reply, {"mentions": {}}, 'An empty struct was sent for "mentions" and read as an empty array.'),
        (
            read_xmlrpc_reply,
            {"interaction": {}},
            'An empty struct was sent for "interaction" and read as an empty array.',
        ),
        (read_rest_reply, [], "An empty array was sent for the answer and read as an empty struct."),
        (read_rest_reply, {"annotations": []}, "An empty array was sent for annotations and read as an empty struct."),
        (
            read_rest_reply,
            {"annotations": {"taxon": {}}},
            'An empty struct was sent for "annotations.taxon" and read as an empty array.',
        ),
        (read_pubannotation_reply, [], "An empty array was sent for the document and read as an empty struct."),
        (
            read_pubannotation_reply,
            {"denotations": {}},
            'An empty struct was sent for "denotations" and read as an empty array.',
        ),
        (judge_becalm_json, {}, "An empty object was sent for the list of annotations and read as an empty list."),
    ],
)
def test_it_takes_what_is_empty_for_the_other_empty(read, said, note):
    parsed = read(said)
    assert (parsed.annotations, parsed.broken_rules, parsed.notes) == ([], [], [note])


@pytest.mark.parametrize(
    ("read", "said", "whose"),
    [
        (read_xmlrpc_reply, {"mentions": [], "version": "1.2"}, "the answer"),
        (read_xmlrpc_reply, {"mentions": [{"offset": 26, "mention": "was", "version": 1}]}, "mentions"),
        (read_rest_reply, {"annotations": {"version": []}}, "annotations"),
        (read_rest_reply, {"annotations": {"taxon": [{"identifier": 9606, "version": 1}]}}, "taxon"),
        (read_pubannotation_reply, {"denotations": [], "version": 3}, "the document"),
        (
            read_pubannotation_reply,
            {"denotations": [{"span": {"begin": 11, "end": 15}, "obj": "Gene", "version": 1}]},
            "a denotation",
        ),
        (
            read_pubannotation_reply,
            {"attributes": [{"subj": "T1", "pred": "is", "obj": "x", "version": 1}]},
            "an attribute",
        ),
        (judge_becalm_json, [PREDICTION | {"version": 1}], "an annotation"),
        (
            judge_becalm_table,
            "DOCUMENT_ID\tSECTION\tINIT\tEND\tTYPE\tVERSION\n10000001\tT\t11\t15\tGENE\t1\n",
            "an annotation",
        ),
    ],
)
def test_it_leaves_out_what_it_does_not_know(read, said, whose):
    parsed = read(said)
    assert (parsed.broken_rules, parsed.notes) == ([], [f'The unknown value "version" of {whose} was ignored.'])


def format_dated_reply(date):
    member = f"<member><name>made</name><value><dateTime.iso8601>{date}</dateTime.iso8601></value></member>"
    return f"<methodResponse><params><param><value><struct>{member}</struct></value></param></params></methodResponse>"


@pytest.mark.parametrize(
    ("date", "read"),
    [
        ("19980717T14:08:55", "1998-07-17T14:08:55"),
        (" 19980717T14:08:55\n", "1998-07-17T14:08:55"),
        ("1998-07-17T14:08:55", "1998-07-17T14:08:55"),
        ("19980717T14:08:55Z", "1998-07-17T14:08:55+00:00"),
        ("1998-07-17T14:08:55.5+02:00", "1998-07-17T14:08:55.500000+02:00"),
        ("2017-02-07 22:33:53Z", "2017-02-07T22:33:53+00:00"),
        ("2030-10-22 20:35", "2030-10-22T20:35:00"),
    ],
)
def test_it_reads_the_forms_of_dates_in_use(date, read):
    message = messages.parse_bounded_xmlrpc_message(format_dated_reply(date).encode())
    assert message.params[0]["made"].isoformat() == read
    noted = [f'The date "{date}" was accepted, but XML-RPC requires 19980717T14:08:55.']
    assert message.notes == ([] if date.strip() == "19980717T14:08:55" else noted)


def test_it_notes_a_strange_date_beside_what_else_is_strange():
    parsed = bcms_xmlrpc.read_reply(
        reply(format_dated_reply("1998-07-17T14:08:55").encode()), make_example_question("bcms")
    )
    assert (parsed.annotations, parsed.broken_rules) == ([], [])
    assert parsed.notes == [
        'The date "1998-07-17T14:08:55" was accepted, but XML-RPC requires 19980717T14:08:55.',
        'The unknown value "made" of the answer was ignored.',
    ]


def test_it_says_how_to_write_what_is_no_date():
    with pytest.raises(messages.XmlRpcError, match='"yesterday" is not a date; write it like 19980717T14:08:55'):
        messages.parse_bounded_xmlrpc_message(format_dated_reply("yesterday").encode())
