"""--plot: one SVG file with the plots that fit, the same figures as the command prints, all foreign text escaped."""

import json
from pathlib import Path

import pytest

from evaluation.__main__ import main
from tests.reference.drawings import SVG, figures, parse_svg_root, tables

GOLD = {f"d{number}": ["A", "B"] for number in range(12)}
EVIL = "<script>alert(1)</script>&\x01“"


def write(path, rows):
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def files(tmp_path):
    """Gold, and runs that find both items, one of them behind a wrong one, and none."""
    calls = [(f"d{n}", n % 2, n // 2 + 1, 0.95) for n in range(12)]
    return {
        "gold": write(tmp_path / "gold.tsv", [(d, item) for d, items in GOLD.items() for item in items]),
        "best": write(tmp_path / "best.tsv", [(d, i, r, 1 - r / 10) for d in GOLD for r, i in enumerate("ABZ", 1)]),
        "fair": write(tmp_path / "fair.tsv", [(d, i, r, 1 - r / 10) for d in GOLD for r, i in enumerate("XA", 1)]),
        "poor": write(tmp_path / "poor.tsv", [(d, i, r, 1 - r / 10) for d in GOLD for r, i in enumerate("XY", 1)]),
        "more": write(tmp_path / "more.tsv", [("d1", "A", 1, 0.5)]),
        "none": write(tmp_path / "none.tsv", []),
        "organisms": write(tmp_path / "organisms.tsv", [("A", 9606), ("B", 10090), ("X", 9606)]),
        "times": write(tmp_path / "times.tsv", [("best", 60), ("fair", 1), ("fair", 3), ("else", 1)]),
        "act_gold": write(tmp_path / "act_gold.tsv", [(f"d{n}", n % 2) for n in range(12)]),
        "act_good": write(tmp_path / "act_good.tsv", calls),
        "act_bad": write(tmp_path / "act_bad.tsv", [(d, 1 - c, r, 0.5) for d, c, r, _ in calls]),
        "act_plain": write(tmp_path / "act_plain.tsv", [(d, c) for d, c, _, _ in calls]),
        "act_else": write(tmp_path / "act_else.tsv", [("d99", 1)]),
        "iss_gold": write(tmp_path / "iss_gold.tsv", [("d1", "A", "B", "It binds.", 1, 1)]),
        "iss_run": write(tmp_path / "iss_run.tsv", [("d1", "A", "B", "It binds.", 1)]),
        "plot": str(tmp_path / "plots.svg"),
        "folder": str(tmp_path),
    }


@pytest.fixture
def plotted(files, capsys):
    """Calls the command with names of files in braces; the plots as a tree, and what it prints."""

    def call(line):
        assert main(f"{line} --format json --plot {{plot}}".format(**files).split()) == 0
        return parse_svg_root(Path(files["plot"]).read_text(encoding="utf-8")), json.loads(capsys.readouterr().out)

    return call


@pytest.fixture
def wrong(files, capsys):
    """What is said of wrong usage."""

    def usage(line):
        with pytest.raises(SystemExit) as left:
            main(line.format(**files).split())
        assert left.value.code == 2
        return capsys.readouterr().err.splitlines()[-1]

    return usage


def titles(root):
    return [found.text for found in root.iter(f"{SVG}text") if "title" in found.get("class", "").split()]


def test_it_draws_lists_macro_beside_micro(plotted):
    root, printed = plotted("score --task int {best} {fair} {poor} {gold}")
    assert titles(root) == [
        *("F1 against average precision, macro", "F1 against average precision, micro"),
        *("Precision and recall by rank, macro", "Precision and recall by rank, micro"),
        *("Precision and recall, interpolated, macro", "Precision and recall, interpolated, micro"),
        "Reliability of confidences",
    ]
    for run in printed["runs"]:
        for place, average in enumerate(("macro", "micro")):
            own = run["figures"][average]
            assert figures(root, place)[run["run"]] == pytest.approx([own[n] for n in ("f1", "ap", "fap")], abs=0.00005)
            assert figures(root, 2 + place)[run["run"]][0] == pytest.approx(own["ap"], abs=0.0005)
            assert figures(root, 4 + place)[run["run"]][0] == pytest.approx(own["auc_ipr"], abs=0.0005)
    assert [row[0] for row in tables(root)[0]] == ["run", "best", "fair", "poor"]


def test_it_draws_classifications(plotted):
    root, printed = plotted("score --task act {act_bad} {act_good} {act_gold}")
    assert titles(root) == [
        *("Precision and recall down the list of articles", "Precision and recall, interpolated"),
        *("ROC", "Sensitivity against specificity"),
        "Reliability of confidences",
    ]
    good = printed["runs"][1]["figures"]
    assert figures(root, 0)["act_good"][0] == pytest.approx(good["auc_pr"], abs=0.0005)
    names = ("sensitivity", "specificity", "accuracy", "mcc")
    assert figures(root, 3)["act_good"] == pytest.approx([good[name] for name in names], abs=0.00005)


def test_it_draws_no_reliability_without_confidences(plotted):
    root, _ = plotted("score --task act {act_plain} {act_gold}")
    assert "Reliability of confidences" not in titles(root)


def test_it_draws_organisms_where_they_are_asked_for(plotted):
    root, printed = plotted("score --task int {best} {fair} {gold} --organisms {organisms} --per-organism")
    place = titles(root).index("Macro F1 by organism")
    head, *rows = tables(root)[place]
    for run, row in zip(printed["runs"], rows, strict=True):
        own = [run["organisms"][organism]["macro"]["f1"] for organism in head[1:]]
        assert [float(cell) for cell in row[1:]] == pytest.approx(own, abs=0.0005)


def test_it_draws_the_score_against_the_time_of_runs(plotted, capsys):
    root, printed = plotted("score --task int {best} {fair} {poor} {gold} --times {times}")
    scores = {run["run"]: run["figures"]["macro"]["f1"] for run in printed["runs"]}
    assert titles(root)[-1] == "Macro F1 against time"
    assert figures(root, -1) == {
        "best": [pytest.approx(scores["best"], abs=0.00005), 60, 60, 60, None],
        "fair": [pytest.approx(scores["fair"], abs=0.00005), 2, 2, 3, None],
    }


def test_it_says_what_the_figures_mean(plotted):
    root, printed = plotted("score --task int {best} {fair} {gold}")
    whole = "".join("".join(found.itertext()) for found in root.iter(f"{SVG}text")).replace(" ", "")
    assert f"{printed['runs'][0]['signature']}(allruns)" in whole


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("overlap --task int {best} {fair}", "Overlap of producers"),
        ("overlap --task int {best} {fair} {poor} {more} --gold {gold}", "Overlap of producers"),
        ("overlap --task act {act_good} {act_bad}", "Overlap of producers"),
        ("cutoff --task int {best} {gold}", "FAP, F1, AP of cut lists, macro"),
        ("cutoff --task imt --by rank {best} {gold}", "FAP, F1, AP of cut lists, micro"),
        ("compare --task int --samples 50 {best} {fair} {poor} {gold}", "Ranks by macro.f1"),
    ],
)
def test_other_commands_draw_what_they_find(plotted, line, title):
    root, _ = plotted(line)
    assert titles(root) == [title]


