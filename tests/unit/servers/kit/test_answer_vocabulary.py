"""The kit says how the types and databases of an answer are understood."""

from annotations.schema import EntityId, Kind, Span, make_entity, make_label, make_mention
from servers.kit.checks.answer_vocabulary import count_answer_namespaces, count_answer_types, iter_vocabulary_lines

ANNOTATIONS = [
    make_mention([Span(0, 3)], "p53", "GeneOrGeneProduct", [EntityId("ncbigene", "7157"), EntityId("", "foo:1")]),
    make_mention([Span(4, 7)], "Rb1", "GeneOrGeneProduct", [EntityId("ncbigene", "5925")]),
    make_mention([Span(8, 9)], "x", "Comet"),
    make_entity(EntityId("mesh", "D001943"), "disease"),
    make_label("topic", "oncology"),
]


def test_it_counts_types_and_databases():
    types = count_answer_types(ANNOTATIONS, ["gene", "Comet"])
    assert [(each.given, each.name, each.known, each.registered, each.number) for each in types] == [
        ("GeneOrGeneProduct", "Gene", True, True, 2),
        ("Comet", "Comet", False, True, 1),
        ("disease", "Disease", True, False, 1),
    ]
    assert [(each.database, each.number, each.examples) for each in count_answer_namespaces(ANNOTATIONS)] == [
        ("ncbigene", 2, ["ncbigene:7157", "ncbigene:5925"]),
        ("", 1, ["foo:1"]),
        ("mesh", 1, ["mesh:D001943"]),
    ]


def test_it_reports_them_in_sentences():
    assert list(iter_vocabulary_lines(ANNOTATIONS, ["Gene"])) == [
        "types: GeneOrGeneProduct 2 as Gene, disease 1 as Disease",
        "types that are not known, kept as they are written: Comet 1",
        "types that the server is not registered for: Comet, disease",
        "databases: NCBI Gene 2, MeSH 1",
        "identifiers of no known database, kept as they are written: 1 (foo:1)",
    ]
    assert {each.registered for each in count_answer_types(ANNOTATIONS, [])} == {None}
    assert not list(iter_vocabulary_lines([each for each in ANNOTATIONS if each.kind is Kind.LABEL], []))
