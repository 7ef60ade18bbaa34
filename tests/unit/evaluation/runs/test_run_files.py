"""Uploaded runs as files: every format, what a phase asks for besides the rules of the command, and the findings."""

from io import BytesIO

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.formats.rules import FILE_RULES
from annotations.formats.tsv.result_reader import BC3_RULES, BC25_RULES, LIBRARY_RULES
from annotations.schema import AnnotationData, Kind
from evaluation.runs.files.phase_checks import read_run_for_phase
from evaluation.runs.files.result_rows import build_annotations_by_article
from evaluation.runs.files.run_reader import RunTarget

KNOWN = {"101": 1, "10.1000/101": 1, "102": 2, "103": 3}
PUBTATOR = "101|t|p53 and Mdm2\n101|a|No\n101\t0\t3\tp53\tGene\t7157\n101\t8\t12\tMdm2\tGene\t4193\n\n103|t|Nothing\n"
BC2 = """<ENTRIES><ENTRY><PPI_SUB_TASK_ID>BC2_PPI_IPS</PPI_SUB_TASK_ID><TEAM_ID>1</TEAM_ID><RUN_NR>1</RUN_NR><PMID>101
</PMID><INTERACTION_PAIR><INTERACTOR_1>P12830</INTERACTOR_1><INTERACTOR_2>P35222</INTERACTOR_2><RANK>1</RANK>
</INTERACTION_PAIR></ENTRY></ENTRIES>"""
BIOC = """{"source": "", "date": "", "key": "", "infons": {}, "documents": [{"id": "102", "infons": {"relevant": "yes"},
"passages": [{"offset": 0, "infons": {"type": "title"}, "text": "A", "annotations": [], "relations": []}]}]}"""


def taken(text, kind, *, task="", rules=LIBRARY_RULES, most=None):
    """{article: findings}; RefusedFileError."""
    content = BytesIO(text if isinstance(text, bytes) else text.encode())
    run = read_run_for_phase(content, "run.txt", RunTarget(kind, task), rules, KNOWN, most)
    return build_annotations_by_article(run, kind, KNOWN)


def faults(*arguments, **options):
    with pytest.raises(RefusedFileError) as refused:
        taken(*arguments, **options)
    return [str(fault) for fault in refused.value.faults]


def taxon(identifier, confidence=None, rank=None):
    return AnnotationData(Kind.TAXON, confidence, rank, database="ncbitaxon", identifier=identifier)


def test_it_reads_lists_with_rank_and_confidence():
    found = taken("101\t9606\t2\t0.5\n101\t10090\t1\t0.9\n102\t9606\t1\t1\n", Kind.TAXON)
    assert found == {1: [taxon("9606", 0.5, 2), taxon("10090", 0.9, 1)], 2: [taxon("9606", 1.0, 1)]}


def test_it_leaves_ranks_out_where_confidences_tell_the_order():
    assert taken("101\t9606\t0.5\n101\t10090\t0.25\n", Kind.TAXON) == {1: [taxon("9606", 0.5), taxon("10090", 0.25)]}


def test_it_makes_ranks_of_the_lines_where_nothing_else_tells_the_order():
    found = taken("101\t9606\n102\t9606\n101\t10090\n", Kind.TAXON)
    assert found == {1: [taxon("9606", None, 1), taxon("10090", None, 2)], 2: [taxon("9606", None, 1)]}


def test_it_keeps_the_order_of_ranks_that_no_column_can_hold():
    assert [own.rank for own in taken("101\t9606\t3000000000\n101\t10090\t7\n", Kind.TAXON)[1]] == [2, 1]


def test_it_reads_calls():
    found = taken("101\t1\t1\t0.9\n102\tfalse\t1\t0.8\n103\t+\t2\t0.7\n", Kind.CLASSIFICATION)
    assert [(own.relevant, own.rank, own.confidence) for (own,) in found.values()] == [
        (True, 1, 0.9),
        (False, 1, 0.8),
        (True, 2, 0.7),
    ]


def test_it_ranks_calls_without_rank_in_each_class():
    found = taken("101\t1\n102\t0\n103\t1\n", Kind.CLASSIFICATION)
    assert [(own.relevant, own.rank) for (own,) in found.values()] == [(True, 1), (False, 1), (True, 2)]


def test_it_knows_the_database_by_the_form_of_an_identifier():
    (found,) = taken("101\t999\n101\tP12830\n", Kind.NORMALIZATION).values()
    assert [(own.database, own.identifier) for own in found] == [("ncbigene", "999"), ("uniprot", "P12830")]


def test_it_reads_pairs_in_either_direction():
    (found,) = taken("101\tP35222\tP12830\n", Kind.PAIR).values()
    assert [(own.database, own.identifier, own.partner) for own in found] == [("uniprot", "P12830", "P35222")]


