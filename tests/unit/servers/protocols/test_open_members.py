"""Parts, links, relations, entities and labels in the answers of REST and XML-RPC servers."""

import json
import xmlrpc.client
from dataclasses import replace
from email.message import Message

import pytest
from hypothesis import given, settings

from annotations.annotation_rules import list_broken_annotation_rules
from annotations.identifiers.curies import format_curie
from annotations.identifiers.given_identifiers import parse_given_identifier
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span, make_entity, make_label
from bcms.lib.http.messages import HttpReply
from servers.protocols import bcms_xmlrpc, rest
from servers.protocols.rest import build_request_fields_by_send_mode
from tests.drawn_annotations import ANNOTATIONS
from tests.questions import question

TITLE, ABSTRACT = "ERK1/2 and tamoxifen", "Tamoxifen induces ERK1/2 in breast cancer."
TEXT = f"{TITLE}\n{ABSTRACT}"
BODY = len(TITLE) + 1
CANCER, TAMOXIFEN, ERK2 = EntityId("mesh", "D001943"), EntityId("mesh", "D013629"), EntityId("ncbigene", "5594")


def ask(protocol, **values):
    return replace(question(protocol, title=TITLE, abstract=ABSTRACT), **{"kinds": tuple(Kind), "text": TEXT, **values})


def read_rest(parts, **values):
    body = json.dumps({"annotations": parts}).encode()
    return rest.read_reply(HttpReply(200, Message(), body, "http://127.0.0.1/"), ask("rest", **values))


def read_xmlrpc(answer):
    body = xmlrpc.client.dumps((answer,), methodresponse=True).encode()
    return bcms_xmlrpc.read_reply(HttpReply(200, Message(), body, "http://127.0.0.1/"), ask("bcms"))


def show_broken(parsed):
    return [(rule.code, rule.where, rule.message) for rule in parsed.broken_rules]


MENTIONS = [
    {"id": "T1", "start": BODY, "end": BODY + 9, "text": "Tamoxifen", "type": "Chemical", "identifiers": ["D013629"]},
    {"id": 2, "spans": [[0, 3], [5, 6]], "text": "ERK2", "type": "Gene", "identifiers": ["NCBI Gene:5594"]},
]


def test_it_reads_parts_and_links_of_mentions():
    parsed = read_rest({"mention": MENTIONS})
    assert not parsed.broken_rules
    assert not parsed.notes
    assert parsed.annotations == [
        AnnotationData(
            Kind.MENTION, start=BODY, end=BODY + 9, text="Tamoxifen", type="Chemical", identifiers=(TAMOXIFEN,)
        ),
        AnnotationData(
            *(Kind.MENTION, None, None, 0, 6, "ERK 2", "Gene"), spans=(Span(0, 3), Span(5, 6)), identifiers=(ERK2,)
        ),
    ]


def test_it_reads_one_span_as_start_and_end():
    (mention,) = read_rest({"mention": [{"spans": [{"start": 0, "end": 6}], "text": "ERK1/2"}]}).annotations
    assert (mention.start, mention.end, mention.spans) == (0, 6, ())


def test_it_leaves_the_order_and_the_text_of_wrong_parts_to_the_rules():
    parsed = read_rest({"mention": [{"spans": [[5, 6], [0, 3]], "text": "2 ERK"}]})
    broken = list_broken_annotation_rules(parsed.annotations, TEXT, len(TITLE), locations=parsed.locations)
    assert [(rule.code, rule.where) for rule in broken] == [("R109", "annotations.mention[0].spans[1]")]


@pytest.mark.parametrize(
    ("value", "identifiers"),
    [
        ("MESH:D001943,MESH:D013629", [CANCER, TAMOXIFEN]),
        ([{"database": "MeSH", "identifier": "D001943"}, 7157], [CANCER, EntityId("ncbigene", "7157")]),
        ([{"database": "PSI-MI", "identifier": "MI:0018"}], [EntityId("psi-mi", "MI:0018")]),
        ([{"database": "Chebi", "identifier": "CHEBI:15377"}], [EntityId("chebi", "15377")]),
        ([{"database": "our-own", "identifier": "x:1"}], [EntityId("", "our-own:x:1")]),
        ([{"database": "", "identifier": "mesh:D001943"}], [EntityId("", "mesh:D001943")]),
        (["MESH:D001943", "http://id.nlm.nih.gov/mesh/D001943", "-"], [CANCER]),
        ([], []),
        (None, []),
    ],
)
def test_it_reads_identifiers_in_many_forms(value, identifiers):
    (mention,) = read_rest(
        {"mention": [{"start": 0, "end": 6, "text": "ERK1/2", "type": "Gene", "identifiers": value}]}
    ).annotations
    assert list(mention.identifiers) == identifiers


