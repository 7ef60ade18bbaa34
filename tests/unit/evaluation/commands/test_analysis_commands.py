"""The commands compare, cutoff, ensemble, agree and overlap, and score --bootstrap."""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluation.__main__ import main
from evaluation.analyses.significance.confidence_intervals import iter_bootstrap_weight_batches

GOLD = {f"d{number}": ["A", "B"] for number in range(12)}


def write(path, rows):
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def files(tmp_path):
    """Gold, and runs that find both items, one of them behind a wrong one, and none."""
    return {
        "gold": write(tmp_path / "gold.tsv", [(d, item) for d, items in GOLD.items() for item in items]),
        "best": write(tmp_path / "best.tsv", [(d, i, r, 1 - r / 10) for d in GOLD for r, i in enumerate("ABZ", 1)]),
        "fair": write(tmp_path / "fair.tsv", [(d, i, r, 1 - r / 10) for d in GOLD for r, i in enumerate("XA", 1)]),
        "poor": write(tmp_path / "poor.tsv", [(d, i, r, 1 - r / 10) for d in GOLD for r, i in enumerate("XY", 1)]),
        "broken": write(tmp_path / "broken.tsv", [("d1", "A", 0, 0.5)]),
        "act_gold": write(tmp_path / "act_gold.tsv", [(f"d{n}", n % 2) for n in range(12)]),
        "act_good": write(tmp_path / "act_good.tsv", [(f"d{n}", n % 2, n // 2 + 1, 0.9) for n in range(12)]),
        "act_bad": write(tmp_path / "act_bad.tsv", [(f"d{n}", 1 - n % 2, n // 2 + 1, 0.5) for n in range(12)]),
        "joined": str(tmp_path / "joined.tsv"),
    }


@pytest.fixture
def said(files, capsys):
    """Calls the command with names of files in braces; its JSON."""

    def call(line):
        assert main(line.format(**files).split()) == 0
        return json.loads(capsys.readouterr().out)

    return call


def test_it_ranks_runs_that_are_apart(said):
    found = said("compare --task gn {fair} {poor} {best} {gold} --samples 999 --format json")
    assert [(own["run"], own["rank"]) for own in found["runs"]] == [
        ("best", [1, 1]),
        ("fair", [2, 2]),
        ("poor", [3, 3]),
    ]
    assert found["runs"][0]["macro.f1"] == pytest.approx(0.8)
    assert (found["figure"], found["seed"], found["level"]) == ("macro.f1", 1, 0.05)
    assert all(pair["p"] < 0.01 for pair in found["pairs"])
    assert 0 < found["resolution"] < 0.4


def test_it_lets_equal_runs_share_a_rank(said):
    found = said("compare --task gn {fair} {fair} {best} {gold} --samples 99 --figure macro.ap --format json")
    assert [own["rank"] for own in found["runs"]] == [[1, 1], [2, 3], [2, 3]]


def test_it_compares_classifications_by_mcc(said):
    found = said("compare --task act {act_good} {act_bad} {act_gold} --samples 999 --format json")
    assert [own["mcc"] for own in found["runs"]] == [1, -1]
    assert found["pairs"][0]["p"] < 0.05


def test_it_draws_the_same_samples_for_the_same_seed(said):
    line = "compare --task gn {fair} {poor} {gold} --samples 99 --format json"
    assert said(f"{line} --seed 7") == said(f"{line} --seed 7")
    assert said(f"{line} --seed 1") == said(line)


def test_it_gives_intervals_with_the_figures(said):
    run = said("score --task gn {best} {gold} --bootstrap 200 --seed 3 --format json")["runs"][0]
    assert run["intervals"]["macro.recall"] == [1, 1]
    assert run["intervals"]["micro.precision"] == pytest.approx([2 / 3, 2 / 3])
    assert "bootstrap:200|seed:3" in run["signature"]
    assert said("score --task gn {best} {gold} --format json")["runs"][0]["intervals"] == {}
    calls = said("score --task act {act_good} {act_gold} --bootstrap 200 --format json")["runs"][0]
    assert calls["intervals"]["mcc"] == [1, 1]


def test_it_finds_where_to_cut(said):
    by_rank = said("cutoff --task gn {best} {gold} --by rank --format json")
    assert (by_rank["cutoff"], by_rank["fap"]) == (2, 1)
    assert by_rank["results"] == {"before": 36, "after": 24}
    by_confidence = said("cutoff --task gn {best} {gold} --format json")
    assert (by_confidence["by"], by_confidence["cutoff"], by_confidence["fap"]) == ("confidence", 0.71, 1)


def test_it_says_when_whole_lists_are_best(files, capsys):
    assert main("cutoff --task gn {fair} {gold} --by rank".format(**files).split()) == 0
    assert "\nThis cuts nothing: no shorter lists are as good as the full ones.\n" in capsys.readouterr().out
    assert main("cutoff --task gn {best} {gold} --by rank".format(**files).split()) == 0
    assert "This cuts nothing" not in capsys.readouterr().out


def test_it_joins_runs_to_a_file_that_can_be_scored(files, said, capsys):
    assert main("ensemble --task gn {best} {fair} {poor} --votes 2 -o {joined}".format(**files).split()) == 0
    assert "results: 24" in capsys.readouterr().out
    lines = (line.split("\t") for line in Path(files["joined"]).read_text().splitlines()[:2])
    assert [(document, item, rank) for document, item, rank, _ in lines] == [("d0", "X", "1"), ("d0", "A", "2")]
    run = said("score --task gn {joined} {gold} --format json")["runs"][0]
    assert run["figures"]["micro"]["tp"] == 12


def test_it_cuts_each_run_before_it_joins_them(files, capsys):
    line = "ensemble --task gn {best} {fair} --votes 2 --cutoffs rank:1,none -o {joined}"
    assert main(line.format(**files).split()) == 0
    assert {row.split("\t")[1] for row in Path(files["joined"]).read_text().splitlines()} == {"A"}
    assert main("ensemble --task act {act_good} {act_bad} --votes 1 -o {joined}".format(**files).split()) == 0
    assert {row.split("\t")[1] for row in Path(files["joined"]).read_text().splitlines()} == {"1"}


def test_it_takes_a_document_without_a_result_as_one_without_a_finding(tmp_path, said):
    for name, lines in {"one": "d1\tA\nd2\tB\n", "two": "d1\tA\n"}.items():
        (tmp_path / name).write_text(lines)
    found = said(f"agree --task gn {tmp_path / 'one'} {tmp_path / 'two'} --format json")
    assert (found["articles"], found["instances"]) == (2, 2)
    assert found["pairs"][0]["f1"] == pytest.approx(2 / 3)


def test_it_tells_how_far_producers_agree(said):
    found = said("agree --task gn {best} {fair} {poor} --format json")
    assert found["instances"] == 12 * 5
    assert found["pairs"][0]["f1"] == pytest.approx(2 * 12 / (36 + 24))
    assert found["fleiss_kappa"] < 0
    assert found["articles"] == 12
    two = said("agree --task gn {best} {fair} --format json")
    assert (two["pairs"][0]["kappa"], two["fleiss_kappa"]) == (None, None)
    assert said("agree --task act {act_good} {act_bad} --format json")["pairs"][0]["kappa"] == -1


def bootstrap_f1_in_plain_python(lists, articles, samples, seed):
    """(low, high) of the F1 of two producers, {article: items} each, of articles that are drawn again and again."""
    (weights,) = iter_bootstrap_weight_batches(len(articles), samples, np.random.default_rng(seed))
    figures = []
    for copies in weights:
        drawn = [article for article, times in zip(articles, copies, strict=True) for _ in range(int(times))]
        both = sum(len(lists[0][article] & lists[1][article]) for article in drawn)
        figures.append(2 * both / sum(len(items[article]) for items in lists for article in drawn))
    return np.quantile(figures, [0.025, 0.975]).round(9).tolist()


def test_agreement_has_intervals_over_the_articles(tmp_path, said):
    lists = [
        {f"d{n}": {"A", "B", "C"} if n % 3 else {"A"} for n in range(9)},
        {f"d{n}": {"A", "Z"} if n % 2 else {"A", "B"} for n in range(9)},
    ]
    one, two = (
        write(tmp_path / name, [(article, item) for article in order(own) for item in sorted(own[article])])
        for name, own, order in zip(("one", "two"), lists, (list, reversed), strict=True)
    )
    found = said(f"agree --task gn {one} {two} --samples 50 --seed 7 --format json")
    assert (found["samples"], found["seed"], list(found["pairs"][0]["intervals"])) == (50, 7, ["joint", "f1"])
    plain = bootstrap_f1_in_plain_python(lists, sorted(lists[0]), 50, 7)
    assert found["pairs"][0]["intervals"]["f1"] == plain
    assert plain[0] < found["pairs"][0]["f1"] < plain[1]
    turned = said(f"agree --task gn {two} {one} --samples 50 --seed 7 --format json")
    assert turned["pairs"][0]["intervals"]["f1"] == plain, "the order of runs and lines does not matter"
    default = said(f"agree --task gn {one} {two} --format json")
    assert (default["samples"], default["seed"]) == (1000, 1)


def test_agreement_on_fewer_than_two_articles_has_no_interval(tmp_path, said, capsys):
    one = write(tmp_path / "one", [("d1", 1, 1, 0.9), ("d2", 0, 2, 0.9)])
    two = write(tmp_path / "two", [("d2", 0, 1, 0.9)])
    three = write(tmp_path / "three", [("d3", 0, 1, 0.9)])
    found = said(f"agree --task act {one} {two} {three} --format json")
    assert [(pair["instances"], pair["joint"], pair["intervals"]) for pair in found["pairs"]] == [
        (1, 1.0, {}),
        (0, None, {}),
        (0, None, {}),
    ]
    assert main(f"agree --task act {one} {two} {three}".split()) == 0
    table = capsys.readouterr().out
    assert "seed 1; n/a below two articles" in table
    assert next(line for line in table.splitlines() if line.startswith("one - three")).split()[3:] == [
        "0",
        *["n/a"] * 6,
    ]
    assert main(f"agree --task act {one} {two} --format tsv".split()) == 0
    head, row = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert head[-2:] == ["f1_low", "f1_high"]
    assert dict(zip(head, row, strict=True))["joint_low"] == "n/a"


def test_it_counts_what_producers_have_in_common(said):
    found = said("overlap --task gn {best} {fair} {poor} --gold {gold} --format json")
    assert found["totals"][1] == {"producers": ["fair"], "items": 24, "right": 12}
    assert {tuple(own["producers"]): (own["items"], own["right"]) for own in found["regions"]} == {
        ("best",): (24, 12),
        ("best", "fair"): (12, 12),
        ("fair", "poor"): (12, 0),
        ("poor",): (12, 0),
    }
    assert found["missed"] == 0
    assert said("overlap --task gn {best} {fair} --format json")["missed"] is None


@pytest.mark.parametrize("form", ["table", "tsv"])
@pytest.mark.parametrize(
    "line",
    [
        "compare --task gn {best} {fair} {gold} --samples 99",
        "cutoff --task gn {best} {gold}",
        "agree --task gn {best} {fair} {poor}",
        "overlap --task gn {best} {fair} --gold {gold}",
        "score --task gn {best} {gold} --bootstrap 50",
    ],
)
def test_it_writes_for_people_and_for_tables(line, form, files, capsys):
    assert main(f"{line} --format {form}".format(**files).split()) == 0
    written = capsys.readouterr().out
    assert ("\t" in written) is (form == "tsv")
    assert len(written.splitlines()) > 1


@pytest.mark.parametrize(
    "line",
    [
        "compare --task gn {best} {broken} {gold}",
        "cutoff --task gn {broken} {gold}",
        "ensemble --task gn {best} {broken} --votes 1 -o {joined}",
        "agree --task gn {best} {broken}",
        "overlap --task gn {best} {broken}",
    ],
)
def test_it_does_nothing_when_one_file_is_refused(line, files, capsys):
    assert main(line.format(**files).split()) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "broken.tsv:1:6: R606" in told.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("compare --task gn {best} {gold}", "at least three files"),
        ("compare --task gn {best} {fair} {gold} --figure mcc", "cannot be tested"),
        ("cutoff --task iss {best} {gold}", "not for --task iss"),
        ("compare --task act {act_good} {act_bad} {act_gold} --min-confidence 0", "does not work with --task act"),
        ("compare --task gn {best} {fair} {gold} --answered-only", "unrecognized"),
        ("cutoff --task act {act_good} {act_gold}", "not for --task act"),
        ("cutoff --task gn --columns none {gold} {gold} --by confidence", "best rank"),
        ("ensemble --task gn {best} {fair} --votes 3 -o {joined}", "more than the number of runs"),
        ("ensemble --task gn {best} {fair} --votes 1 --cutoffs 0.5 -o {joined}", "one for each"),
        ("ensemble --task gn {best} {fair} --votes 1 --cutoffs 0.5,7 -o {joined}", "rank:K or none"),
        ("ensemble --task act {act_good} {act_bad} --votes 1 --cutoffs none,none -o {joined}", "which has no lists"),
        ("ensemble --task gn {best} {fair} --votes 1 -o {fair}", "is one of the runs"),
        ("agree --task gn {best}", "at least two"),
        ("overlap --task gn {best}", "at least two"),
        ("score --task iss {best} {gold} --beta 2", "does not work with --task iss"),
        ("score --task gn {best} {gold} --seed 9", "--bootstrap N"),
    ],
)
def test_it_says_what_is_wrong_with_the_call(line, words, files, capsys):
    with pytest.raises(SystemExit) as ended:
        main(line.format(**files).split())
    assert ended.value.code == 2
    assert words in capsys.readouterr().err