def test_it_leaves_out_articles_that_are_not_in_the_phase_and_their_faults():
    assert taken("999\tNONSENSE\n101\t9606\n", Kind.TAXON) == {1: [taxon("9606", None, 1)]}


def test_it_knows_an_article_of_which_annotated_text_says_nothing():
    found = taken(PUBTATOR, Kind.NORMALIZATION)
    assert [own.identifier for own in found[1]] == ["7157", "4193"]
    assert found[3] == []


def test_it_reads_bioc_trec_and_bc2_xml():
    assert [own.relevant for own in taken(BIOC, Kind.CLASSIFICATION)[2]] == [True]
    trec = taken("101 Q0 MI:0018 1 0.5 me\n101 Q0 MI:0006 2 0.75 me\n", Kind.METHOD)
    said = [(own.identifier, own.rank, own.confidence) for own in trec[1]]
    assert said == [("MI:0018", 2, 0.5), ("MI:0006", 1, 0.75)]
    assert [own.partner for own in taken(BC2, Kind.PAIR)[1]] == ["P35222"]
    assert [own.identifier for own in taken(BC2, Kind.NORMALIZATION, task="INT")[1]] == ["P12830", "P35222"]


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        (BC2, Kind.TAXON, "run.txt:0:0: R711 the format bc2-xml"),
        (PUBTATOR, Kind.CLASSIFICATION, "R711 the format pubtator"),
        ("101 Q0 9606 1 0.5 me\n", Kind.CLASSIFICATION, "R711 the format trec-run"),
        ("101 0 9606 1\n102 0 9606 1\n", Kind.TAXON, "R711 the file has TREC relevance judgements"),
        (b"\x1f\x8b\x08", Kind.TAXON, "R629"),
        ("999\t9606\n998\t9606\n", Kind.TAXON, "run.txt:0:0: R713 none of its articles"),
        ("", Kind.TAXON, "R713"),
        ("101\thuman\t1\n", Kind.TAXON, "run.txt:1:5: R712 “human” is not an NCBI Taxonomy ID - write the number"),
        ("101\tP12830\t999\n", Kind.PAIR, "run.txt:1:5: R712 “999 and P12830” is not a pair"),
        ("101\t9606\n10.1000/101\t10090\n", Kind.TAXON, "R715 “10.1000/101” and “101” are the same article"),
        (PUBTATOR.replace("7157", "TP53_HUMAN"), Kind.NORMALIZATION, "run.txt:0:0: R712 article “101”: “TP53_HUMAN”"),
    ],
)
def test_it_refuses_what_is_no_run_of_the_phase(text, kind, said):
    (fault,) = faults(text, kind)
    assert said in fault


def test_it_lists_all_faults_with_line_and_column():
    assert [fault.split(" ")[:2] for fault in faults("101\thuman\n102\t9606\n102\tmouse\n", Kind.TAXON)] == [
        ["run.txt:1:5:", "R712"],
        ["run.txt:3:5:", "R712"],
    ]


def test_it_tells_bad_identifiers_along_with_all_other_faults():
    text = "101\thuman\t0.9\n102\t10090\t1.5\n999\tmouse\t0.5\n\n103\trat\t2\n"
    assert [fault.split(" ")[:2] for fault in faults(text, Kind.TAXON)] == [
        ["run.txt:1:5:", "R712"],
        ["run.txt:2:11:", "R607"],
        ["run.txt:4:1:", "R602"],
        ["run.txt:5:5:", "R712"],
        ["run.txt:5:9:", "R607"],
    ]
    assert [fault.split(" ")[1] for fault in faults("101\tP12830\t999\t7\n102\tA\n", Kind.PAIR)] == ["R712", "R603"]


def test_it_takes_no_more_results_of_an_article_than_the_phase_does():
    text = "101\t9606\n101\t10090\n101\t10116\n102\t9606\n"
    assert faults(text, Kind.TAXON, most=2) == [
        "run.txt:3:1: R714 article “101” has more than 2 organisms, the cap of the phase - leave out the least certain"
    ]
    assert len(taken(text, Kind.TAXON, most=3)[1]) == 3


def test_it_holds_all_formats_to_the_rules_of_the_challenge():
    assert "R611" in faults("101\t9606\n", Kind.TAXON, rules=BC3_RULES)[0]
    assert "R611 there is no confidence" in faults(PUBTATOR, Kind.NORMALIZATION, rules=BC3_RULES)[0]
    assert "R612" in faults("101\t9606\t2\t0.5\n", Kind.TAXON, rules=BC25_RULES)[0]


def test_it_has_a_paragraph_in_the_manual_for_each_rule():
    assert {f"R71{number}" for number in range(1, 7)} <= {rule.code for rule in FILE_RULES}
