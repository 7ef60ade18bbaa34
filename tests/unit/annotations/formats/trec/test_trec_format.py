"""Runs and judgements as TREC writes them: what is read, what is refused, and trec_eval's figures of each topic."""

from io import BytesIO

import pytest
import pytrec_eval

from annotations.formats.errors import RefusedFileError
from annotations.formats.trec.reader import read_relevant_trec_qrels, read_trec_run_ranked_by_score
from evaluation.commands.files.table_columns import convert_gold_table, convert_run_table
from evaluation.measures.lists.early_precision import break_even_precision, precision_at_rank, reciprocal_ranks
from evaluation.measures.lists.ranking import compute_f_ap_and_auc_ipr_per_article
from evaluation.measures.lists.scenarios import match_run_and_mark_hits

RUN = """\
101 Q0 P12830 1 14.5 demo
101 Q0 P35222 2 14.5 demo
101 Q0 Q9Y6K9 3 -2 demo
102 Q0 P04637 1 0.001 demo
102 Q0 P35222 2 1e-4 demo
104 Q0 P01375 7 3 demo
"""
QRELS = """\
101 0 P12830 1
101 0 Q9Y6K9 2
101 0 P35222 0
102 0 P35222 1
102 0 P99999 1
103 0 P04637 1
104 0 P01375 0
"""


def read_run_text(text, task="int"):
    return read_trec_run_ranked_by_score(BytesIO(text.encode()), task, "run.trec")


def read_qrels_text(text, task="int"):
    return read_relevant_trec_qrels(BytesIO(text.encode()), task, "gold.qrels")


def rows(table):
    items = [table.item.names[code] for code in table.item.codes]
    return list(zip([table.article.names[code] for code in table.article.codes], items, strict=True))


def faults(read, text, task="int"):
    with pytest.raises(RefusedFileError) as refusal:
        read(text, task)
    return [str(fault) for fault in refusal.value.faults]


def evaluate_by_trec_eval(run, qrels, measures):
    right = pytrec_eval.parse_qrel(qrels.splitlines())
    return pytrec_eval.RelevanceEvaluator(right, measures).evaluate(pytrec_eval.parse_run(run.splitlines()))


def test_it_reads_a_run_by_topic_and_docno():
    table = read_run_text(RUN)
    assert rows(table)[2:4] == [("101", "Q9Y6K9"), ("102", "P04637")]
    assert (len(table), table.confidence, table.warnings) == (6, None, [])


def test_equal_scores_stand_as_in_trec_eval_the_last_docno_first():
    assert read_run_text(RUN).rank.tolist() == [2, 1, 3, 1, 2, 1]


def test_scores_are_compared_in_single_precision_as_in_trec_eval():
    run = "1 Q0 a 1 16777217 x\n1 Q0 b 2 16777216 x\n1 Q0 c 3 0.1 x\n1 Q0 d 4 0.09999999999 x\n1 Q0 e 5 -1e300 x\n"
    assert read_run_text(run).rank.tolist() == [2, 1, 4, 3, 5]
    own = evaluate_by_trec_eval(run, "1 0 a 1\n", {"recip_rank"})
    assert own["1"]["recip_rank"] == 1 / 2


def test_scores_that_could_be_confidences_are():
    table = read_run_text("1 Q0 a 1 0.9 x\n1 Q0 b 2 1.0 x\n1 Q0 c 3 1e-9 x\n")
    assert table.confidence.tolist() == [0.9, 1.0, 1e-9]
    assert (table.rank.tolist(), table.extras) == ([2, 1, 3], ("rank", "confidence"))


@pytest.mark.parametrize("score", ["0", "1.5", "-0.5"])
def test_scores_are_no_confidences_when_one_could_be_none(score):
    assert read_run_text(f"1 Q0 a 1 0.9 x\n1 Q0 b 2 {score} x\n").confidence is None


def test_any_white_space_separates():
    text = "1\tQ0  a \t 1\v0.5\fx\r\n  1 Q0 b 2 0.4 x\r\n2   Q0\tc   1 7 x"
    assert rows(read_run_text(text)) == [("1", "a"), ("1", "b"), ("2", "c")]


def test_docnos_of_pairs_have_no_direction():
    table = read_run_text("1 Q0 P2:P1 1 9 x\n1 Q0 P1:P3 2 8 x\n2 Q0 P1:P2 1 7 x\n", "ipt")
    assert rows(table) == [("1", ("P1", "P2")), ("1", ("P1", "P3")), ("2", ("P1", "P2"))]


def test_an_empty_run_reports_nothing():
    assert len(read_run_text("")) == 0


def test_what_is_right_has_a_relevance_above_0():
    assert rows(read_qrels_text(QRELS)) == [
        *(("101", "P12830"), ("101", "Q9Y6K9"), ("102", "P35222"), ("102", "P99999"), ("103", "P04637"))
    ]
    assert rows(read_qrels_text("1 0 a 1\n1 0 b -2\n1 0 c 0\n")) == [("1", "a")]


def test_a_topic_without_a_right_docno_is_known():
    assert read_qrels_text(QRELS).article.names == ["101", "102", "103", "104"]


def test_the_figures_of_each_topic_are_those_of_trec_eval():
    """A topic without results is absent there, and a topic without a right docno has no figure here."""
    same_as_trec_eval(RUN, QRELS)


