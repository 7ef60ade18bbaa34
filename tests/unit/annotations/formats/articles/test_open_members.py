"""The members of open annotations in JSON: what is written, and that nothing is written of all others."""

from hypothesis import given

from annotations.formats.articles.open_members import (
    OPEN_MEMBERS,
    build_nonempty_open_members,
    iter_entities_of_open_members,
)
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
from tests.drawn_annotations import ANNOTATIONS, SEVEN_KINDS_BUT_MENTIONS

VARIANT, CANCER = EntityId("dbsnp", "rs334"), EntityId("mesh", "D001943")
UNCHECKED = {VARIANT, EntityId("uniprot", "P12830")}
VARIANT_MEMBERS = {"curie": "dbsnp:rs334", "database": "dbsnp", "identifier": "rs334", "checked": False}
CANCER_MEMBERS = {"curie": "mesh:D001943", "database": "mesh", "identifier": "D001943"}


@given(SEVEN_KINDS_BUT_MENTIONS)
def test_the_seven_kinds_have_none(annotation):
    assert build_nonempty_open_members(annotation, UNCHECKED) == {}
    assert [*iter_entities_of_open_members(annotation)] == []


def test_a_gene_that_is_not_checked_is_written_as_ever():
    gene = AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="P12830")
    assert build_nonempty_open_members(gene, UNCHECKED) == {}


def test_a_mention_in_one_part_without_links_and_a_label_have_none():
    assert build_nonempty_open_members(make_mention([Span(0, 5)], "BRCA1", "Gene")) == {}
    assert build_nonempty_open_members(make_label("topic", "oncology")) == {}


def test_a_mention_has_its_parts_and_links_and_which_are_not_checked():
    mention = make_mention([Span(0, 3), Span(5, 6)], "ERK 2", "Gene", [CANCER, VARIANT])
    members = {"spans": [[0, 3], [5, 6]], "identifiers": [CANCER_MEMBERS, VARIANT_MEMBERS]}
    assert build_nonempty_open_members(mention, UNCHECKED) == members
    assert [*iter_entities_of_open_members(mention)] == [CANCER, VARIANT]


def test_only_an_entity_itself_is_not_checked():
    assert build_nonempty_open_members(make_entity(VARIANT), UNCHECKED) == {"checked": False}
    assert build_nonempty_open_members(make_entity(CANCER), UNCHECKED) == {}
    assert build_nonempty_open_members(make_entity(VARIANT)) == {}
    assert [*iter_entities_of_open_members(make_entity(VARIANT))] == [VARIANT]


def test_a_relation_has_its_arguments_without_empty_members():
    arguments = [RelationArgument("Variant", (VARIANT,)), RelationArgument(spans=(Span(0, 6),), text="cancer")]
    relation = make_relation("causes", arguments, qualifiers={"negated": "true"})
    assert build_nonempty_open_members(relation, UNCHECKED) == {
        "arguments": [{"role": "Variant", "identifiers": [VARIANT_MEMBERS]}, {"spans": [[0, 6]], "text": "cancer"}],
        "qualifiers": {"negated": "true"},
    }


@given(ANNOTATIONS)
def test_no_member_is_empty_and_they_are_in_order(annotation):
    members = build_nonempty_open_members(annotation)
    assert [*members] == [name for name in OPEN_MEMBERS if name in members]
    assert all(members.values())
