"""Runs and gold standards as tab-separated values: what is read, and every fault with its place."""

from io import BytesIO

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.formats.rules import FILE_RULES
from annotations.formats.tsv.result_reader import BC3_RULES, BC25_RULES, LIBRARY_RULES, read_tsv_gold, read_tsv_run

KNOWN = frozenset({"d1", "d2"})


def run(text, task="int", **options):
    content = text if isinstance(text, bytes) else text.replace(" ", "\t").encode()
    return read_tsv_run(BytesIO(content), task, "run", **options)


def gold(text, task="int"):
    return read_tsv_gold(BytesIO(text.replace(" ", "\t").encode()), task, "gold")


def faults(text, task="int", **options):
    with pytest.raises(RefusedFileError) as refused:
        run(text, task, **options)
    return [(fault.line, fault.column, fault.rule) for fault in refused.value.faults]


def read_run_refusal(text, task="int", **options):
    with pytest.raises(RefusedFileError) as refused:
        run(text, task, **options)
    return str(refused.value)


def rows(table):
    articles = [table.article.names[code] for code in table.article.codes]
    items = [table.item.names[code] for code in table.item.codes]
    return list(zip(articles, items, strict=True))


def test_it_reads_lines_in_any_order():
    table = run("d1 P1 1 0.5\nd2 P2 1 1\nd1 P2 2 1e-320\n")
    assert rows(table) == [("d1", "P1"), ("d2", "P2"), ("d1", "P2")]
    assert table.rank.tolist() == [1, 1, 2]
    assert table.confidence.tolist() == [0.5, 1.0, 1e-320]


def test_it_trims_lines_but_not_what_is_between_tabs():
    table = run(b"\t d1\tP1\t 1 \t\t\r\nd2 \tP1\t+2\r\nd2\tP 1\t3\v\f", expected_extra_columns=("rank",))
    assert rows(table) == [("d1", "P1"), ("d2 ", "P1"), ("d2", "P 1")]
    assert table.rank.tolist() == [1, 2, 3]
    assert [(own.line, own.column, own.rule) for own in table.warnings] == [(2, 1, "R614")]


def test_it_takes_cr_alone_for_no_line_end():
    assert rows(run(b"d1\tP\r1\n")) == [("d1", "P\r1")]


def test_it_keeps_bytes_that_are_no_text():
    assert rows(run(b"d1\tP\xff\n")) == [("d1", "P\udcff")]


def test_it_reads_blocks_of_any_size_alike(monkeypatch):
    text = "".join(f"d{n % 7} P{n} {n + 1} 0.{n + 1}\n" for n in range(90)) + "d1 P1 91\n\nd1 P1 92 0.92"
    whole = faults(text)
    for size in (1, 7, 64):
        monkeypatch.setattr("annotations.formats.tsv.lines.LINE_BLOCK_BYTES", size)
        assert faults(text) == whole == [(91, 1, "R603"), (92, 1, "R602"), (93, 4, "R608")]


def test_it_reads_undirected_pairs():
    assert rows(run("d1 P2 P1\nd1 P3 P3\n", "ipt")) == [("d1", ("P1", "P2")), ("d1", ("P3", "P3"))]


def test_it_reads_passages():
    table = run(b"d1\tP2\tP1\tThey bind.\t1\n", "iss")
    assert rows(table) == [("d1", ("P1", "P2", "They bind."))]
    assert table.extras == ("rank",)


def test_it_reads_judgements():
    table = gold("d1 P1 P2 text 1 0\nd1 P1 P2 other 1 1\n", "iss")
    assert (table.relevant.tolist(), table.best.tolist()) == ([True, True], [False, True])


@pytest.mark.parametrize("label", ["1", "true", "T", "y", "+", " 1 ", "01", "+1"])
def test_it_reads_relevant(label):
    assert run(f"d1\t{label}\n".encode(), "act", expected_extra_columns=()).relevant.tolist() == [True]


@pytest.mark.parametrize("label", ["0", "False", "f", "N", "-", "-0"])
def test_it_reads_irrelevant(label):
    assert gold(f"d1 {label}\n", "act").relevant.tolist() == [False]