@pytest.mark.parametrize(
    ("member", "value", "where"),
    [
        ("identifiers", 1.5, "identifiers[0]"),
        ("identifiers", [True], "identifiers[0]"),
        ("identifiers", [["mesh"]], "identifiers[0]"),
        ("identifiers", [{"database": "mesh"}], "identifiers[0].identifier"),
        ("spans", "0-3", "spans"),
        ("spans", [[0, "x"]], "spans[0].end"),
        ("spans", [[0]], "spans[0].end"),
        ("spans", [[0, 3, 5]], "spans[0]"),
        ("type", 5, "type"),
    ],
)
def test_it_says_where_a_value_is_unreadable(member, value, where):
    element = {"start": 0, "end": 6, "text": "ERK1/2", member: value}
    (rule,) = read_rest({"mention": [element]}).broken_rules
    assert (rule.code[:2], rule.where) == ("R2", f"annotations.mention[0].{where}")


def test_it_reads_relations_between_mentions_and_entities():
    relation = {
        "id": "R1",
        "type": "induces",
        "directed": True,
        "arguments": [
            {"role": "agent", "mention": "T1"},
            {"role": "theme", "mention": "2", "identifier": "uniprot:P28482"},
            {"role": "context", "identifiers": ["MESH:D001943"]},
            {"start": BODY + 28, "end": BODY + 41, "text": "breast cancer", "type": "Disease"},
        ],
        "qualifiers": {"novelty": "Novel", "negated": False, "n": 3},
        "evidence": [[BODY, len(TEXT)]],
        "confidence": 0.5,
    }
    parsed = read_rest({"mention": MENTIONS, "relation": [relation]})
    found = parsed.annotations[-1]
    assert not parsed.broken_rules
    assert not parsed.notes
    assert (found.relation_type, found.is_directed, found.confidence) == ("induces", True, 0.5)
    assert found.arguments == (
        RelationArgument("agent", (TAMOXIFEN,), (Span(BODY, BODY + 9),), "Chemical", "Tamoxifen"),
        RelationArgument("theme", (EntityId("uniprot", "P28482"),), (Span(0, 3), Span(5, 6)), "Gene", "ERK 2"),
        RelationArgument("context", (CANCER,)),
        RelationArgument("", (), (Span(BODY + 28, BODY + 41),), "Disease", "breast cancer"),
    )
    assert dict(found.relation.qualifiers) == {"novelty": "Novel", "negated": "false", "n": "3"}
    assert found.evidence == (Span(BODY, len(TEXT)),)
    assert not list_broken_annotation_rules(parsed.annotations, TEXT, len(TITLE))


def test_it_reads_ids_and_identifiers_alone_as_arguments():
    relation = read_rest({"mention": MENTIONS, "relation": [{"arguments": ["T1", 2, "MESH:D001943"]}]}).annotations[-1]
    assert [argument.identifiers for argument in relation.arguments] == [(TAMOXIFEN,), (ERK2,), (CANCER,)]
    assert [len(argument.spans) for argument in relation.arguments] == [1, 2, 0]


def test_it_reads_relations_of_servers_that_are_not_registered_for_mentions():
    parts = {"mention": MENTIONS, "relation": [{"type": "x", "arguments": ["T1", 2]}]}
    (relation,) = read_rest(parts, kinds=(Kind.RELATION,)).annotations
    assert relation == read_rest(parts).annotations[-1]


@pytest.mark.parametrize(
    ("argument", "code", "message"),
    [
        ({"mention": "T9"}, "R126", 'No mention of the answer has the id "T9".'),
        ({"mention": "bad"}, "R126", 'The mention "bad" cannot be read.'),
        ({"mention": "two"}, "R208", '2 mentions have the id "two".'),
        ({"mention": "R2"}, "R128", '"R2" is a relation, not a mention.'),
        ({"mention": "R1"}, "R128", '"R1" is a relation, and relations refer to each other in a circle.'),
        ({"mention": "R3"}, "R128", '"R3" is a relation, and relations refer to each other in a circle.'),
        ({"relation": "R2"}, "R128", "The argument is a relation."),
        ({"mention": []}, "R202", "Expected a string, but got an array."),
        ([1, 2], "R202", "Expected a struct, but got an array."),
    ],
)
def test_it_explains_arguments_that_name_no_mention(argument, code, message):
    mentions = [
        *MENTIONS,
        {"id": "bad", "start": "x", "end": 3, "text": "ERK"},
        {"id": "two", "start": 0, "end": 3, "text": "ERK"},
        {"id": "two", "start": 3, "end": 4, "text": "1"},
    ]
    relations = [
        {"id": "R1", "arguments": ["T1", argument]},
        {"id": "R2", "arguments": ["T1", 2]},
        {"id": "R3", "arguments": ["R1", {"mention": "R3"}]},
    ]
    parsed = read_rest({"mention": mentions, "relation": relations})
    where = f"annotations.relation[0].arguments[1]{'.mention' if argument == {'mention': []} else ''}"
    assert (code, where, message) in show_broken(parsed)


def test_it_does_not_mind_ids_that_occur_twice_if_nothing_refers_to_them():
    mentions = [{"id": "7157", "start": start, "end": start + 1, "text": TEXT[start]} for start in (0, 1)]
    parsed = read_rest({"mention": mentions, "relation": []})
    assert (len(parsed.annotations), parsed.broken_rules, parsed.notes) == (2, [], [])


