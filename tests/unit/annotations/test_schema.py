from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.schema import (
    KIND_LABELS,
    KIND_TASK_NAMES,
    SEVEN_KINDS,
    SHAPES,
    AnnotationData,
    EntityId,
    Kind,
    Qualifier,
    RelationArgument,
    Shape,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)
from tests.drawn_annotations import ANNOTATIONS, RELATIONS

BRCA1, CANCER = EntityId("ncbigene", "672"), EntityId("mesh", "D001943")
GENE, DISEASE = RelationArgument("Gene", (BRCA1,)), RelationArgument("Disease", (CANCER,))


def test_it_has_a_shape_and_labels_for_every_kind():
    assert set(SHAPES) == set(KIND_LABELS) == set(KIND_TASK_NAMES) == set(Kind)
    assert {SHAPES[Kind(shape)] for shape in Shape} == set(Shape)


def test_open_kinds_come_after_the_seven():
    assert list(Kind) == [*SEVEN_KINDS, Kind.ENTITY, Kind.RELATION, Kind.LABEL]


def test_it_takes_fields_of_the_seven_kinds_by_position():
    mention = AnnotationData(Kind.MENTION, 0.5, 1, 3, 7, "p53b", "Gene")
    assert (mention.start, mention.end, mention.text, mention.type) == (3, 7, "p53b", "Gene")
    assert (mention.spans, mention.identifiers, mention.relation) == ((), (), None)


def test_a_mention_in_one_part_has_the_key_that_it_always_had():
    mention = make_mention([Span(3, 7)], "ERK1", "Gene", [BRCA1])
    assert mention == AnnotationData(Kind.MENTION, start=3, end=7, text="ERK1", type="Gene", identifiers=(BRCA1,))
    assert mention.key == (3, 7)
    assert mention.parts == (Span(3, 7),)


def test_a_mention_in_two_parts_is_another_than_the_text_they_cover():
    mention = make_mention([Span(5, 6), Span(0, 3)], "ERK 2", "Gene")
    assert (mention.start, mention.end, mention.parts) == (0, 6, (Span(0, 3), Span(5, 6)))
    assert mention.key == (0, 6, (Span(0, 3), Span(5, 6)))
    assert mention.key != make_mention([Span(0, 6)], "ERK1/2", "Gene").key


def test_it_keeps_each_link_of_a_mention_once_in_the_order_given():
    mention = make_mention([Span(0, 3)], "ERK", identifiers=[CANCER, BRCA1, CANCER])
    assert mention.identifiers == (CANCER, BRCA1) == tuple(mention.iter_entity_ids())


def test_the_typed_key_tells_nested_types_apart():
    cell_line, gene = (make_mention([Span(0, 4)], "HeLa", given) for given in ("CellLine", "Gene"))
    assert cell_line.key == gene.key
    assert cell_line.typed_key != gene.typed_key
    assert cell_line.typed_key == replace(cell_line, type="cell-line").typed_key
    assert gene.typed_key == replace(gene, type="GeneOrGeneProduct").typed_key
    assert replace(gene, type="DomainMotif").typed_key == replace(gene, type="domain motif").typed_key
    assert make_label("topic", "cancer").typed_key == make_label("topic", "cancer").key


def test_an_undirected_relation_is_the_same_in_either_order():
    assert make_relation("Association", [GENE, DISEASE]).key == make_relation("Association", [DISEASE, GENE]).key
    assert make_relation("Association", [GENE, DISEASE]).key != make_relation("Cotreatment", [GENE, DISEASE]).key


def test_the_arguments_of_a_directed_relation_are_told_apart_by_role_or_order():
    unnamed = [RelationArgument(identifiers=(BRCA1,)), RelationArgument(identifiers=(CANCER,))]
    in_order, in_roles = (make_relation("causes", given, directed=True) for given in (unnamed, [GENE, DISEASE]))
    assert in_order.key != make_relation("causes", unnamed[::-1], directed=True).key
    assert in_roles.key == make_relation("causes", [DISEASE, GENE], directed=True).key
    swapped = [replace(GENE, identifiers=(CANCER,)), replace(DISEASE, identifiers=(BRCA1,))]
    assert in_roles.key != make_relation("causes", swapped, directed=True).key