@pytest.mark.parametrize("label", ["yes", "1.0", "2", "-1", "", "true ", "١"])
def test_it_refuses_other_classes(label):
    assert faults(f"d1\t{label}\t1\n".encode(), "act", expected_extra_columns=("rank",)) == [(1, 4, "R605")]


@pytest.mark.parametrize(
    ("text", "task", "extras"),
    [
        ("d1 P1\nd2 P1\n", "int", ()),
        ("d1 P1 1 1\n", "int", ("rank", "confidence")),
        ("d1 P1 3\nd1 P2 1\nd2 P1 1\n", "int", ("rank",)),
        ("d1 P1 1\nd1 P2 1\n", "int", ("confidence",)),
        ("d1 P1 1\nd1 P2 0.5\n", "int", ("confidence",)),
        ("d1 1 1\nd2 0 1\n", "act", ("rank",)),
        ("d1 1 1\nd2 1 1\n", "act", ("confidence",)),
        ("", "int", ()),
    ],
)
def test_it_finds_the_columns(text, task, extras):
    assert run(text, task).extras == extras


def test_it_looks_for_ranks_among_known_articles():
    assert run("u P1 2\nu P2 2\nd1 P1 2\n", repeat_checked_articles=KNOWN).extras == ("rank",)


def test_it_takes_one_column_for_the_confidence_where_the_rules_need_one():
    assert run("d1 P1 1\n", rules=BC3_RULES).extras == ("confidence",)


def test_it_says_when_confidences_look_like_ranks():
    text = read_run_refusal("d1 P1 2\nd1 P2 2\n")
    assert text.splitlines()[0] == (
        "run:1:7: R607 “2” is not a confidence - write a number above 0 and at most 1, or give each result of an "
        "article its own rank if these are ranks"
    )


@pytest.mark.parametrize("rank", ["0", "-1", "1.0", "1_0", "x", "1e0", "١", "0x1", "1 2", "9" * 5000])
def test_it_refuses_other_ranks(rank):
    assert faults(f"d1\tP1\t{rank}\n".encode(), expected_extra_columns=("rank",)) == [(1, 7, "R606")]


def test_it_keeps_the_order_of_huge_ranks():
    table = run(f"d1 P1 {10**30}\nd1 P2 7\nd1 P3 {10**29}\nd2 P1 {10**30}\n")
    assert table.rank.argsort(kind="stable").tolist() == [1, 2, 0, 3]
    assert table.rank[0] == table.rank[3]


def test_it_refuses_a_huge_rank_twice():
    assert faults(f"d1 P1 {10**30}\nd1 P2 {10**30}\n", expected_extra_columns=("rank",)) == [(2, 7, "R609")]


@pytest.mark.parametrize("value", ["0", "1.01", "-0.5", "nan", "inf", "1e-400", "1_0e-2", "x", "0.٥", "0,5", "+", "."])
def test_it_refuses_other_confidences(value):
    assert faults(f"d1\tP1\t{value}\n".encode(), expected_extra_columns=("confidence",)) == [(1, 7, "R607")]


@pytest.mark.parametrize("value", ["1.", ".5", "5E-1", "+0.5", " 0.5"])
def test_it_reads_numbers_as_they_are_written(value):
    assert run(f"d1\tP1\t{value}\n".encode(), expected_extra_columns=("confidence",)).confidence.tolist() == [
        float(value)
    ]


def test_it_tells_every_fault_of_a_file():
    text = "d1\tP1\t1\t0.5\n\nd1\tP1\t2\t0.5\nd1\tP2\t2\t2\nd2\t\t0\t0.5\nd2\tP3\n"
    assert faults(text.encode()) == [
        (2, 1, "R602"),
        (3, 4, "R608"),
        (4, 7, "R609"),
        (4, 9, "R607"),
        (5, 4, "R604"),
        (5, 5, "R606"),
        (6, 1, "R603"),
    ]


