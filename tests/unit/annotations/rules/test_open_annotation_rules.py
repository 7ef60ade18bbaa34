"""The rules for mentions in parts, links, entities, relations and labels."""

import pytest

from annotations.annotation_rules import list_broken_annotation_rules
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)

TITLE = "ERK1/2 and tamoxifen"
TEXT = f"{TITLE}\nTamoxifen induces ERK1/2 in breast cancer."
ERK2 = [Span(0, 3), Span(5, 6)]
CANCER, TAMOXIFEN = EntityId("mesh", "D001943"), EntityId("mesh", "D013629")


def list_broken(*annotations, **options):
    return list_broken_annotation_rules(annotations, TEXT, len(TITLE), **options)


def show(*annotations, **options):
    return [(rule.code, rule.where) for rule in list_broken(*annotations, **options)]


def relate(*arguments, **values):
    return make_relation("induces", arguments, **values)


def name(*entities, role=""):
    return RelationArgument(role, entities)


def point(start, end, text=""):
    return RelationArgument(spans=(Span(start, end),), text=text)


@pytest.mark.parametrize("text", ["ERK 2", "ERK2", "ERK1/2"])
def test_it_accepts_the_text_of_parts_joined_by_space_or_nothing_or_with_what_is_between(text):
    assert show(make_mention(ERK2, text, "Gene", [EntityId("ncbigene", "5594")])) == []


def test_it_says_what_the_article_has_at_the_parts_of_a_mention():
    (rule,) = list_broken(make_mention(ERK2, "ERK 1"))
    assert (rule.code, rule.where) == ("R105", "mention[0].spans")
    assert rule.message == 'The article has "ERK 2" there, not "ERK 1".'


def test_it_names_the_part_that_is_outside_the_text_or_empty():
    assert show(make_mention([Span(0, 3), Span(5, 900)], "ERK 2")) == [("R104", "mention[0].spans[1]")]
    assert show(make_mention([Span(0, 3), Span(5, 5)], "ERK 2")) == [("R104", "mention[0].spans[1]")]


@pytest.mark.parametrize(
    "spans", [(Span(5, 6), Span(0, 3)), (Span(0, 3), Span(2, 6)), (Span(0, 3), Span(0, 3))], ids=str
)
def test_it_wants_parts_in_the_order_of_the_text_and_apart(spans):
    mention = AnnotationData(Kind.MENTION, start=0, end=6, text="ERK 2", spans=spans)
    assert show(mention) == [("R109", "mention[0].spans[1]")]


def test_it_limits_the_parts_of_a_mention():
    spans = tuple(Span(start, start + 1) for start in range(101))
    mention = AnnotationData(Kind.MENTION, start=0, end=101, text="", spans=spans)
    broken = list_broken_annotation_rules([mention], "x" * 101, 10)
    assert [(rule.code, rule.message) for rule in broken] == [("R109", "The mention has 101 parts.")]


def test_it_accepts_touching_parts():
    assert show(make_mention([Span(0, 3), Span(3, 4)], "ERK 1")) == []


def link(database, identifier):
    return make_mention([Span(0, 6)], "ERK1/2", "", [EntityId(database, identifier)])


@pytest.mark.parametrize(
    ("database", "identifier", "codes"),
    [
        ("mesh", "D001943", []),
        ("psi-mi", "MI:0018", []),
        ("uniprot", "P04637-2", []),
        ("", "c|SUB|C|1858|T", []),
        ("nobody-knows", "x y", []),
        ("mesh", "breast cancer", ["R118"]),
        ("ncbigene", "ERK", ["R118"]),
        ("psi-mi", "MI:two hybrid", ["R118"]),
        ("mesh", "", ["R117"]),
        ("mesh", " D001943", ["R117", "R118"]),
        ("", "x" * 201, ["R117"]),
        ("", "a\x00b", ["R106"]),
    ],
)
def test_it_checks_identifiers_alike_in_mentions_entities_and_relations(database, identifier, codes):
    entity = EntityId(database, identifier)
    assert [code for code, _ in show(link(*entity))] == codes
    assert [code for code, _ in show(make_entity(entity, "Gene"))] == codes
    assert [code for code, _ in show(relate(name(entity), name(TAMOXIFEN)))] == codes
    fields = {where for _, where in show(link(*entity), relate(name(TAMOXIFEN), name(entity)), make_entity(entity))}
    assert fields <= {"mention[0].identifiers[0]", "relation[1].arguments[1]", "entity[2].identifier"}


