"""Gene mentions as BioCreative II writes them: places, faults with line and column, what stands twice."""

from io import BytesIO

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.formats.gene_eval.reader import read_alternative_spans_by_sentence, read_distinct_gene_mentions
from annotations.formats.rules import FILE_RULES


def mentions(table):
    return [
        (table.article.names[sentence], *table.item.names[place])
        for sentence, place in zip(table.article.codes.tolist(), table.item.codes.tolist(), strict=True)
    ]


def read_eval_text(text, role="run"):
    return read_distinct_gene_mentions(BytesIO(text.encode()), "run.eval", role)


def list_refused_faults(text, role="run", reader=None):
    with pytest.raises(RefusedFileError) as refusal:
        (reader or (lambda stream, source: read_distinct_gene_mentions(stream, source, role)))(
            BytesIO(text.encode()), "run.eval"
        )
    return [(fault.line, fault.column, fault.rule) for fault in refusal.value.faults]


def test_it_reads_places_with_their_last_character():
    table = read_eval_text("P1T0|14 33|alkaline phosphatases\nP1T0|37 50|5-nucleotidase\nP2A4|0 0|x\n")
    assert mentions(table) == [("P1T0", 14, 34), ("P1T0", 37, 51), ("P2A4", 0, 1)]
    assert (table.extras, list(table.warnings)) == ((), [])


@pytest.mark.parametrize("text", ["P1|3 5|a|b", "P1|3 5|", "P1|3 5", "P1|3 5|α\tβ\r\n", "  P1|3 5|x  \n"])
def test_it_takes_any_text_or_none(text):
    assert mentions(read_eval_text(text)) == [("P1", 3, 6)]


def test_it_reads_lines_of_a_sentence_anywhere():
    assert mentions(read_eval_text("P1|3 5|a\nP2|0 1|b\nP1|0 1|c\n")) == [("P1", 3, 6), ("P2", 0, 2), ("P1", 0, 2)]


def test_it_tells_all_faults_with_line_and_column():
    text = "\ufeffP1|3 5|a\n\nP1 3 5\n|3 5|a\nP1|5 3|a\nP1|x 3|a\nP1|3  5|a\nP1|-1 5|a\nP1|1.0 5|a\nP1|03 5|a\nP1||\n"
    assert list_refused_faults(text) == [
        (1, 1, "R601"),
        (2, 1, "R602"),
        (3, 1, "R691"),
        (4, 1, "R604"),
        (5, 4, "R693"),
        *((line, 4, "R692") for line in range(6, 12)),
    ]
    assert {"R691", "R692", "R693", "R694"} <= {rule.code for rule in FILE_RULES}


def test_it_quotes_what_is_wrong_and_says_how_to_mend_it():
    with pytest.raises(RefusedFileError) as refusal:
        read_eval_text("P1|3-5|a\n")
    assert str(refusal.value) == (
        "run.eval:1:4: R692 “3-5” is not a position - write two whole numbers from 0 separated by one space"
    )


def test_it_lists_a_thousand_faults_of_a_rule_and_the_number_of_the_others():
    faults = list_refused_faults("P1|a b|\n" * 1_500 + "P1\n")
    assert len(faults) == 1_002
    assert faults[-2:] == [(1_501, 1, "R691"), (0, 0, "R692")]


def test_it_counts_a_mention_once_and_warns_of_the_other():
    table = read_eval_text("P1|3 5|a\nP2|3 5|a\n\nP1|3 5|a b".replace("\n\n", "\n"))
    assert mentions(table) == [("P1", 3, 6), ("P2", 3, 6)]
    assert [(own.line, own.column, own.rule) for own in table.warnings] == [(3, 4, "R694")]
    assert "already in line 1" in table.warnings[0].message


def test_it_refuses_an_empty_gold_standard_and_takes_an_empty_run():
    assert list_refused_faults("", "gold") == [(0, 0, "R610")]
    assert len(read_eval_text("")) == 0


def test_it_reads_alternatives_that_stand_at_one_place():
    accepted = read_alternative_spans_by_sentence(
        BytesIO(b"P1|3 5|a\nP1|3 5|a b\nP1|0 5|c\nP2|1 1|d\n"), "ALTGENE.eval"
    )
    assert accepted == {"P1": {(3, 6), (0, 6)}, "P2": {(1, 2)}}
    assert list_refused_faults("P1|3|a\n", reader=read_alternative_spans_by_sentence) == [(1, 4, "R692")]