def test_it_writes_the_counts_of_an_overlap(plotted):
    root, printed = plotted("overlap --task int {best} {fair} {poor} {more} --gold {gold}")
    shown = figures(root)
    for region in printed["regions"]:
        own = shown["only " + " & ".join(region["producers"])]
        assert own == [region["items"], region["right"], pytest.approx(region["right"] / region["items"], abs=0.00005)]


def test_it_writes_every_cut(plotted):
    root, printed = plotted("cutoff --task int {best} {gold}")
    rows = tables(root)[0][4:]
    assert [[float(cell) for cell in row[:4]] for row in rows] == [
        pytest.approx([own["confidence"], own["fap"], own["f"], own["ap"]], abs=0.00005) for own in printed["tried"]
    ]


@pytest.mark.parametrize("task", ["int", "act"])
def test_it_escapes_names(tmp_path, task):
    run, gold, plot = tmp_path / f"{EVIL.replace('/', '')}.tsv", tmp_path / "gold.tsv", tmp_path / "x.svg"
    run.write_text("d1\t1\t1\t0.5\nd2\t0\t1\t0.5\n" if task == "act" else "d1\tA\t1\t0.5\n")
    gold.write_text("d1\t1\nd2\t0\n" if task == "act" else "d1\tA\n")
    assert main(["score", "--task", task, str(run), str(gold), "--plot", str(plot)]) == 0
    root = parse_svg_root(plot.read_text(encoding="utf-8"))
    assert not list(root.iter("script", f"{SVG}script"))
    assert tables(root)[0][1][0].startswith("<script>alert")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("score --task int {best} {gold} --plot {gold}", "does not end in .svg"),
        (
            "score --task iss {iss_run} {iss_gold} --plot {plot}",
            "--plot does not work with --task iss; it is for act, ",
        ),
        ("score --task int {none} {gold} --plot {plot}", "nothing to draw because no run has a counted result"),
        (
            "score --task act {act_else} {act_gold} --plot {plot}",
            "nothing to draw because no run has a counted result",
        ),
        ("score --task int {best} {gold} --times {times}", "by --plot FILE.svg; give both options or neither"),
        (
            "score --task int {poor} {gold} --times {times} --plot {plot}",
            "it has times of best, fair, else, but the runs are",
        ),
        ("score --task int {best} {gold} --plot {folder}/no/x.svg", "cannot be written (No such file"),
        (
            "overlap --task int {none} {none} --plot {plot}",
            "nothing to draw: no producer reports anything that counts",
        ),
    ],
)
def test_it_says_why_it_draws_nothing(wrong, line, said):
    assert said in wrong(line)


def test_it_leaves_the_file_alone_when_a_run_is_refused(files, tmp_path, capsys):
    (tmp_path / "plots.svg").write_text("mine")
    bad = write(tmp_path / "bad.tsv", [("d1", "A", 0, 0.5)])
    assert main(["score", "--task", "int", bad, files["gold"], "--plot", files["plot"]]) == 1
    assert (tmp_path / "plots.svg").read_text() == "mine"