def test_it_says_of_which_form_identifiers_are():
    (rule,) = list_broken(link("mesh", "breast cancer"))
    assert rule.message.startswith('"breast cancer" is not an identifier of MeSH; these match the pattern [CDQ]')


def test_it_limits_the_identifiers_of_mentions_and_arguments():
    many = [EntityId("ncbigene", str(number)) for number in range(1, 102)]
    mention = make_mention([Span(0, 6)], "ERK1/2", "Gene", many)
    broken = show(mention, relate(name(TAMOXIFEN), name(*many)))
    assert broken == [("R119", "mention[0].identifiers"), ("R119", "relation[1].arguments[1]")]


def test_it_accepts_relations_between_entities_and_mentions():
    drug = RelationArgument("agent", (TAMOXIFEN,), (Span(21, 30),), "Chemical", "Tamoxifen")
    relation = relate(
        drug,
        name(CANCER, role="theme"),
        directed=True,
        qualifiers={"novelty": "Novel", "negated": "false", "method": "mi:0018", "site": "Ser-5"},
        evidence=[Span(21, len(TEXT))],
    )
    assert show(relation) == []


@pytest.mark.parametrize("number", [0, 1, 17])
def test_it_wants_two_to_sixteen_arguments(number):
    entities = (name(EntityId("ncbigene", str(gene))) for gene in range(1, number + 1))
    assert show(relate(*entities)) == [("R125", "relation[0].arguments")]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (name(), "The argument names neither a mention nor an identifier."),
        (point(60, 900), f"The argument covers characters 60 to 900; the text has {len(TEXT)}."),
        (point(0, 6, "ERK"), 'The article has "ERK1/2" there, not "ERK".'),
    ],
)
def test_it_says_what_is_wrong_with_an_argument(argument, message):
    (rule,) = list_broken(relate(name(CANCER), argument))
    assert (rule.code, rule.where, rule.message) == ("R126", "relation[0].arguments[1]", message)


def test_it_drops_relations_whose_mention_breaks_a_rule():
    bad = make_mention([Span(0, 6)], "ERK1/2", "Gene", confidence=7.0)
    good = make_mention([Span(21, 30)], "Tamoxifen")
    relations = [relate(point(0, 6), name(CANCER)), relate(point(21, 30), name(CANCER))]
    assert show(bad, good, *relations) == [("R101", "mention[0].confidence"), ("R126", "relation[2].arguments[0]")]


def test_it_keeps_relations_whose_mention_was_sent_twice():
    twice = [make_mention([Span(0, 6)], "ERK1/2")] * 2
    assert show(*twice, relate(point(0, 6), name(CANCER))) == [("R120", "mention[1]")]


def test_it_limits_roles_types_and_qualifiers():
    assert show(relate(name(CANCER, role="r" * 65), name(TAMOXIFEN))) == [("R127", "relation[0].arguments[0].role")]
    assert show(make_relation("t" * 101, [name(CANCER), name(TAMOXIFEN)])) == [("R108", "relation[0].type")]
    assert show(make_entity(CANCER, "t" * 101)) == [("R108", "entity[0].type")]


@pytest.mark.parametrize("spans", [[Span(0, 900)], [Span(3, 3)], [Span(-1, 4)], [Span(0, at) for at in range(1, 102)]])
def test_it_wants_evidence_within_the_text(spans):
    text = TEXT * 2
    broken = list_broken_annotation_rules([relate(name(CANCER), name(TAMOXIFEN), evidence=spans)], text, 20)
    assert [(rule.code, rule.where) for rule in broken] == [("R129", "relation[0].evidence")]