def test_it_says_what_is_wrong_and_how_to_mend_it():
    assert read_run_refusal("d1 P1 1 0.5\nd1 P2 1 0.4\n") == (
        "run:2:7: R609 rank “1” of this article is already in line 1 - give each result of the article its own rank"
    )


def test_it_counts_columns_in_characters():
    assert faults("dé\tP1\t0\t1\n".encode()) == [(1, 7, "R606")]


def test_it_numbers_what_is_beyond_a_thousand_faults():
    refused = read_run_refusal(
        "".join(f"d{n} P1 2\n" for n in range(2500)), expected_extra_columns=("confidence",)
    ).splitlines()
    assert len(refused) == 1001
    assert refused[-1] == "run:0:0: R607 and 1,500 more of this rule - fix those above first"


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("d1 P1\nd1 P1\n", "int"),
        ("d1 P1 P2\nd1 P2 P1\n", "ipt"),
        ("d1 1\nd1 0\n", "act"),
        ("d1 A B x\nd1 B A x", "iss"),
    ],
)
def test_it_refuses_what_is_said_twice(text, task):
    assert [(line, rule) for line, _, rule in faults(text, task)] == [(2, "R608")]


def test_it_lets_unknown_articles_repeat_themselves():
    table = run("u P1 1\nu P1 1\nd1 P1 1\n", repeat_checked_articles=KNOWN, expected_extra_columns=("rank",))
    assert len(table) == 3


@pytest.mark.parametrize("rules", [BC25_RULES, BC3_RULES])
def test_it_checks_unknown_articles_by_strict_rules(rules):
    text = "u P1 1 0.5\nu P1 2 0.4\n"
    assert faults(text, repeat_checked_articles=KNOWN, rules=rules) == [(2, 3, "R608")]


def test_it_lets_ranks_be_equal_when_lines_count():
    assert len(run("d1 P1 1 1\nd1 P2 1 1\n", allow_repeated_ranks=True)) == 2
    assert faults("d1 P1 1 1\nd1 P2 1 1\n", allow_repeated_ranks=True, rules=BC25_RULES) == [(2, 7, "R609")]


def test_it_lets_a_positive_and_a_negative_call_share_a_rank():
    assert len(run("d1 1 1 1\nd2 0 1 1\n", "act")) == 2
    assert faults("d1 1 1 1\nd2 1 1 1\n", "act") == [(2, 6, "R609")]


def test_it_says_where_a_result_stands_already():
    said = "this result of the article is already in line 1"
    assert read_run_refusal("d1 A\nd1 A\n") == f"run:2:4: R608 {said} - keep one of the two"
    assert (
        read_run_refusal("d1 A B\nd1 B A\n", "ipt")
        == f"run:2:4: R608 {said}, partners in any order - keep one of the two"
    )


def test_it_ranks_passages_within_a_pair():
    assert len(run("d1 A B x 1\nd1 A C x 1\n", "iss", expected_extra_columns=("rank",))) == 2
    assert faults("d1 A B x 1\nd1 B A y 1\n", "iss", expected_extra_columns=("rank",)) == [(2, 10, "R609")]


def test_it_allows_gaps_but_not_in_bc25():
    text = "d1 P1 2 0.9\nd1 P2 4 0.8\nd2 P1 1 0.9\nd2 P2 2 0.8\n"
    assert len(run(text)) == 4
    assert faults(text, rules=BC25_RULES) == [(1, 7, "R612"), (2, 7, "R612")]


def test_it_looks_for_gaps_in_each_class():
    assert faults("d1 1 1 0.9\nd2 0 1 0.8\nd3 0 3 0.7\n", "act", rules=BC25_RULES) == [(3, 6, "R612")]


def test_it_does_not_ask_for_a_gap_behind_another_fault():
    assert faults("d1 P1 1 0.9\nd1 P2 1 0.8\nd1 P3 4 0.7\n", rules=BC25_RULES) == [(2, 7, "R609")]