def test_it_reads_entities_and_labels():
    parts = {
        "entity": [
            {"database": "MeSH", "identifier": "D001943", "type": "Disease", "text": "Breast Neoplasms", "rank": 1},
            {"curie": "ncbigene:5594", "type": "Gene", "taxon": 9606, "confidence": 0.5},
            {"identifier": "D013629", "type": "Chemical"},
        ],
        "label": [{"name": "species", "value": "human", "confidence": 0.9}, {"name": "year", "value": 2011}],
    }
    parsed = read_rest(parts)
    assert not parsed.broken_rules
    assert parsed.annotations == [
        make_entity(CANCER, "Disease", text="Breast Neoplasms", rank=1),
        make_entity(ERK2, "Gene", taxon=9606, confidence=0.5),
        make_entity(TAMOXIFEN, "Chemical"),
        make_label("species", "human", confidence=0.9),
        make_label("year", "2011"),
    ]


def test_it_wants_an_identifier_and_a_value():
    parsed = read_rest({"entity": [{"type": "Gene"}], "label": [{"name": "species"}], "relation": [{"type": "x"}]})
    assert [(code, where) for code, where, _ in show_broken(parsed)] == [
        ("R201", "annotations.entity[0].identifier"),
        ("R201", "annotations.relation[0].arguments"),
        ("R201", "annotations.label[0].value"),
    ]


def test_it_sends_types_to_servers_that_are_registered_for_them():
    assert "types" not in build_request_fields_by_send_mode(ask("rest"))
    fields = build_request_fields_by_send_mode(ask("rest", entity_types=("Gene", "Disease")))
    assert fields["types"] == ["Gene", "Disease"]


def test_it_reads_spans_of_xmlrpc_as_offsets_and_lengths_in_the_section():
    answer = {
        "mentions": [
            {"id": "a", "section": "abstract", "mention": "ERK 2", "spans": [[18, 3], [23, 1]], "type": "Gene"},
            {"offset": 0, "section": "title", "mention": "ERK1/2", "identifiers": ["ncbigene:5594"]},
        ],
        "relations": [{"type": "x", "arguments": ["a", "MESH:D001943"]}],
        "entities": [{"dbname": "MeSH", "dbid": "D001943", "type": "Disease", "taxid": 9606}],
        "labels": [{"name": "species", "value": "human"}],
    }
    parsed = read_xmlrpc(answer)
    assert not parsed.broken_rules
    assert not parsed.notes
    parts, linked, entity, relation, label = parsed.annotations
    assert (parts.start, parts.end, parts.spans) == (39, 45, (Span(39, 42), Span(44, 45)))
    assert (linked.identifiers, entity.taxon, label.label) == ((ERK2,), 9606, ("species", "human"))
    assert relation.arguments[0] == RelationArgument("", (), parts.spans, "Gene", "ERK 2")
    assert not list_broken_annotation_rules(parsed.annotations, TEXT, len(TITLE))


def test_it_writes_no_open_members_to_those_who_do_not_ask_for_them():
    mention = AnnotationData(
        Kind.MENTION, start=0, end=6, text="ERK 2", type="Gene", spans=(Span(0, 3), Span(5, 6)), identifiers=(ERK2,)
    )
    assert bcms_xmlrpc.build_answer_struct([mention, make_label("species", "human")], len(TITLE)) == {
        "mentions": [{"offset": 0, "section": "title", "mention": "ERK 2"}]
    }


def is_stable(entity):
    """Whether it is what its CURIE means, so that another form of it is not meant."""
    is_wellformed = parse_given_identifier(format_curie(entity)) == entity
    return is_wellformed or not entity.database


def is_transmitted(annotation):
    if annotation.kind is Kind.CLASSIFICATION:
        return annotation.relevant is not None
    if annotation.kind is Kind.MENTION and annotation.rank is not None:
        return False
    if any(len(set(each.identifiers)) < len(each.identifiers) for each in annotation.arguments):
        return False
    return annotation.kind in SEVEN or all(map(is_stable, annotation.iter_entity_ids()))


SEVEN = {Kind.NORMALIZATION, Kind.TAXON, Kind.PAIR, Kind.METHOD, Kind.PASSAGE}


@settings(max_examples=60)
@given(ANNOTATIONS.filter(is_transmitted))
def test_it_reads_in_rest_what_it_writes(annotation):
    written = json.loads(json.dumps(rest.build_rest_answer([annotation], "1")))
    parsed = read_rest(written["annotations"])
    assert parsed.broken_rules == []
    assert parsed.annotations == [annotation]


@settings(max_examples=60)
@given(ANNOTATIONS.filter(is_transmitted).filter(lambda drawn: drawn.kind not in SEVEN))
def test_it_reads_in_xmlrpc_what_it_writes(annotation):
    parsed = read_xmlrpc(bcms_xmlrpc.build_answer_struct([annotation], len(TITLE), with_open_members=True))
    assert parsed.broken_rules == []
    expected = annotation
    if annotation.kind is Kind.MENTION and not annotation.spans:
        expected = replace(annotation, end=annotation.start + len(annotation.text))
    assert parsed.annotations == [expected]