def test_an_argument_counts_by_its_identifiers_else_by_its_position():
    linked = RelationArgument(identifiers=(BRCA1, CANCER), spans=(Span(0, 5),), type="Gene", text="BRCA1")
    moved = replace(linked, identifiers=(CANCER, BRCA1), spans=(Span(9, 14),))
    assert make_relation("a", [linked, GENE]).key == make_relation("a", [moved, GENE]).key
    unlinked = replace(linked, identifiers=())
    assert make_relation("a", [unlinked, GENE]).key != make_relation("a", [replace(moved, identifiers=()), GENE]).key
    assert make_relation("a", [unlinked, linked]).key == make_relation("a", [moved, unlinked]).key


def test_of_the_qualifiers_only_negation_makes_another_relation():
    relation = make_relation("Association", [GENE, DISEASE], qualifiers={"novelty": "Novel", "method": "mi:0018"})
    assert relation.relation.qualifiers == (Qualifier("method", "mi:0018"), Qualifier("novelty", "Novel"))
    assert relation.key == make_relation("Association", [GENE, DISEASE], qualifiers={"negated": "false"}).key
    assert relation.key != make_relation("Association", [GENE, DISEASE], qualifiers={"negated": "true"}).key


@given(RELATIONS, st.randoms())
def test_its_key_does_not_depend_on_the_order_of_arguments_without_direction(relation, random):
    shuffled = list(relation.arguments)
    random.shuffle(shuffled)
    other = replace(relation, relation=replace(relation.relation, directed=False, arguments=tuple(shuffled)))
    assert other.key == replace(relation, relation=replace(relation.relation, directed=False)).key
    assert hash(other.key) is not None


def test_a_pair_is_an_interaction_and_a_passage_one_with_its_text():
    pair = AnnotationData(Kind.PAIR, database="uniprot", identifier="P04637", partner="Q00987")
    first, second = EntityId("uniprot", "P04637"), EntityId("uniprot", "Q00987")
    assert (pair.shape, pair.relation_type, pair.is_directed, pair.evidence) == (
        Shape.RELATION,
        "interaction",
        False,
        (),
    )
    assert pair.arguments == (RelationArgument(identifiers=(first,)), RelationArgument(identifiers=(second,)))
    assert list(replace(pair, kind=Kind.PASSAGE, text="p53 binds MDM2.").iter_entity_ids()) == [first, second]


@pytest.mark.parametrize(
    ("relevant", "label"), [(True, ("relevance", "relevant")), (False, ("relevance", "not relevant")), (None, None)]
)
def test_a_class_is_a_label(relevant, label):
    annotation = AnnotationData(Kind.CLASSIFICATION, relevant=relevant)
    assert (annotation.shape, annotation.label) == (Shape.LABEL, label)


def test_a_method_is_an_entity():
    method = AnnotationData(Kind.METHOD, database="psi-mi", identifier="MI:0018")
    assert method.shape is Shape.ENTITY
    assert [each.curie for each in method.iter_entity_ids()] == ["psi-mi:MI:0018"]


@given(ANNOTATIONS)
def test_its_shape_has_everything_that_its_fields_have(annotation):
    """Each annotation can be built again from what it answers as a shape, and the fields that no shape has."""
    match annotation.kind, annotation.shape:
        case Kind.CLASSIFICATION, _:
            relevant = None if annotation.label is None else annotation.label[1] == "relevant"
            again = AnnotationData(Kind.CLASSIFICATION, relevant=relevant)
        case _, Shape.MENTION:
            again = make_mention(annotation.parts, annotation.text, annotation.type, annotation.iter_entity_ids())
        case _, Shape.ENTITY:
            (entity,) = annotation.iter_entity_ids()
            again = make_entity(entity, annotation.type, taxon=annotation.taxon, text=annotation.text)
        case Kind.RELATION, _:
            again = make_relation(
                annotation.relation_type,
                annotation.arguments,
                directed=annotation.is_directed,
                qualifiers=dict(annotation.relation.qualifiers),
                evidence=annotation.evidence,
            )
        case _, Shape.RELATION:
            (database, identifier), (_, partner) = annotation.iter_entity_ids()
            again = AnnotationData(
                annotation.kind, text=annotation.text, database=database, identifier=identifier, partner=partner
            )
        case _:
            again = make_label(*annotation.label)
    again = replace(again, kind=annotation.kind, confidence=annotation.confidence, rank=annotation.rank)
    assert again == annotation
