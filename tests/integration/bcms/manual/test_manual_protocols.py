"""The manual's examples of each protocol are what is sent and what is understood, and its servers can be had."""

import html
import json
import re
from dataclasses import replace

import pytest

from annotations.annotation_rules import list_broken_annotation_rules
from annotations.schema import Kind
from bcms.lib.http.messages import HttpReply
from bcms.manual.protocol_examples import (
    BATCH_EXAMPLE,
    BECALM_EXAMPLE,
    CALLBACK_REFUSALS,
    PUBANNOTATION_EXAMPLE,
    REST_EXAMPLE,
    REST_PART_FIELDS,
)
from servers.kit.starter_files import STARTERS
from servers.protocols import becalm, pubannotation, rest
from servers.protocols.batches.array_batches import REST_BATCHES
from servers.protocols.becalm_callbacks import BecalmErrorCode


@pytest.fixture
def shown(client, db):
    """The examples by their ids."""
    page = client.get("/manual/protocols/").content.decode()
    found = re.findall(r'<pre tabindex="0" id="([\w-]+)">(.*?)</pre>', page, re.S)
    return {name: html.unescape(text) for name, text in found}


def good(parsed, question):
    """The findings, which break no rule and need no note."""
    assert not parsed.broken_rules
    assert not parsed.notes
    assert not list_broken_annotation_rules(
        parsed.annotations, question.text, len(question.title), locations=parsed.locations
    )
    return [(found.kind, found.text or found.identifier) for found in parsed.annotations]


def test_it_shows_json_rest_as_it_is_sent_and_read(shown):
    assert json.loads(shown["rest-request"]) == json.loads(rest.build_request(REST_EXAMPLE).body)
    parsed = rest.parse_rest_answer_noting_faults(shown["rest-answer"].encode(), REST_EXAMPLE)
    assert good(parsed, REST_EXAMPLE) == [(Kind.MENTION, "p53"), (Kind.TAXON, "10090"), (Kind.CLASSIFICATION, "")]


def test_it_shows_several_articles_in_one_request_as_they_are_sent_and_read(shown):
    assert json.loads(shown["batch-request"]) == json.loads(REST_BATCHES.build_batch_request(BATCH_EXAMPLE).body)
    reply = HttpReply(200, {}, shown["batch-answer"].encode(), "http://x/")
    first, second = REST_BATCHES.read_batch_reply(reply, BATCH_EXAMPLE)
    assert good(first.parsed, BATCH_EXAMPLE[0]) == [(Kind.MENTION, "p53")]
    assert good(second.parsed, BATCH_EXAMPLE[1]) == []


def test_it_shows_pubannotation_as_it_is_sent_and_read(shown):
    assert json.loads(shown["pubannotation-request"]) == json.loads(
        pubannotation.build_request(PUBANNOTATION_EXAMPLE).body
    )
    parsed = pubannotation.parse_pubannotation_answer_noting_faults(
        shown["pubannotation-answer"].encode(), PUBANNOTATION_EXAMPLE
    )
    assert good(parsed, PUBANNOTATION_EXAMPLE) == [(Kind.MENTION, "p53"), (Kind.NORMALIZATION, "P02340")]


def test_it_reads_the_entries_that_it_names(client, db):
    named = re.search(r"names an entry \((.*?)\)", client.get("/manual/protocols/").content.decode())[1]
    labels = re.findall(r"<code>(.*?)</code>", named)
    documents = [{"denotations": [{"id": "T1", "span": {"begin": 20, "end": 23}, "obj": label}]} for label in labels]
    kinds = [
        [
            found.kind
            for found in pubannotation.parse_pubannotation_answer_noting_faults(
                json.dumps(document).encode(), PUBANNOTATION_EXAMPLE
            ).annotations
        ]
        for document in documents
    ]
    entries = [Kind.NORMALIZATION, Kind.NORMALIZATION, Kind.TAXON]
    assert kinds == [[Kind.MENTION, kind] for kind in entries]


def test_it_shows_becalm_as_it_is_sent_and_read(shown):
    assert json.loads(shown["becalm-request"]) == json.loads(becalm.build_request(BECALM_EXAMPLE).body)
    parsed = becalm.read_callback("json", shown["becalm-answer"].encode(), BECALM_EXAMPLE)
    assert good(parsed, BECALM_EXAMPLE) == [(Kind.MENTION, "p53"), (Kind.NORMALIZATION, "P02340")]


def test_it_shows_an_open_answer_of_pubannotation_as_it_is_read(shown):
    question = replace(PUBANNOTATION_EXAMPLE, kinds=(Kind.MENTION, Kind.RELATION))
    parsed = pubannotation.parse_pubannotation_answer_noting_faults(
        shown["pubannotation-open-answer"].encode(), question
    )
    assert (parsed.broken_rules, parsed.omitted.parts) == ([], [])
    gene, disease, relation = parsed.annotations
    assert [each.identifiers for each in (gene, disease)] == [each.identifiers for each in relation.arguments]
    assert dict(relation.relation.qualifiers) == {"novelty": "No"}


def test_it_shows_an_open_answer_as_it_is_read(shown):
    question = replace(REST_EXAMPLE, kinds=tuple(Kind))
    parsed = rest.parse_rest_answer_noting_faults(shown["open-answer"].encode(), question)
    assert not parsed.notes
    assert [kind for kind, _ in good(parsed, question)] == [
        *(Kind.MENTION, Kind.MENTION),
        *(Kind.ENTITY, Kind.RELATION, Kind.LABEL),
    ]


def test_it_describes_every_value_of_every_kind():
    assert {
        kind: tuple(field.name for field in fields) for kind, fields in REST_PART_FIELDS.items()
    } == rest.REST_FIELDS


def test_it_lists_the_codes_of_refusals(client, db):
    page = client.get("/manual/protocols/").content.decode()
    never_sent = {
        *(
            BecalmErrorCode.VALIDATIONS_ON_SAVE,
            BecalmErrorCode.EMPTY_DATA,
            BecalmErrorCode.SERVER_VERSION_CHANGED,
            BecalmErrorCode.INCORRECT_STATE,
        ),
    }
    assert set(CALLBACK_REFUSALS) == set(BecalmErrorCode) - never_sent
    assert all(f'<td class="num">{code}</td><td class="mono">{code.name}</td>' in page for code in CALLBACK_REFUSALS)


@pytest.mark.parametrize("starter", STARTERS, ids=lambda starter: starter.name)
def test_it_gives_servers_to_be_copied(client, db, starter):
    page = client.get("/manual/annotation-servers/").content.decode()
    assert f'href="/manual/starters/{starter.name}" download' in page
    response = client.get(f"/manual/starters/{starter.name}")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content == starter.path.read_bytes()


@pytest.mark.parametrize("name", ["serving.py", "..%2fserving.py", "../serving.py", "nothing"])
def test_it_gives_no_other_files(client, db, name):
    assert client.get(f"/manual/starters/{name}").status_code == 404
