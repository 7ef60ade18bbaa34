"""PubAnnotation's answers: mentions in parts, identifiers, relations, and what is wrong with them."""

import json
from dataclasses import replace
from email.message import Message

import pytest

from annotations.schema import SEVEN_KINDS, AnnotationData, EntityId, Kind, RelationArgument, Span, make_entity
from bcms.lib.http.messages import HttpReply
from servers.calls.client import collect_broken_rules_unless_deferred
from servers.protocols import pubannotation
from tests.questions import question

TITLE, ABSTRACT = "BRCA1 and breast cancer", "ERK1/2 in mice."
TEXT = f"{TITLE}\n{ABSTRACT}"
ERK = TEXT.index("ERK")
BRCA1, CANCER, ERK2 = EntityId("ncbigene", "672"), EntityId("mesh", "D001943"), EntityId("ncbigene", "5594")
OPEN = (Kind.MENTION, Kind.RELATION)
CHAIN = "_lexicallyChainedTo"


def judge(kinds=OPEN, **document):
    """The answer with the rules that it breaks."""
    asked = replace(question("pubannotation", title=TITLE, abstract=ABSTRACT), kinds=kinds)
    body = json.dumps(document).encode()
    parsed = pubannotation.read_reply(HttpReply(200, Message(), body, "http://127.0.0.1/"), asked)
    return collect_broken_rules_unless_deferred(parsed, asked, body)


def list_valid(answer):
    broken = {rule.index for rule in answer.broken_rules}
    return [each for index, each in enumerate(answer.annotations) if index not in broken]


def denote(number, begin, end, object_text, **values):
    return {"id": f"T{number}", "span": {"begin": begin, "end": end}, "obj": object_text, **values}


def relate(number, subject, predicate, object_, **values):
    return {"id": f"R{number}", "subj": subject, "pred": predicate, "obj": object_, **values}


def assign(subject, predicate, value):
    return {"subj": subject, "pred": predicate, "obj": value}


GENE, DISEASE = denote(1, 0, 5, "Gene"), denote(2, 10, 23, "Disease")
BRCA1_MENTION = AnnotationData(Kind.MENTION, None, None, 0, 5, "BRCA1", "Gene", identifiers=(BRCA1,))
CANCER_MENTION = AnnotationData(Kind.MENTION, None, None, 10, 23, "breast cancer", "Disease", identifiers=(CANCER,))
IDENTIFIED = {
    "denotations": [GENE, DISEASE],
    "attributes": [assign("T1", "identifier", "ncbigene:672"), assign("T2", "mesh", "D001943")],
    "relations": [relate(1, "T1", "associated", "T2")],
}


@pytest.mark.parametrize(
    "members",
    [
        IDENTIFIED,
        IDENTIFIED | {"attributes": [assign("T1", "entry", "NCBIGene:672"), assign("T2", "id", ["MESH:D001943"])]},
        {
            "denotations": [denote(1, 0, 5, "ncbigene:672"), denote(2, 10, 23, "x:D001943")],
            "attributes": [assign("T2", "type", "Disease")],
            "namespaces": [{"prefix": "x", "uri": "http://id.nlm.nih.gov/mesh/"}],
            "relations": IDENTIFIED["relations"],
        },
        IDENTIFIED | {"denotations": [GENE], "blocks": [DISEASE]},
    ],
)
def test_it_reads_identifiers_and_relations(members):
    answer = judge(**members)
    assert (answer.broken_rules, answer.omitted.parts, answer.notes) == ([], [], [])
    assert answer.annotations[:2] == [BRCA1_MENTION, CANCER_MENTION]
    [relation] = answer.annotations[2:]
    assert (relation.type, relation.is_directed) == ("associated", True)
    assert relation.arguments == (
        RelationArgument("", (BRCA1,), (Span(0, 5),), "Gene", "BRCA1"),
        RelationArgument("", (CANCER,), (Span(10, 23),), "Disease", "breast cancer"),
    )


