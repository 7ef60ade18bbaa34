"""Each rule of form: what breaks it, what does not, and what is said."""

import time

import pytest

from annotations.annotation_rules import list_broken_annotation_rules
from annotations.rule_registry import ANNOTATION_RULES
from annotations.schema import AnnotationData, Kind

TITLE = "Loss of CDH1 releases CTNNB1"
ABSTRACT = (
    "In mouse cells E-cadherin (CDH1) binds beta-catenin. α-catenin was\tnot\tneeded, nor was 𝛽-actin; TNF-α was."
)
TEXT = f"{TITLE}\n{ABSTRACT}"
BODY = len(TITLE) + 1


def codes(*findings, **options):
    return [rule.code for rule in list_broken_annotation_rules(findings, TEXT, len(TITLE), **options)]


def only(finding):
    """The one rule that the finding breaks."""
    (rule,) = list_broken_annotation_rules([finding], TEXT, len(TITLE))
    return rule


def mention(start, text, **values):
    return AnnotationData(Kind.MENTION, start=start, end=start + len(text), text=text, **values)


def protein(identifier="P12830", database="uniprot", **values):
    return AnnotationData(Kind.NORMALIZATION, database=database, identifier=identifier, **values)


def pair(a, b, database="uniprot", **values):
    return AnnotationData(Kind.PAIR, database=database, identifier=a, partner=b, **values)


def taxon(identifier):
    return AnnotationData(Kind.TAXON, database="ncbitaxon", identifier=identifier)


def method(identifier, **values):
    return AnnotationData(Kind.METHOD, database="psi-mi", identifier=identifier, **values)


def passage(text, a="P12830", b="P35222", **values):
    return AnnotationData(Kind.PASSAGE, database="uniprot", identifier=a, partner=b, text=text, **values)


def test_it_finds_nothing_wrong_with_good_annotations():
    assert not codes(
        mention(8, "CDH1", confidence=1.0),
        mention(BODY + 27, "CDH1", confidence=1e-9),
        mention(TEXT.index("α"), "α-catenin"),
        AnnotationData(Kind.MENTION, start=0, end=4),
        protein("P12830", confidence=0.5, rank=1, taxon=9606),
        protein("A0A024R1R8", rank=2),
        protein("P04637-2"),
        protein("999", "ncbigene"),
        taxon("9606"),
        AnnotationData(Kind.CLASSIFICATION, relevant=False, confidence=0.3),
        pair("P12830", "P35222"),
        pair("P12830", "P12830"),
        method("MI:0018"),
        passage("In mouse cells E-cadherin (CDH1) binds beta-catenin."),
        passage("α-catenin was not needed, nor was 𝛽-actin;"),
    )


@pytest.mark.parametrize("confidence", [0, 0.0, -0.5, 1.5, 1.0000001, float("nan"), float("inf")])
def test_it_wants_a_confidence_above_0_and_up_to_1(confidence):
    rule = only(protein(confidence=confidence))
    assert (rule.code, rule.where) == ("R101", "normalization[0].confidence")


def test_it_says_which_confidence_is_out_of_range():
    assert "1.5" in only(protein(confidence=1.5)).message
    assert "not a number" in only(protein(confidence=float("nan"))).message


@pytest.mark.parametrize("rank", [0, -1, 2**31])
def test_it_wants_ranks_from_1(rank):
    assert only(protein(rank=rank)).code == "R102"


def test_it_wants_each_rank_once_in_a_kind():
    broken = list_broken_annotation_rules(
        [protein(rank=1), method("MI:0018", rank=1), protein("P35222", rank=1)], TEXT, len(TITLE)
    )
    assert [(rule.code, rule.index) for rule in broken] == [("R103", 2)]


def test_it_wants_each_rank_of_passages_once_in_a_pair():
    assert not codes(passage("E-cadherin", rank=1), passage("E-cadherin", a="P04637", rank=1))
    assert codes(passage("E-cadherin", rank=1), passage("CDH1", rank=1)) == ["R103"]