@pytest.mark.parametrize(
    "qualifiers",
    [
        {"novelty": "yes"},
        {"negated": "True"},
        {"method": "two hybrid"},
        {"interaction-type": "mi:12"},
        {"": "x"},
        {"n" * 65: "x"},
        {"x": "v" * 201},
        {f"q{number}": "x" for number in range(17)},
    ],
    ids=lambda qualifiers: next(iter(qualifiers))[:8],
)
def test_it_knows_the_values_of_some_qualifiers(qualifiers):
    relation = relate(name(CANCER), name(TAMOXIFEN), qualifiers=qualifiers)
    assert show(relation) == [("R131", "relation[0].qualifiers")]


@pytest.mark.parametrize(
    ("label", "where"),
    [
        (make_label("species", ""), "label[0].value"),
        (make_label(" ", "mouse"), "label[0].name"),
        (make_label("species", "m" * 201), "label[0].value"),
        (make_label("s" * 101, "mouse"), "label[0].name"),
    ],
)
def test_it_wants_a_short_name_and_value_of_labels(label, where):
    assert show(label) == [("R130", where)]
    assert show(make_label("species", "mouse"), make_label("species", "rat")) == []


def test_it_finds_control_characters_in_every_text():
    nul = "a\x00b"
    relations = [
        relate(name(CANCER, role=nul), name(TAMOXIFEN)),
        relate(name(CANCER), name(TAMOXIFEN), qualifiers={nul: "x"}),
        relate(name(CANCER), name(TAMOXIFEN), qualifiers={"x": nul}),
    ]
    assert [where for _, where in show(*relations)] == [
        "relation[0].arguments[0]",
        "relation[1].qualifiers",
        "relation[2].qualifiers",
    ]
    assert show(make_label("species", nul)) == [("R106", "label[0].text")]


def test_it_counts_mentions_of_several_types_at_one_position_as_one_unless_types_count():
    mentions = [make_mention([Span(0, 6)], "ERK1/2", entity_type) for entity_type in ("Gene", "Protein", "GENE")]
    assert show(*mentions) == [("R120", "mention[1]"), ("R120", "mention[2]")]
    assert show(*mentions, types_count=True) == [("R120", "mention[2]")]


def test_it_takes_a_relation_for_the_same_whatever_its_qualifiers_and_order():
    relations = [
        relate(name(CANCER), name(TAMOXIFEN)),
        relate(name(TAMOXIFEN), name(CANCER), qualifiers={"novelty": "No"}),
        relate(name(CANCER), name(TAMOXIFEN), qualifiers={"negated": "true"}),
    ]
    assert show(*relations) == [("R120", "relation[1]")]


def test_it_limits_the_number_of_mentions_by_the_text_and_of_open_kinds():
    mentions = [make_mention([Span(0, 1)], "")] * 1001
    assert [rule.where for rule in list_broken(*mentions) if rule.code == "R121"] == ["mention[1000]"]
    broken = list_broken_annotation_rules(mentions, "x" * 1001, 100)
    assert {rule.code for rule in broken} == {"R120"}
    labels = [make_label("number", str(number)) for number in range(5001)]
    (rule,) = list_broken(*labels)
    assert (rule.code, rule.where) == ("R121", "label[5000]")
    assert rule.message == "The answer has 5,001 annotations of this kind; the limit is 5,000."


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([(5, 6), (0, 3)], "The part starts at character 0, and the part before it ends at 6."),
        ([(0, 4), (2, 6)], "The part starts at character 2, and the part before it ends at 4."),
        ([(0, 1)] * 101, "The argument has 101 parts; at most 100 are allowed."),
    ],
    ids=["disordered", "overlapping", "many"],
)
def test_it_wants_the_parts_of_an_argument_in_the_order_of_the_text_and_apart(spans, message):
    argument = RelationArgument(spans=tuple(Span(start, end) for start, end in spans))
    (rule,) = list_broken(relate(argument, name(CANCER)))
    assert (rule.code, rule.where, rule.message) == ("R126", "relation[0].arguments[0]", message)


def test_it_limits_the_type_of_an_argument():
    argument = RelationArgument(spans=(Span(0, 6),), type="t" * 101)
    assert show(relate(name(CANCER), argument)) == [("R108", "relation[0].arguments[1]")]