@pytest.mark.parametrize("kinds", [OPEN, SEVEN_KINDS])
@pytest.mark.parametrize(
    "members",
    [
        {
            "denotations": [
                {"span": [{"begin": ERK, "end": ERK + 3}, {"begin": ERK + 5, "end": ERK + 6}], "obj": "Gene"}
            ]
        },
        {"denotations": [{"span": [[ERK, ERK + 3], [ERK + 5, ERK + 6]], "obj": "Gene"}]},
        {
            "denotations": [denote(1, ERK, ERK + 3, "_FRAGMENT"), denote(2, ERK + 5, ERK + 6, "Gene")],
            "relations": [relate(1, "T2", CHAIN, "T1")],
        },
    ],
)
def test_it_reads_both_forms_of_discontinuous_mentions(members, kinds):
    answer = judge(kinds, **members)
    assert (answer.broken_rules, answer.omitted.parts) == ([], [])
    [mention] = answer.annotations
    assert (mention.text, mention.type) == ("ERK 2", "Gene")
    assert mention.parts == (Span(ERK, ERK + 3), Span(ERK + 5, ERK + 6))


def test_it_adds_the_kinds_that_the_server_is_registered_for():
    attributes = [*IDENTIFIED["attributes"], assign("T1", "organism", "taxonomy:9606")]
    answer = judge(tuple(Kind), **IDENTIFIED | {"attributes": attributes})
    assert answer.broken_rules == []
    assert [each for each in answer.annotations if each.kind not in OPEN] == [
        make_entity(BRCA1, "Gene"),
        AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="672"),
        make_entity(CANCER, "Disease"),
        AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606"),
    ]
    pair = judge(
        (*OPEN, Kind.PAIR),
        **IDENTIFIED | {"attributes": [assign(each, "id", "uniprot:P38398") for each in ("T1", "T2")]},
    )
    assert [(each.identifier, each.partner) for each in pair.annotations if each.kind is Kind.PAIR] == [
        ("P38398", "P38398")
    ]


def test_it_reads_qualifiers_and_confidences():
    answer = judge(
        denotations=[denote(1, 0, 5, "Gene", confidence=0.5), DISEASE],
        attributes=[assign("T2", "score", 0.25), assign("R1", "confidence", 0.75), assign("R1", "novelty", "Novel")],
        relations=[relate(1, "T1", "causes", "T2", directed=False)],
        modifications=[{"id": "M1", "pred": "Negation", "obj": "R1"}],
    )
    assert (answer.broken_rules, answer.omitted.parts) == ([], [])
    assert [each.confidence for each in answer.annotations] == [0.5, 0.25, 0.75]
    relation = answer.annotations[-1]
    assert (dict(relation.relation.qualifiers), relation.is_directed) == (
        {"negated": "true", "novelty": "Novel"},
        False,
    )


def test_it_lists_what_is_not_stored():
    answer = judge(
        denotations=[GENE, denote(3, ERK, ERK + 6, "Gene")],
        attributes=[assign("T1", "mood", "sad"), assign("T1", "type", "Protein"), assign("T1", "organism", "human")],
        relations=[relate(1, "T1", CHAIN, "T3"), relate(2, "T1", "is", "T1", colour="red")],
        modifications=[{"id": "M1", "pred": "Negation", "obj": "T1"}],
        tracks=[{}],
    )
    assert [part.where for part in answer.omitted.parts] == [
        *("tracks", "attributes[0]", "attributes[1]", "attributes[2]", "denotations[1]", "modifications[0]"),
        "relations[1].colour",
    ]


