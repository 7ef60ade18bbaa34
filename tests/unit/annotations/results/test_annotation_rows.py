"""Rows of annotations: nothing is lost, and the seven kinds have the columns that they always had."""

from dataclasses import astuple

from hypothesis import given

from annotations.results.annotation_rows import (
    ANNOTATION_ROW_FIELDS,
    build_annotation_row,
    list_row_fields,
    read_annotation_row,
)
from annotations.schema import EntityId, Kind, RelationArgument, Span, make_entity, make_mention, make_relation
from tests.drawn_annotations import ANNOTATIONS, SEVEN_KINDS_BUT_MENTIONS

BRCA1, CANCER = EntityId("ncbigene", "672"), EntityId("mesh", "D001943")


def read_named_row(annotation):
    return dict(zip(ANNOTATION_ROW_FIELDS, build_annotation_row(annotation), strict=True))


@given(ANNOTATIONS)
def test_it_reads_what_it_has_built(annotation):
    assert read_annotation_row(annotation.kind, *build_annotation_row(annotation)) == annotation


@given(ANNOTATIONS)
def test_it_reads_all_but_relations_without_the_column_of_relations(annotation):
    fields = list_row_fields({annotation.kind})
    assert ("detail" in fields) == (annotation.kind is Kind.RELATION)
    row = build_annotation_row(annotation)[: len(fields)]
    assert read_annotation_row(annotation.kind, *row) == annotation


@given(SEVEN_KINDS_BUT_MENTIONS)
def test_rows_of_the_seven_kinds_are_their_flat_fields(annotation):
    assert build_annotation_row(annotation) == (*astuple(annotation)[1:12], None, None, None)


def test_a_mention_without_links_has_the_row_that_it_always_had():
    mention = make_mention([Span(3, 7)], "ERK1", "Gene", confidence=0.5)
    assert build_annotation_row(mention) == (0.5, None, 3, 7, "ERK1", "Gene", "", "", "", None, None, None, None, None)


def test_one_link_is_in_the_columns_of_identifiers_and_not_in_the_flat_fields():
    mention = make_mention([Span(3, 8)], "BRCA1", "Gene", [BRCA1])
    row = read_named_row(mention)
    assert (row["database"], row["identifier"], row["curies"]) == ("ncbigene", "672", None)
    read = read_annotation_row(mention.kind, *row.values())
    assert (read.database, read.identifier, read.identifiers) == ("", "", (BRCA1,))


def test_several_links_are_curies_in_the_order_given():
    row = read_named_row(make_mention([Span(3, 8)], "BRCA1", "Gene", [CANCER, BRCA1, EntityId("", "c|SUB|C|1|T")]))
    assert (row["database"], row["identifier"]) == ("", "")
    assert row["curies"] == ["mesh:D001943", "ncbigene:672", ":c|SUB|C|1|T"]


def test_parts_are_pairs_of_positions():
    row = read_named_row(make_mention([Span(0, 3), Span(5, 6)], "ERK 2"))
    assert (row["start"], row["end"], row["spans"]) == (0, 6, [0, 3, 5, 6])


def test_an_entity_has_its_identifier_where_genes_have_theirs():
    row = read_named_row(make_entity(CANCER, "Disease", text="breast cancer"))
    assert (row["database"], row["identifier"], row["type"], row["curies"]) == ("mesh", "D001943", "Disease", None)


def test_a_relation_has_each_curie_once_and_no_empty_members():
    arguments = [
        RelationArgument("Gene", (BRCA1,), (Span(3, 8), Span(9, 11)), "Gene", "BRCA1 ex"),
        RelationArgument(identifiers=(BRCA1, EntityId("psi-mi", "MI:0326"))),
    ]
    relation = make_relation("Association", arguments, qualifiers={"novelty": "Novel"}, evidence=[Span(0, 20)])
    row = read_named_row(relation)
    assert row["curies"] == ["ncbigene:672", "psi-mi:MI:0326"]
    assert row["detail"] == {
        "a": [
            {"r": "Gene", "i": ["ncbigene:672"], "s": [3, 8, 9, 11], "t": "Gene", "x": "BRCA1 ex"},
            {"i": ["ncbigene:672", "psi-mi:MI:0326"]},
        ],
        "q": {"novelty": "Novel"},
        "e": [0, 20],
    }
    assert (row["type"], row["database"], row["identifier"], row["text"]) == ("Association", "", "", "")
