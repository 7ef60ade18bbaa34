"""The manual's examples of each protocol are what is sent and what is understood, and its servers can be had."""

import html
import json
import re

import pytest

from annotations.kinds import Kind
from annotations.rules import check
from bcms.pages.manual_protocols import OF_BECALM, OF_PUBANNOTATION, OF_REST, REFUSALS, REST_PARTS
from servers.kit.starter_files import STARTERS
from servers.protocols import becalm, pubannotation, rest
from servers.protocols.becalm_answers import Code


@pytest.fixture
def shown(client, db):
    """The examples by their ids."""
    page = client.get("/manual/").content.decode()
    found = re.findall(r'<pre tabindex="0" id="([\w-]+)">(.*?)</pre>', page, re.S)
    return {name: html.unescape(text) for name, text in found}


def good(parsed, question):
    """The findings, which break no rule and need no note."""
    assert not parsed.broken
    assert not parsed.notes
    assert not check(parsed.findings, question.text, len(question.title), places=parsed.places)
    return [(found.kind, found.text or found.identifier) for found in parsed.findings]


def test_it_shows_json_rest_as_it_is_sent_and_read(shown):
    assert json.loads(shown["rest-request"]) == json.loads(rest.request(OF_REST).body)
    parsed = rest.parse(shown["rest-answer"].encode(), OF_REST)
    assert good(parsed, OF_REST) == [(Kind.MENTION, "p53"), (Kind.TAXON, "10090"), (Kind.CLASSIFICATION, "")]


def test_it_shows_pubannotation_as_it_is_sent_and_read(shown):
    assert json.loads(shown["pubannotation-request"]) == json.loads(pubannotation.request(OF_PUBANNOTATION).body)
    parsed = pubannotation.parse(shown["pubannotation-answer"].encode(), OF_PUBANNOTATION)
    assert good(parsed, OF_PUBANNOTATION) == [(Kind.MENTION, "p53"), (Kind.NORMALIZATION, "P02340")]


def test_it_reads_the_entries_that_it_names(client, db):
    named = re.search(r"names an entry \((.*?)\)", client.get("/manual/").content.decode())[1]
    labels = re.findall(r"<code>(.*?)</code>", named)
    documents = [{"denotations": [{"id": "T1", "span": {"begin": 20, "end": 23}, "obj": label}]} for label in labels]
    kinds = [
        [found.kind for found in pubannotation.parse(json.dumps(document).encode(), OF_PUBANNOTATION).findings]
        for document in documents
    ]
    entries = [Kind.NORMALIZATION, Kind.NORMALIZATION, Kind.TAXON]
    assert kinds == [[Kind.MENTION, kind] for kind in entries]


def test_it_shows_becalm_as_it_is_sent_and_read(shown):
    assert json.loads(shown["becalm-request"]) == json.loads(becalm.request(OF_BECALM).body)
    parsed = becalm.read_callback("json", shown["becalm-answer"].encode(), OF_BECALM)
    assert good(parsed, OF_BECALM) == [(Kind.MENTION, "p53"), (Kind.NORMALIZATION, "P02340")]


def test_it_describes_every_value_of_every_kind():
    assert {kind: tuple(field.name for field in fields) for kind, fields in REST_PARTS.items()} == rest.FIELDS


def test_it_lists_the_codes_of_refusals(client, db):
    page = client.get("/manual/").content.decode()
    never_sent = {
        *(Code.VALIDATIONS_ON_SAVE, Code.EMPTY_DATA, Code.SERVER_VERSION_CHANGED, Code.INCORRECT_STATE),
    }
    assert set(REFUSALS) == set(Code) - never_sent
    assert all(f'<td class="num">{code}</td><td class="mono">{code.name}</td>' in page for code in REFUSALS)


@pytest.mark.parametrize("starter", STARTERS, ids=lambda starter: starter.name)
def test_it_gives_servers_to_be_copied(client, db, starter):
    assert f'href="/manual/starters/{starter.name}" download' in client.get("/manual/").content.decode()
    response = client.get(f"/manual/starters/{starter.name}")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content == starter.path.read_bytes()


@pytest.mark.parametrize("name", ["serving.py", "..%2fserving.py", "../serving.py", "nothing"])
def test_it_gives_no_other_files(client, db, name):
    assert client.get(f"/manual/starters/{name}").status_code == 404
