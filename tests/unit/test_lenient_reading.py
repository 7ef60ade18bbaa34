"""What servers write otherwise than their protocol does and mean only one thing by: accepted, and noted, in each."""

import json
import xmlrpc.client
from email.message import Message

import pytest

from bcms.lib.http import Reply
from servers.client import read as judge_callback
from servers.protocols import bcms, pubannotation, rest
from servers.protocols import xmlrpc as messages
from tests.questions import question

TITLE, ABSTRACT = "A study of CDH1", "E-cadherin was found."
TEXT = f"{TITLE}\n{ABSTRACT}"


def asked(protocol):
    return question(protocol, title=TITLE, abstract=ABSTRACT)


def reply(body):
    return Reply(200, Message(), body, "http://127.0.0.1/")


def by_xml_rpc(said):
    return bcms.read(reply(xmlrpc.client.dumps((said,), methodresponse=True).encode()), asked("bcms"))


def by_rest(said):
    return rest.read(reply(json.dumps(said).encode()), asked("rest"))


def by_pubannotation(said):
    return pubannotation.read(reply(json.dumps(said).encode()), asked("pubannotation"))


def by_becalm(said):
    return judge_callback(asked("becalm"), "json", json.dumps(said).encode())


def by_becalm_table(said):
    return judge_callback(asked("becalm"), "tsv", said.encode())


ORDER = "document_id, section, init, end, score, annotated_text, type, database_id"
PREDICTION = {"document_id": "10000001", "section": "T", "init": 11, "end": 15, "type": "GENE"}


@pytest.mark.parametrize(
    ("read", "said", "note"),
    [
        (
            by_xml_rpc,
            {"mentions": [[11, "title", "CDH1"]]},
            "An array stands for mentions; it was read in the order offset, section, mention, confidence.",
        ),
        (
            by_rest,
            {"annotations": {"mention": [[11, 15, "CDH1"]]}},
            "An array stands for mention; it was read in the order start, end, text, type, confidence.",
        ),
        (
            by_pubannotation,
            {"denotations": [{"span": [11, 15], "obj": "Gene"}]},
            "An array stands for a span; it was read in the order begin, end.",
        ),
        (
            by_pubannotation,
            {"denotations": [["T1", {"begin": 11, "end": 15}, "Gene"]]},
            "An array stands for a denotation; it was read in the order id, span, obj, confidence.",
        ),
        (
            by_becalm,
            [["10000001", "T", 11, 15, None, "CDH1", "GENE"]],
            f"An array stands for an annotation; it was read in the order {ORDER}.",
        ),
    ],
)
def test_it_takes_arrays_in_place_of_structs(read, said, note):
    parsed = read(said)
    assert [(found.start, found.end, found.text) for found in parsed.findings] == [(11, 15, "CDH1")]
    assert (parsed.broken, parsed.notes) == ([], [note])


@pytest.mark.parametrize(
    ("read", "said", "note"),
    [
        (by_xml_rpc, [], "An empty array stands for the answer; it was read as an empty struct."),
        (by_xml_rpc, {"mentions": {}}, 'An empty struct stands for "mentions"; it was read as an empty array.'),
        (by_xml_rpc, {"interaction": {}}, 'An empty struct stands for "interaction"; it was read as an empty array.'),
        (by_rest, [], "An empty array stands for the answer; it was read as an empty struct."),
        (by_rest, {"annotations": []}, "An empty array stands for annotations; it was read as an empty struct."),
        (
            by_rest,
            {"annotations": {"taxon": {}}},
            'An empty struct stands for "annotations.taxon"; it was read as an empty array.',
        ),
        (by_pubannotation, [], "An empty array stands for the document; it was read as an empty struct."),
        (
            by_pubannotation,
            {"denotations": {}},
            'An empty struct stands for "denotations"; it was read as an empty array.',
        ),
        (by_becalm, {}, "An empty struct stands for the list of annotations; it was read as an empty list."),
    ],
)
def test_it_takes_what_is_empty_for_the_other_empty(read, said, note):
    parsed = read(said)
    assert (parsed.findings, parsed.broken, parsed.notes) == ([], [], [note])


@pytest.mark.parametrize(
    ("read", "said", "whose"),
    [
        (by_xml_rpc, {"mentions": [], "version": "1.2"}, "the answer"),
        (by_xml_rpc, {"mentions": [{"offset": 26, "mention": "was", "version": 1}]}, "mentions"),
        (by_rest, {"annotations": {"version": []}}, "annotations"),
        (by_rest, {"annotations": {"taxon": [{"identifier": 9606, "version": 1}]}}, "taxon"),
        (by_pubannotation, {"denotations": [], "version": 3}, "the document"),
        (
            by_pubannotation,
            {"denotations": [{"span": {"begin": 11, "end": 15}, "obj": "Gene", "version": 1}]},
            "a denotation",
        ),
        (by_pubannotation, {"attributes": [{"subj": "T1", "pred": "is", "obj": "x", "version": 1}]}, "an attribute"),
        (by_becalm, [PREDICTION | {"version": 1}], "an annotation"),
        (
            by_becalm_table,
            "DOCUMENT_ID\tSECTION\tINIT\tEND\tTYPE\tVERSION\n10000001\tT\t11\t15\tGENE\t1\n",
            "an annotation",
        ),
    ],
)
def test_it_leaves_out_what_it_does_not_know(read, said, whose):
    parsed = read(said)
    assert (parsed.broken, parsed.notes) == ([], [f'Nobody reads the value "version" of {whose}.'])


def dated(date):
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
    message = messages.load(dated(date).encode())
    assert message.params[0]["made"].isoformat() == read
    noted = [f'The date "{date}" was read, though XML-RPC writes 19980717T14:08:55.']
    assert message.notes == ([] if date.strip() == "19980717T14:08:55" else noted)


def test_it_notes_a_strange_date_beside_what_else_is_strange():
    parsed = bcms.read(reply(dated("1998-07-17T14:08:55").encode()), asked("bcms"))
    assert (parsed.findings, parsed.broken) == ([], [])
    assert parsed.notes == [
        'The date "1998-07-17T14:08:55" was read, though XML-RPC writes 19980717T14:08:55.',
        'Nobody reads the value "made" of the answer.',
    ]


def test_it_says_how_to_write_what_is_no_date():
    with pytest.raises(messages.XmlRpcError, match='"yesterday" is no date; write it as in 19980717T14:08:55'):
        messages.load(dated("yesterday").encode())
