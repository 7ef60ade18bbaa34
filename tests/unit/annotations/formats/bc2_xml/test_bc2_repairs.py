"""BioCreative II XML: every fault with its place, and everything that mending sets right."""

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.formats.rules import FILE_RULES
from annotations.formats.tsv.result_reader import BC3_RULES, BC25_RULES
from tests.unit.bc2_files import (
    NAMES,
    PUBLISHED,
    both,
    entry,
    faults,
    gold,
    list_refusal_lines,
    method,
    pair,
    passage,
    read_repaired_run,
    run,
)


def test_it_closes_elements():
    text = (
        "<RUN>\n<ENTRY>\n<PMID>11\n<INTERACTION_PAIR>\n<INTERACTOR_1>P62993\n<INTERACTOR_2>P00533\n<RANK>1\n</ENTRY>\n"
    )
    found, repairs = both(text)
    assert found == [("11", ("P00533", "P62993"), 1)]
    assert repairs == [
        "<RUN> is not closed before the end of the file and was closed there",
        "<PMID> is not closed before <INTERACTION_PAIR> and was closed there",
        "<INTERACTION_PAIR> is not closed before </ENTRY> and was closed there",
        "<INTERACTOR_1> is not closed before <INTERACTOR_2> and was closed there",
        "<INTERACTOR_2> is not closed before <RANK> and was closed there",
        "<RANK> is not closed before </ENTRY> and was closed there",
    ]


def test_it_closes_entries_and_what_stands_before_them():
    text = entry(pair()).replace("</ENTRY>", "") + entry(pair(), pmid="12").replace("</INTERACTION_PAIR>", "")
    found, repairs = both(text)
    assert [row[0] for row in found] == ["11", "12"]
    assert repairs == [
        "<ENTRY> is not closed before <ENTRY> and was closed there",
        "<INTERACTION_PAIR> is not closed before </ENTRY> and was closed there",
    ]


def test_it_takes_a_second_opening_tag_for_the_closing_one():
    found, repairs = both(entry(pair(), pmid="11<PMID>").replace("<PMID></PMID>", "<PMID>"))
    assert found[0][0] == "11"
    assert repairs == ["<PMID> is opened again here and was read as </PMID>"]


def test_it_leaves_out_closing_tags_without_an_opening_one():
    found, repairs = both(entry(pair(), "</PAIRS>") + "</RUN>")
    assert len(found) == 1
    assert repairs == [
        "</PAIRS> closes no open element and was skipped",
        "</RUN> closes no open element and was skipped",
    ]


def test_it_leaves_out_what_is_not_of_the_format():
    text = "so:" + entry("<NOTE a='1'>sure <b>it</b></NOTE>", " and ", pair())
    found, repairs = both(text)
    assert found == [("11", ("Q08211", "Q9UBU9"), 1)]
    assert repairs == [
        "“so:” is in no element of the format and was skipped",
        "“NOTE”: the element was skipped",
        "“b”: the element was skipped",
        "“and” is in no element of the format and was skipped",
    ]


def test_it_keeps_the_text_within_markup_of_a_passage():
    found, repairs = both(passage("They <i>bind</i><br/>."), "iss")
    assert found[0][1][2] == "They bind."
    assert repairs == ["“i”: the tag was skipped", "“br”: the tag was skipped"]


def test_it_reads_names_of_elements_in_small_letters():
    found, repairs = both(entry(pair()).replace("PMID", "pmid"))
    assert found[0][0] == "11"
    assert repairs == ["<pmid> was read as <PMID>"]


def test_it_reads_stray_characters_and_names_of_html():
    found, repairs = both(passage("p < 0.05 & q &alpha;"), "iss")
    assert found[0][1][2] == "p < 0.05 & q α"
    assert repairs == [
        "this < begins no tag and was read as text",
        "this & begins no reference and was read as text",
        "&alpha; is not defined in XML and was read as α",
    ]


def test_it_reads_bytes_that_are_no_text():
    found, repairs = both(passage("TNF XY").encode().replace(b"XY", b"\xb1\x80"), "iss")
    assert found[0][1][2] == "TNF ±€"
    assert repairs == [
        "this byte and possibly others in this line are not valid in the file's encoding and were read as Windows-1252"
    ]


def test_it_joins_entries_without_an_article():
    text = entry(pair("P62993", "P00533", "1")) + f"<ENTRY>{pair(rank='2')}</ENTRY>"
    found, repairs = read_repaired_run(text)
    assert found == [("11", ("P00533", "P62993"), 1), ("11", ("Q08211", "Q9UBU9"), 2)]
    assert repairs == ["2:1:R636 ENTRY without PMID was joined with the previous one, of article 11"]
    assert faults(text) == ["2:1:R636"]
    assert faults(f"<ENTRY>{pair()}</ENTRY>", repair=True) == ["1:1:R636"]