def test_the_figures_are_those_of_trec_eval_with_many_ties_and_ranks_that_say_nothing():
    """Of 60 topics; scores of a few levels, some apart only beyond single precision, docnos in no order."""
    topics, docnos = range(60), [f"{name}{n}" for n in range(8) for name in ("P", "Q", "p", "é", "A-")]
    run, qrels = [], []
    for topic in topics:
        for place, docno in enumerate(docnos):
            level = (place * 7 + topic * 3) % (2 + topic % 5)
            score = level * (1 + 1e-12 * (place % 3)) - topic % 4
            if (place + topic) % 4:
                run.append(f"{topic} Q0 {docno} 0 {score!r} x\n")
            if not (place * 5 + topic) % 3:
                qrels.append(f"{topic} 0 {docno} {(place + topic) % 2}\n")
    same_as_trec_eval("".join(run), "".join(qrels))


def same_as_trec_eval(run, qrels):
    depths = (5, 10, 15, 20, 30)
    theirs = evaluate_by_trec_eval(run, qrels, {"map", "P", "set_P", "set_recall", "recip_rank", "Rprec"})
    table = match_run_and_mark_hits(convert_gold_table(read_qrels_text(qrels)), convert_run_table(read_run_text(run)))
    means, ranked = compute_f_ap_and_auc_ipr_per_article(table.ranked), table.ranked
    own = {"map": means.ap, "set_P": means.precision, "set_recall": means.recall}
    own |= {"recip_rank": reciprocal_ranks(ranked), "Rprec": break_even_precision(ranked)}
    own |= {f"P_{k}": precision_at_rank(ranked, k) for k in depths}
    answered = [place for place, length in enumerate(ranked.lengths) if length]
    assert len(answered) > 1
    for name, values in own.items():
        expected = [theirs[table.gold_items.documents[place]][name] for place in answered]
        assert values[answered] == pytest.approx(expected, abs=1e-12), name


def test_every_fault_of_a_run_is_told_with_its_place():
    text = (
        "1 Q0 a 1 9 x\n"
        "1  Q0  a  2  8  x\n"
        "1 Q0 b 3 high x\n"
        "\n"
        "1 Q0 c 4 7\n"
        "\t1 Q0 d 5   nan x\n"
        "1 Q0 e 6 1_0 x\n"
        "1 Q0 f 7 1e999 x\n"
    )
    assert faults(read_run_text, text) == [
        "run.trec:2:8: R704 this docno of the topic is already in line 1 - keep one of the two",
        "run.trec:3:10: R702 “high” is not a score - write a finite number",
        "run.trec:4:1: R602 the line is blank - remove it",
        "run.trec:5:1: R701 columns: 5 - write 6: topic, Q0, docno, rank, score, tag, separated by white space",
        "run.trec:6:13: R702 “nan” is not a score - write a finite number",
        "run.trec:7:10: R702 “1_0” is not a score - write a finite number",
        "run.trec:8:10: R702 “1e999” is not a score - write a finite number",
    ]


def test_every_fault_of_judgements_is_told_with_its_place():
    text = "1 0 a 1\n1 0 b yes\n1 0 a 0\n1 0 c\n1 0 d 0.5\n"
    assert faults(read_qrels_text, text) == [
        "gold.qrels:2:7: R703 “yes” is not a relevance - write a whole number",
        "gold.qrels:3:5: R704 this docno of the topic is already in line 1 - keep one of the two",
        "gold.qrels:4:1: R701 columns: 3 - write 4: topic, iteration, docno, relevance, separated by white space",
        "gold.qrels:5:7: R703 “0.5” is not a relevance - write a whole number",
    ]


@pytest.mark.parametrize("text", ["", "1 0 a 0\n"])
def test_judgements_without_anything_relevant_are_refused(text):
    assert faults(read_qrels_text, text) == [
        "gold.qrels:0:0: R707 nothing is judged relevant - give relevant items a relevance of 1"
    ]


def test_pairs_are_refused_unless_both_partners_are_there():
    text = "1 Q0 P1:P2 1 9 x\n1 Q0 P1 2 8 x\n1 Q0 P1: 3 7 x\n1 Q0 P1:P2:P3 4 6 x\n1 Q0 P2:P1 5 5 x\n"
    mend = "is not a pair - write both partners as A:B"
    assert faults(read_run_text, text, "ipt") == [
        f"run.trec:2:6: R706 “P1” {mend}",
        f"run.trec:3:6: R706 “P1:” {mend}",
        f"run.trec:4:6: R706 “P1:P2:P3” {mend}",
        "run.trec:5:6: R704 this docno of the topic is already in line 1 - keep one of the two",
    ]


def test_ranks_against_the_scores_are_warned_of_once():
    [warning] = read_run_text("1 Q0 a 1 5 x\n1 Q0 b 2 6 x\n1 Q0 c 3 7 x\n2 Q0 a 1 9 x\n").warnings
    assert str(warning) == (
        "run.trec:2:10: R705 score “6” is higher than that of a better rank, and so are 1 more - only scores count; "
        "correct them if the ranks are right"
    )


@pytest.mark.parametrize("ranks", ["000", "111", "---", "123"])
def test_ranks_that_say_nothing_or_agree_are_not_warned_of(ranks):
    text = "".join(f"1 Q0 {name} {rank} {score} x\n" for name, rank, score in zip("abc", ranks, "986", strict=True))
    assert read_run_text(text).warnings == []


@pytest.mark.parametrize("task", ["act", "iss"])
def test_it_has_lists_of_identifiers_only(task):
    with pytest.raises(ValueError, match="lists of identifiers"):
        read_run_text(RUN, task)