@pytest.mark.parametrize(
    "finding",
    [
        mention(-1, "Loss"),
        mention(len(TEXT), "x"),
        mention(len(TEXT) - 1, "s."),
        mention(5, ""),
        AnnotationData(Kind.MENTION, start=9, end=4),
        AnnotationData(Kind.MENTION, start=2**31, end=2**31 + 1),
        AnnotationData(Kind.MENTION, text="CDH1"),
    ],
)
def test_it_wants_mentions_inside_the_text(finding):
    assert codes(finding) == ["R104"]


def test_it_says_how_long_the_text_is():
    assert f"the text has {len(TEXT)} characters" in only(mention(900, "CDH1")).message


def test_it_shows_what_the_article_has_instead():
    rule = only(mention(8, "TP53"))
    assert rule.code == "R105"
    assert 'The article has "CDH1" there, not "TP53".' in rule.message


WORD_STARTS = {word: TEXT.index(word) for word in ("E-cadherin", "CTNNB1", "TNF-α", "was\tnot", "not\tneeded")}


@pytest.mark.parametrize(
    ("start", "text", "cause"),
    [
        (9, "CDH1", "count from 1 instead of 0"),
        (WORD_STARTS["E-cadherin"] + 1, "E-cadherin", "count from 1, or to include two characters between"),
        (WORD_STARTS["E-cadherin"] - 1, "E-cadherin", "omit the newline between title and abstract"),
        (WORD_STARTS["E-cadherin"] - BODY, "E-cadherin", "omit the title"),
        (WORD_STARTS["E-cadherin"] + BODY, "E-cadherin", "include the title although"),
        (len(TEXT[: WORD_STARTS["TNF-α"]].encode()), "TNF-α", "count bytes"),
        (BODY + len(TEXT[BODY : WORD_STARTS["TNF-α"]].encode()), "TNF-α", "count bytes"),
        (WORD_STARTS["was\tnot"], "was not", "white space seems to have been normalized"),
        (WORD_STARTS["TNF-α"], "TNF-Î±", "an encoding other than UTF-8"),
        (8, "cdh1", "case seem to have been changed"),
        (15, "CDH1", "has this text at character 8, 7 characters earlier"),
        (15, "TP53", "does not contain this text"),
    ],
)
def test_it_guesses_why_a_position_is_wrong(start, text, cause):
    assert cause in only(mention(start, text)).message


def test_it_guesses_that_utf16_units_were_counted():
    article = "𝛽𝛽𝛽 and CDH1"
    (rule,) = list_broken_annotation_rules([mention(article.index("CDH1") + 3, "CDH1")], article, 3)
    assert "UTF-16" in rule.message


def test_it_guesses_that_the_end_is_inclusive():
    rule = only(AnnotationData(Kind.MENTION, start=8, end=11, text="CDH1"))
    assert "The end seems to be the mention's last character" in rule.message
    # Of one character nothing is left.
    letter = only(AnnotationData(Kind.MENTION, start=0, end=0, text="L"))
    assert (letter.code, letter.message.partition(".")[0]) == ("R104", "The mention is empty")
    assert "The end seems to be the mention's last character" in letter.message


# Of one mention behind a character of several bytes one cannot tell how it was counted, of several one can.
COUNTED_TEXT = "Is 𝛼-catenin CDH1 or β-catenin CTNNB1"
NAMES = ("Is", "CDH1", "CTNNB1")