def test_it_joins_the_split_entries_of_an_article():
    other = entry(pair(), pmid="12")
    apart = entry(pair("P62993", "P00533", "1")) + other + entry(pair(rank="2"))
    found, repairs = both(apart)
    assert [(row[0], row[2]) for row in found] == [("11", 1), ("12", 1), ("11", 2)]
    assert repairs == ["article 11 already has an ENTRY in line 1, which was joined with this one"]
    several = entry(pair("P62993", "P00533", "1"), pair("P62993", "Q9UBU9", "2")) + entry(pair(rank="3"))
    assert len(both(several)[0]) == 3


def test_it_numbers_reused_ranks_anew_in_the_order_of_the_file():
    accessions = ["P62993", "P00533", "P12931", "Q9UBU9"]
    text = entry(*(pair(b=own, rank=rank) for own, rank in zip(accessions, "2112", strict=True)))
    found, repairs = read_repaired_run(text)
    assert [row[2] for row in found] == [3, 1, 2, 4]
    assert [repair.split(" ", 1)[1] for repair in repairs] == [
        "this result had rank 2, which was already used; its rank is now 3",
        "this result had rank 1, which was already used; its rank is now 2",
        "this result had rank 2, which was already used; its rank is now 4",
    ]
    assert [fault.split(" ", 1)[1] for fault in list_refusal_lines(text)] == [
        "R609 rank 1 of this article is already in line 1 - give each result of the article its own rank",
        "R609 rank 2 of this article is already in line 1 - give each result of the article its own rank",
    ]


def test_it_puts_results_without_a_rank_last():
    text = entry(pair(b="P62993", rank=""), pair(b="P00533", rank="4"), pair(b="P12931", rank="1st"))
    found, repairs = read_repaired_run(text)
    assert [row[2] for row in found] == [5, 4, 6]
    assert [repair.split(" ")[0].split(":")[2] for repair in repairs] == ["R644", "R606", "R644"]
    assert [fault.split(":")[2] for fault in faults(text)] == ["R644", "R606"]


def test_it_takes_a_rank_beside_the_only_result():
    found, repairs = both(entry(pair(rank=""), "<RANK>3</RANK>"))
    assert found[0][2] == 3
    assert repairs == ["<RANK> beside the result was read as its rank"]


def test_it_drops_repeats_and_swapped_pairs_and_keeps_the_best_rank():
    text = entry(pair("P62993", "P00533", "2")) + entry(pair("P00533", "P62993", "1"))
    found, repairs = read_repaired_run(text)
    assert found == [("11", ("P00533", "P62993"), 1)]
    said = "this result of the article is already in line 2, partners in any order, with rank 1; it was removed"
    assert repairs == [f"1:23:R608 {said}"]
    assert faults(text) == ["2:23:R608"]
    assert len(gold(text, repair=True)) == 1


def test_it_replaces_names_by_identifiers():
    text = entry(pair("GRB2_HUMAN", "p00533"), pair("grb2_human", "UniProtKB:P12931", "2"))
    found, repairs = both(text, identifier_by_name=NAMES)
    assert found == [("11", ("P00533", "P62993"), 1), ("11", ("P12931", "P62993"), 2)]
    assert repairs == [
        "“GRB2_HUMAN” was read as P62993",
        "“p00533” was read as P00533",
        "“grb2_human” was read as P62993",
        "“UniProtKB:P12931” was read as P12931",
    ]
    terms = entry(method("two hybrid"), method("0006", "2"), method("PSI-MI:0007", "3"))
    assert [row[1] for row in both(terms, "imt", identifier_by_name=NAMES)[0]] == ["MI:0018", "MI:0006", "MI:0007"]


def test_it_refuses_names_without_a_table():
    for mend in (False, True):
        assert list_refusal_lines(entry(pair("GRB2_HUMAN")), repair=mend) == [
            "run.xml:1:41: R642 “GRB2_HUMAN” is not a UniProt accession - write one such as Q08211, or have the file "
            "repaired: on the command line with --mend and --names FILE with a table of names and identifiers, on the "
            "site by the option of the upload"
        ]
        assert faults(entry(method("two hybrid")), "imt", repair=mend) == ["1:39:R643"]
    assert (
        "add the name and its identifier to the table of names"
        in list_refusal_lines(entry(pair("P53_HUMAN")), repair=True, identifier_by_name=NAMES)[0]
    )
    assert faults(entry(pair("GRB2_HUMAN")), repair=True, identifier_by_name={"GRB2_HUMAN": "GRB2"}) == ["1:41:R642"]


def test_it_reads_pmids_with_a_prefix():
    found, repairs = both(entry(pair(), pmid="PMID: 11"))
    assert found[0][0] == "11"
    assert repairs == ["“PMID: 11” was read as 11"]


def test_it_takes_several_passages_for_an_entry_each():
    text = passage("One.", more="<SENTENCE_RANK>2</SENTENCE_RANK><SENTENCE_PASSAGE>Two.</SENTENCE_PASSAGE>")
    found, repairs = both(text, "iss")
    assert [(row[1][2], row[2]) for row in found] == [("One.", 1), ("Two.", 2)]
    assert repairs == ["the 2 passages of this ENTRY were read as one ENTRY each"]


