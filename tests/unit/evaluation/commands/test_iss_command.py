"""`python -m evaluation` for evidence passages: judgements by pooling, intervals, tests, which options it takes."""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluation.__main__ import main
from evaluation.analyses.significance.passage_tests import (
    PASSAGE_FIGURES,
    bootstrap_passage_intervals,
    compute_passage_figure_per_sample,
    run_paired_passage_tests,
)
from evaluation.measures.passages import Verdict, build_passage_count_table_by_article, compute_passage_figures

# Article 1: two pairs, the best passage of the first is known twice over; article 2: nothing is best; article 3: one.
JUDGED = """\
1\tP1\tP2\tA binds B.\t1\t1
1\tP1\tP2\tA and B interact.\t1\t1
1\tP1\tP2\tA and B are proteins.\t0\t0
1\tP3\tP4\tC forms D.\t1\t1
2\tP1\tP2\tNothing is said.\t0\t0
3\tP5\tP6\tE binds F.\t1\t1
"""
# The pair may be turned; a passage that nobody judged; a pair and an article that nobody judged.
RUN = """\
1\tP2\tP1\tA and B are proteins.\t1
1\tP1\tP2\tA and B interact.\t2
1\tP3\tP4\tC is old.\t1
2\tP1\tP2\tNothing is said.\t1
3\tP5\tP7\tE binds G.\t1
9\tP5\tP6\tE binds F.\t1
"""
BETTER = """\
1\tP1\tP2\tA binds B.\t1
1\tP3\tP4\tC forms D.\t1
2\tP1\tP2\tNothing is said.\t1
3\tP5\tP6\tE binds F.\t1
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"judged": JUDGED, "run": RUN, "better": BETTER, "empty": ""}.items():
        Path(name).write_text(text)


def run_command_line(line):
    return main(line.split())


@pytest.fixture
def said(capsys):
    """What a command prints as JSON."""

    def call(line):
        assert run_command_line(f"{line} --format json") == 0
        return json.loads(capsys.readouterr().out)

    return call


def test_it_scores_passages_against_judgements(said):
    """Two of three pairs with a best passage have no reciprocal rank, the other has it at the second place."""
    own = said("score --task iss run judged")["runs"][0]
    assert own["figures"] == {
        "submitted": 4,
        "relevant": 1,
        "relevant_share": 1 / 4,
        "pairs": 3,
        "mrr": pytest.approx(1 / 6, abs=1e-15),
        "unjudged": 1,
        "unknown": 2,
    }
    assert (own["documents"], own["answered"], own["results"]) == (3, 3, 6)
    assert (own["unknown_document_names"], own["undefined"], own["reasons"]) == (["9"], [], {})


def test_it_scores_several_runs_and_says_what_was_asked(said):
    runs = said("score --task iss run better judged --order rank")["runs"]
    assert [own["figures"]["mrr"] for own in runs] == [pytest.approx(1 / 6), 1]
    assert runs[1]["signature"].startswith("iss|profile:bc3|rules:library|columns:rank|order:rank|gold:sha256:")


def test_an_empty_run_has_submitted_nothing(said):
    own = said("score --task iss empty judged")["runs"][0]
    assert (own["figures"]["submitted"], own["figures"]["mrr"], own["undefined"]) == (0, 0, ["relevant_share"])


def test_it_orders_passages_as_asked(said):
    Path("both").write_text("1\tP1\tP2\tA binds B.\t2\t0.9\n1\tP1\tP2\tA and B are proteins.\t1\t0.2\n")
    found = [said(f"score --task iss both judged {order}")["runs"][0] for order in ("", "--order confidence")]
    assert [own["figures"]["mrr"] for own in found] == [pytest.approx(1 / 6), pytest.approx(1 / 3)]


def test_it_gives_intervals_of_every_figure(said):
    own = said("score --task iss run judged --bootstrap 500 --seed 3")["runs"][0]
    assert set(own["intervals"]) == set(PASSAGE_FIGURES)
    assert own["intervals"]["relevant_share"] == [0, pytest.approx(1 / 3)]
    assert all(low <= own["figures"][name] <= high for name, (low, high) in own["intervals"].items())
    assert "bootstrap:500|seed:3" in own["signature"]


def test_it_ranks_runs_by_the_best_passage(said):
    found = said("compare --task iss run better judged --samples 99")
    assert (found["figure"], [(own["run"], own["mrr"]) for own in found["runs"]]) == (
        "mrr",
        [("better", 1), ("run", pytest.approx(1 / 6))],
    )
    assert (
        said("compare --task iss run better judged --samples 99 --figure relevant_share")["runs"][0]["run"] == "better"
    )


def test_it_counts_which_passages_producers_share(said):
    found = said("overlap --task iss run better --gold judged")
    assert found["totals"] == [
        {"producers": ["run"], "items": 5, "right": 1},
        {"producers": ["better"], "items": 4, "right": 3},
    ]
    assert found["missed"] == 0
    assert said("agree --task iss run better")["pairs"][0]["f1"] == pytest.approx(2 / 10)


def test_it_joins_passages_by_votes(said, capsys):
    assert run_command_line("ensemble --task iss run better better --votes 2 -o joined") == 0
    capsys.readouterr()
    assert said("score --task iss joined judged")["runs"][0]["figures"]["mrr"] == 1


def test_it_checks_judgements_and_runs(capsys):
    Path("odd").write_text("1\tA\tB\tx\t0\t1\n1\tA\tB\ty\t2\t0\n1\tB\tA\tx\t1\t0\n")
    assert run_command_line("score --task iss run odd") == 1
    out, err = capsys.readouterr()
    assert [line.split(" ")[:2] for line in err.splitlines() if line.startswith("odd")] == [
        ["odd:1:11:", "R619"],
        ["odd:2:9:", "R605"],
        ["odd:3:3:", "R608"],
    ]
    assert out == ""
    Path("better").write_text(BETTER.replace("\tP", "\t715"))
    assert run_command_line("check --task iss better --gold judged") == 0
    out, err = capsys.readouterr()
    assert out == "better: no errors; results: 4, articles: 3\n"
    assert "(R717) was not checked; give --articles" in err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("score --task iss run", "at least two files"),
        *(
            (f"score --task iss run judged {option}", "does not work with --task iss")
            for option in (
                *("--profile bc3", "--answered-only", "--all-documents", "--cutoff-rank 3", "--min-confidence 0.5"),
                *("--homonyms x", "--organisms x", "--swissprot x:gold", "--interactors", "--unreported ignore"),
                *("--beta 2", "--alternatives x", "--per-organism"),
            )
        ),
        ("cutoff --task iss run judged", "not for --task iss"),
        ("compare --task iss run better judged --figure unknown", "cannot be tested"),
        ("ensemble --task iss run better --votes 1 --cutoffs rank:1,none -o x", "does not work with --task iss"),
    ],
)
def test_it_says_what_is_wrong_with_the_call(line, words, capsys):
    with pytest.raises(SystemExit) as ended:
        run_command_line(line)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


ONE, TWO, THREE = ("1", "A", "B"), ("1", "A", "C"), ("2", "A", "B")
VERDICTS = {
    ONE: {"x": Verdict(True, True), "y": Verdict(False, False)},
    TWO: {"z": Verdict(True, True)},
    THREE: {"w": Verdict(True, False)},
}
LISTS = {ONE: ["y", "x"], THREE: ["w", "new"]}


def test_it_counts_by_article_what_the_figures_are_made_of():
    sums = build_passage_count_table_by_article(VERDICTS, LISTS).sum(axis=0)[None]
    whole = compute_passage_figures(VERDICTS, LISTS)
    assert {name: float(compute_passage_figure_per_sample(name, sums)[0]) for name in PASSAGE_FIGURES} == {
        name: getattr(whole, name) for name in PASSAGE_FIGURES
    }
    assert build_passage_count_table_by_article(VERDICTS, LISTS).tolist() == [[2, 1, 0, 2, 0.5], [2, 1, 1, 0, 0]]


def test_it_draws_articles_whole():
    """Two articles: a sample holds one of them twice, or both."""
    found = bootstrap_passage_intervals(
        build_passage_count_table_by_article(VERDICTS, LISTS), 400, np.random.default_rng(1), level=1
    )
    assert found["mrr"] == (0, 0.25)
    assert found["pairs"] == (0, 4)


def test_it_tests_runs_only_over_the_same_articles():
    first, second = (
        build_passage_count_table_by_article(VERDICTS, LISTS),
        build_passage_count_table_by_article({THREE: VERDICTS[THREE]}, LISTS),
    )
    with pytest.raises(ValueError, match="same articles"):
        run_paired_passage_tests([first, second], "mrr", 9, np.random.default_rng(1))
    with pytest.raises(ValueError, match="no paired test of unknown"):
        run_paired_passage_tests([first, first], "unknown", 9, np.random.default_rng(1))
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_passage_intervals(first[:0], 9, np.random.default_rng(1))