@pytest.mark.parametrize(
    ("count", "cause"),
    [
        (lambda before: len(before.encode()), "count bytes"),
        (lambda before: len(before.encode("utf-16-le")) // 2, "count UTF-16 code units"),
        (lambda before: len(before) + 1, "count from 1"),
    ],
)
def test_it_guesses_the_cause_that_explains_most_of_the_mentions(count, cause):
    said = [mention(count(COUNTED_TEXT[: COUNTED_TEXT.index(name)]), name) for name in NAMES]
    broken = list_broken_annotation_rules(said, COUNTED_TEXT, 17)
    assert len(broken) >= 2
    assert all(cause in rule.message for rule in broken)


def test_it_guesses_rather_that_who_has_nothing_right_counts_from_1():
    article = "𝛼-catenin CDH1 CTNNB1"
    broken = list_broken_annotation_rules(
        [mention(article.index(name) + 1, name) for name in ("CDH1", "CTNNB1")], article, 9
    )
    assert all("count from 1" in rule.message for rule in broken)


def test_it_guesses_that_an_answer_is_of_another_article():
    broken = list_broken_annotation_rules(
        [mention(0, "BRCA1"), mention(900, "RAD51"), protein("P12830")], TEXT, BODY - 1
    )
    assert [(rule.code, rule.index, rule.where) for rule in broken] == [
        ("R107", 0, "mention[0].text"),
        ("R107", 1, "mention[1].text"),
    ]
    assert 'Neither "BRCA1" nor any other mention of the answer' in broken[0].message


@pytest.mark.parametrize(
    "others", [[], [mention(3, "BRCA1")], [mention(9, "CDH1")], [mention(0, "cdh1 gene")], [mention(0, "of")]]
)
def test_it_takes_no_answer_for_one_of_another_article_too_early(others):
    assert "R107" not in [
        rule.code for rule in list_broken_annotation_rules([mention(0, "BRCA1"), *others], TEXT, BODY - 1)
    ]


def test_it_guesses_that_runs_of_white_space_were_shrunk():
    article = "Loss   of   CDH1"
    (rule,) = list_broken_annotation_rules([mention(len("Loss of "), "CDH1")], article, 0)
    assert "white space seems to have been normalized" in rule.message


def test_it_guesses_the_cause_of_a_position_outside_the_text():
    article = "α" * 50 + "CDH1"
    (rule,) = list_broken_annotation_rules([mention(100, "CDH1")], article, 0)
    assert rule.code == "R104"
    assert "count bytes" in rule.message


@pytest.mark.parametrize("character", ["\0", "\x07", "\x7f", "\ud800"])
def test_it_refuses_characters_that_no_text_may_hold(character):
    rule = only(AnnotationData(Kind.MENTION, start=0, end=4, type=f"gene{character}"))
    assert rule.code == "R106"
    assert f"U+{ord(character):04X}" in rule.message
    assert "R106" in codes(protein(f"P12830{character}"))


@pytest.mark.parametrize(
    "finding", [protein(database="mesh"), protein(database=""), pair("P12830", "P35222", "string")]
)
def test_it_refuses_a_database_that_nobody_knows(finding):
    assert only(finding).code == "R110"


@pytest.mark.parametrize(
    "identifier", ["p12830", "P1283", "P12830.2", "UniProt:P12830", " P12830", "CDH1", "", "P12830-"]
)
def test_it_wants_uniprot_accessions(identifier):
    assert only(protein(identifier)).code == "R111"
    assert only(pair("P12830", identifier)).code == "R111"


def test_it_tells_to_map_entry_names():
    rule = only(protein("P53_HUMAN"))
    assert (rule.code, rule.where) == ("R112", "normalization[0].identifier")
    assert "entry name" in rule.message
    assert "Map" in rule.mend


@pytest.mark.parametrize("identifier", ["CDH1", "0", "-1", "9.0", "٣", "9" * 13, "GeneID:999"])
def test_it_wants_gene_numbers(identifier):
    assert only(protein(identifier, "ncbigene")).code == "R113"


@pytest.mark.parametrize("identifier", ["human", "0", "-9606", "9606.0"])
def test_it_wants_taxonomy_numbers(identifier):
    assert only(taxon(identifier)).code == "R114"


@pytest.mark.parametrize("number", [0, -1, 2**31])
def test_it_wants_a_taxonomy_number_for_the_organism_of_a_gene(number):
    assert only(protein(taxon=number)).code == "R115"


@pytest.mark.parametrize("identifier", ["18", "MI:18", "MI:00018", "mi:0018", "two hybrid", ""])
def test_it_wants_psi_mi_identifiers(identifier):
    assert only(method(identifier)).code == "R116"


def test_it_wants_each_annotation_once():
    broken = list_broken_annotation_rules(
        [mention(8, "CDH1"), protein(), mention(8, "CDH1", confidence=0.5)], TEXT, len(TITLE)
    )
    assert [(rule.code, rule.index) for rule in broken] == [("R120", 2)]


def test_it_takes_a_swapped_pair_for_the_same():
    broken = list_broken_annotation_rules([pair("P12830", "P35222"), pair("P35222", "P12830")], TEXT, len(TITLE))
    assert [(rule.code, rule.index) for rule in broken] == [("R120", 1)]
    assert "pairs have no direction" in broken[0].message


def test_it_wants_one_classification():
    yes, no = (AnnotationData(Kind.CLASSIFICATION, relevant=relevant) for relevant in (True, False))
    assert codes(yes, no) == ["R120"]


def test_it_counts_no_further_than_it_is_told():
    proteins = [protein("P12830"), protein("P35222"), protein("P04637")]
    assert codes(*proteins, method("MI:0018"), max_per_kind=2) == ["R121"]
    assert not codes(*proteins, max_per_kind=3)


def test_it_wants_at_most_five_passages_of_a_pair():
    words = [passage(word) for word in ("In", "mouse", "cells", "E-cadherin", "binds", "CDH1")]
    broken = list_broken_annotation_rules([*words, passage("CTNNB1", a="P04637")], TEXT, len(TITLE))
    assert [(rule.code, rule.index) for rule in broken] == [("R122", 5)]


def test_it_wants_passages_letter_by_letter_but_for_white_space():
    assert not codes(passage("releases CTNNB1 In mouse"), passage("  was not\nneeded,  nor"))
    rule = only(passage("E-cadherin binds beta-catenin."))
    assert (rule.code, rule.where) == ("R123", "passage[0].text")
    assert rule.message == 'The article does not contain the passage "E-cadherin binds beta-catenin.".'
    assert codes(passage("")) == codes(passage("e-cadherin")) == ["R123"]


def test_it_takes_passages_that_differ_in_white_space_for_the_same():
    assert codes(passage("was not needed"), passage("was\tnot needed", a="P35222", b="P12830")) == ["R120"]


def test_it_wants_at_most_three_sentences_in_a_passage():
    kept = "Cadherin binds catenin, e.g. in E. coli. Src binds Abl. It binds Grb2 (Fig. 2)."
    cut = f"{kept} Ras binds Raf."
    text = f"A title\n{cut}"
    broken = list_broken_annotation_rules([passage(kept), passage(cut)], text, 7)
    assert [(rule.code, rule.index) for rule in broken] == [("R124", 1)]


def test_it_names_places_as_the_protocol_does():
    findings, places = [protein(confidence=2.0), mention(9, "CDH1")], ["normalizations[7]", "mentions[0]"]
    names = {(Kind.MENTION, "start"): "offset"}
    broken = list_broken_annotation_rules(findings, TEXT, len(TITLE), locations=places, field_names=names)
    assert [rule.where for rule in broken] == ["normalizations[7].confidence", "mentions[0].offset"]


def test_it_quotes_hostile_text_on_one_line_and_cut():
    message = only(protein("evil\n\u202e" + "x" * 1000)).message
    assert len(message) < 300
    assert message.isprintable()


def test_it_describes_every_rule():
    assert list(ANNOTATION_RULES) == sorted(ANNOTATION_RULES)
    for code, rule in ANNOTATION_RULES.items():
        assert rule.code == code
        assert rule.title.endswith(".")
        assert rule.hint.endswith(".")


def test_it_takes_linear_time():
    article = "é" * 25_000
    findings = [mention(at, f"zz{at}", confidence=2.0, rank=1) for at in range(20_000)]
    started = time.perf_counter()
    assert len(list_broken_annotation_rules(findings, article, 50)) == 59_999
    assert time.perf_counter() - started < 15