def test_it_leaves_out_entries_without_a_result():
    found, repairs = both(entry(pair()) + entry(pmid="12"))
    assert len(found) == 1
    assert repairs == ["ENTRY without a result was skipped"]
    assert read_repaired_run("<ENTRY></ENTRY>" + entry(pair()))[1] == ["1:1:R637 ENTRY without a result was skipped"]


def test_it_leaves_out_values_that_are_said_again():
    found, repairs = both(entry("<PMID>11</PMID>", pair()))
    assert len(found) == 1
    assert repairs == ["this <ENTRY> already has a <PMID> in line 1; this one was removed"]


def test_it_takes_unknown_names_of_the_subtask():
    found, repairs = both(entry("<PPI_SUB_TASK_ID>IPS</PPI_SUB_TASK_ID>", pair()))
    assert len(found) == 1
    assert repairs == ["“IPS” was read as BC2_PPI_IPS"]


@pytest.mark.parametrize(
    ("text", "task", "place"),
    [
        ('<?xml version="1.0" encoding="EBCDIC-CP-US"?>' + entry(pair()), "ipt", "1:1:R631"),
        ("<!DOCTYPE RUN SYSTEM 'x.dtd'>" + entry(pair()), "ipt", "1:1:R632"),
        (entry(pair()) + "<!-- and so on", "ipt", "2:1:R633"),
        (entry("<INTERACTOR_1>P62993</INTERACTOR_1>", pair()), "ipt", "1:23:R634"),
        (entry(pair()) + "<PMID>12</PMID>", "ipt", "2:1:R634"),
        (entry(pair(), "<RANK>1</RANK>", pair("P62993", rank="2")), "ipt", "1:144:R634"),
        (passage("They &nosuch; bind."), "iss", "1:185:R635"),
        (passage("They &#0; bind."), "iss", "1:185:R635"),
        (entry(pair(), pmid="1 2"), "ipt", "1:8:R636"),
        (entry("<INTERACTION_PAIR><INTERACTOR_1>P62993</INTERACTOR_1></INTERACTION_PAIR>"), "ipt", "1:23:R637"),
        (entry("<SENTENCE_PASSAGE>They bind.</SENTENCE_PASSAGE>"), "iss", "1:1:R637"),
        (passage(more="<SENTENCE_PASSAGE>Two.</SENTENCE_PASSAGE>"), "iss", "1:1:R638"),
        (entry(pair(), "<PMID>12</PMID>"), "ipt", "1:144:R638"),
        (entry(pair(), pmid=""), "ipt", "1:8:R636"),
        (entry(pair(b="")), "ipt", "1:76:R640"),
        (passage(""), "iss", "1:162:R640"),
        (passage("x" * 100_001), "iss", "1:162:R640"),
        (PUBLISHED, "ipt", "3:1:R641"),
        (PUBLISHED + PUBLISHED.replace("<RUN_NR> 1", "<RUN_NR> 2"), "iss", "21:1:R641"),
        (entry(pair("P629931")), "ipt", "1:41:R642"),
        (entry(method("MI:18")), "imt", "1:39:R643"),
        ("<html><p>Not found</p></html>", "ipt", "1:10:R634"),
        ("<RUN></RUN>", "ipt", "0:0:R646"),
    ],
)
def test_it_refuses_what_cannot_be_mended(text, task, place):
    assert place in faults(text, task)
    assert place in faults(text, task, repair=True) or place == "1:10:R634"


def test_it_refuses_rules_that_ask_for_confidences():
    for rules in (BC3_RULES, BC25_RULES):
        assert faults(entry(pair()), rules=rules) == ["0:0:R611"]
    assert faults(entry(pair()), expected_extra_columns=("rank", "confidence")) == ["0:0:R611"]
    assert faults(entry(pair(rank="")), expected_extra_columns=("rank",)) == ["1:23:R644"]


def test_it_has_no_judgements():
    with pytest.raises(RefusedFileError, match="R645"):
        gold(PUBLISHED, "iss")


@pytest.mark.parametrize("task", ["act", "gn", "tx", "gm"])
def test_it_has_nothing_for_other_tasks(task):
    with pytest.raises(ValueError, match=task):
        run(PUBLISHED, task)


def test_it_lists_all_faults_in_the_order_of_the_file():
    text = entry(pair("GRB2_HUMAN", rank="0"), pmid="") + entry("<X/>", pair("P62993", "", "1"), pair("P00533"))
    assert faults(text) == ["1:8:R636", "1:39:R642", "1:113:R606", "2:23:R634", "2:80:R640", "2:230:R609"]


def test_it_counts_what_is_beyond_a_thousand_faults_of_a_rule():
    text = "".join(entry(pair("GRB2_HUMAN"), pmid=str(number + 1)) for number in range(1001))
    listed = list_refusal_lines(text)
    assert len(listed) == 1001
    assert listed[-1] == "run.xml:0:0: R642 and 1 more of this rule - fix those above first"
    assert len(run(text, repair=True, identifier_by_name=NAMES).repairs) == 1001


def test_its_rules_are_in_the_manual():
    known = {rule.code for rule in FILE_RULES}
    assert known >= {f"R{number}" for number in (606, 608, 609, 611, 618, *range(631, 647))}