def test_it_warns_of_rising_confidence_in_bc25_only():
    text = "d1 P1 2 0.9\nd1 P2 1 0.8\nd2 P1 1 0.7\n"
    assert [(own.line, own.column, own.rule) for own in run(text, rules=BC25_RULES).warnings] == [(1, 9, "R613")]
    assert run(text).warnings == []


@pytest.mark.parametrize(
    ("rules", "text", "lacking"),
    [
        (BC25_RULES, "d1 P1\n", ["rank", "confidence"]),
        (BC25_RULES, "d1 P1 0.5\n", ["rank"]),
        (BC25_RULES, "d1 P1 1\nd1 P2 2\n", ["confidence"]),
        (BC3_RULES, "d1 P1 1\nd1 P2 2\n", ["confidence"]),
        (BC3_RULES, "d1 P1 1\nd2 P2 1\n", []),
        (BC3_RULES, "d1 P1\n", ["confidence"]),
        (BC3_RULES, "d1 P1 0.5\n", []),
        (BC3_RULES, "d1 P1 1 0.5\n", []),
        (BC25_RULES, "", []),
        (LIBRARY_RULES, "d1 P1\n", []),
    ],
)
def test_it_asks_for_the_columns_of_the_rules(rules, text, lacking):
    if not lacking:
        assert run(text, rules=rules) is not None
        return
    lines = [f"run:0:0: R611 there is no {name} column - add it, as the rules {rules.name} require" for name in lacking]
    assert read_run_refusal(text, rules=rules).splitlines() == lines


def test_it_refuses_more_or_fewer_columns_than_told():
    assert faults("d1 P1 1 0.5\n", expected_extra_columns=("rank",)) == [(1, 1, "R603")]
    assert faults("d1 P1\n", expected_extra_columns=("rank",)) == [(1, 1, "R603")]
    assert faults("d1 P1\n", "ipt") == [(1, 1, "R603")]


def test_it_ignores_columns_after_rank_and_confidence_as_the_library_does():
    """The official library cuts lines off there; only files of the library's rules may have more columns."""
    text = "d1 P1 1 0.5 a note\nd1 P2 2 0.4\nd2 P1 1 0.3 x\n"
    table = run(text.encode() if isinstance(text, bytes) else text)
    assert rows(table) == rows(run("d1 P1 1 0.5\nd1 P2 2 0.4\nd2 P1 1 0.3\n"))
    assert [(fault.line, fault.rule, fault.message) for fault in table.warnings] == [
        (1, "R630", "lines with columns after the confidence, which are ignored: 2")
    ]
    assert rows(run("d1 A B 1 0.5 x\n", task="ipt")) == rows(run("d1 A B 1 0.5\n", task="ipt"))
    for rules in (BC25_RULES, BC3_RULES):
        assert (1, 1, "R603") in faults("d1 P1 1 0.5 x\nd1 P2 2 0.4\nd2 P1 1 0.3\n", rules=rules)
    assert faults("d1 P1 0.5 x\n", expected_extra_columns=("confidence",)) == [(1, 1, "R603")]


def test_it_refuses_a_byte_order_mark():
    assert faults(b"\xef\xbb\xbfd1\tP1\n") == [(1, 1, "R601")]


@pytest.mark.parametrize(
    ("text", "task", "rule"),
    [
        ("", "int", "R610"),
        ("d1 P1 1\n", "int", "R603"),
        ("d1\n", "int", "R603"),
        ("d1 P1\n\n", "int", "R602"),
        ("d1 P1 P2 P3\n", "ipt", "R603"),
        ("d1 2\n", "act", "R605"),
        ("d1 1\nd1 1\n", "act", "R608"),
        ("d1 A B x 1 2\n", "iss", "R605"),
    ],
)
def test_it_refuses_a_faulty_gold_standard(text, task, rule):
    with pytest.raises(RefusedFileError) as refused:
        gold(text, task)
    assert [fault.rule for fault in refused.value.faults] == [rule]


def test_the_manual_has_every_rule():
    codes = [rule.code for rule in FILE_RULES]
    assert len(codes) == len(set(codes))
    assert {f"R6{number:02}" for number in range(1, 18)} <= set(codes)