@pytest.mark.parametrize(
    ("members", "broken", "stored"),
    [
        (
            {
                "denotations": [DISEASE, denote(1, ERK, ERK + 3, "_FRAGMENT"), denote(3, ERK + 5, ERK + 6, "Gene")],
                "relations": [relate(1, "T3", CHAIN, "T1"), relate(2, "T1", CHAIN, "T3")],
            },
            [("R209", "denotations[1]"), ("R209", "denotations[2]")],
            1,
        ),
        ({"denotations": [DISEASE, denote(1, 0, 5, "_FRAGMENT")]}, [("R209", "denotations[1]")], 1),
        (
            {"denotations": [DISEASE], "relations": [relate(1, "T2", CHAIN, "T1")]},
            [("R209", "relations[0].obj")],
            1,
        ),
        (
            {"denotations": [DISEASE, {"span": [[5, 6], [0, 3]], "obj": "Gene"}]},
            [("R109", "denotations[1].span[1]")],
            1,
        ),
        (
            {"denotations": [DISEASE, {"span": [[0, 3], [2, 5]], "obj": "Gene"}]},
            [("R109", "denotations[1].span[1]")],
            1,
        ),
        (
            {"denotations": [DISEASE, {"span": [[0, 3], [5, 900]], "obj": "Gene"}]},
            [("R104", "denotations[1].span[1]")],
            1,
        ),
        (
            {"denotations": [DISEASE, {"span": [[0, 3], [5]], "obj": "Gene"}]},
            [("R201", "denotations[1].span[1].end")],
            1,
        ),
        (
            IDENTIFIED | {"relations": [relate(1, "T1", "is", "T9"), relate(2, "T1", "is", "T2")]},
            [("R126", "relations[0].obj")],
            3,
        ),
        (
            IDENTIFIED | {"relations": [relate(1, "R2", "is", "T1"), relate(2, "T1", "is", "R1")]},
            [("R128", "relations[0].subj"), ("R128", "relations[1].obj")],
            2,
        ),
        (
            IDENTIFIED | {"denotations": [denote(1, 0, 900, "Gene"), DISEASE]},
            [("R104", "denotations[0].span.begin"), ("R126", "relations[0].subj")],
            1,
        ),
        (
            IDENTIFIED | {"denotations": [GENE, DISEASE, denote(2, ERK, ERK + 3, "Gene")]},
            [("R208", "relations[0].obj")],
            3,
        ),
        (
            IDENTIFIED | {"attributes": [assign("T9", "identifier", "ncbigene:672")]},
            [("R210", "attributes[0].subj")],
            3,
        ),
        (
            {"denotations": [DISEASE, denote(1, 0, 5, "MESH:banana")]},
            [("R118", "denotations[1].identifiers[0]")],
            1,
        ),
        (IDENTIFIED | {"relations": [["R1", "T1"]]}, [("R201", "relations[0].obj")], 2),
        (IDENTIFIED | {"relations": "T1"}, [("R202", "relations")], 2),
    ],
)
def test_it_breaks_a_rule_at_its_place_and_stores_the_rest(members, broken, stored):
    answer = judge(**members)
    assert [(rule.code, rule.where) for rule in answer.broken_rules] == broken
    assert all(rule.message and rule.mend for rule in answer.broken_rules)
    assert len(list_valid(answer)) == stored


def test_it_survives_ten_thousand_chained_mentions():
    denotations = [denote(number, 0, 5, "Gene") for number in range(10_000)]
    relations = [relate(number, f"T{number}", CHAIN, f"T{number + 1}") for number in range(9_998)]
    answer = judge(denotations=denotations, relations=relations)
    assert {rule.code for rule in answer.broken_rules} == {"R109"}
    assert answer.omitted.count == 9_998


def test_a_malformed_entity_is_where_its_mention_is():
    attributes = [assign("T1", "identifier", "ncbigene:672"), assign("T2", "mesh", "breast")]
    answer = judge((Kind.ENTITY,), **(IDENTIFIED | {"attributes": attributes}))
    assert [(rule.code, rule.where) for rule in answer.broken_rules] == [("R118", "denotations[1].identifier")]
    assert [each.identifier for each in list_valid(answer)] == ["672"]
