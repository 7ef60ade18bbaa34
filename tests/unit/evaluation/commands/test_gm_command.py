"""`python -m evaluation` for gene mentions: BioCreative II scoring, spans, what goes with other formats and options."""

import json
from pathlib import Path

import pytest

from evaluation.__main__ import main
from evaluation.commands.figures.run_scores import ORDER_DEPENDENT_FIGURES

# Sentences as in the corpus: one with a gene that has three other names, one with two genes and a name for both.
GOLD = "S1|11 31|secretory HI antibodies\nS2|0 2|p53\nS2|4 7|Mdm2\nS3|5 9|actin\n"
ACCEPTED = "S1|11 21|secretory HI\nS1|20 21|HI\nS1|20 31|HI antibodies\nS2|0 7|p53/Mdm2\nS3|40 41|x\n"
# A gene by a shorter name, and by another; two genes by one name; a name that is too long; a false alarm elsewhere.
RUN = "S1|20 21|HI\nS1|11 21|secretory HI\nS2|0 7|p53/Mdm2\nS3|5 10|actins\nS4|0 3|cell\n"
# The title and the abstract of two documents, the second without a gene.
TEXT = "1|t|p53 binds Mdm2\n1|a|In mice.\n{}\n2|t|No gene here\n2|a|None.\n{}\n"
GENES = ("1\t0\t3\tp53\tGene\t7157\n1\t10\t14\tMdm2\tGene\t4193\n1\t18\t22\tmice\tSpecies\t10090", "")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "gold.eval": GOLD,
        "alternatives.eval": ACCEPTED,
        "run.eval": RUN,
        "bad.eval": "S1|x 3|a\n\nS1|5 3|b\n",
        "empty": "",
        "gold.txt": TEXT.format(*GENES),
        "run.txt": TEXT.format(
            "1\t0\t3\tp53\tgene\n1\t0\t3\tp53\tGene\t1\n1\t0\t9\tp53 binds\tProtein", "2\t0\t2\tNo\tGene"
        ),
    }.items():
        Path(name).write_text(text)


def run_command_line(line):
    return main(line.split())


@pytest.fixture
def said(capsys):
    """What a command prints as JSON."""

    def call(line):
        assert main([*line.split(), "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    return call


@pytest.fixture
def report(said):
    """What `score` says of one run."""
    return lambda line: said(f"score --task gm {line}")["runs"][0]


def counts(figures):
    return [figures[name] for name in ("tp", "fp", "fn")]


def test_it_scores_exact_places(report):
    own = report("run.eval gold.eval")
    assert counts(own["figures"]["micro"]) == [0, 5, 4]
    assert list(own["figures"]["micro"]) == ["tp", "fp", "fn", "precision", "recall", "f1", "ap", "fap", "auc_ipr"]
    assert list(own["figures"]["macro"]) == [
        *("documents", "precision", "precision_sd", "recall", "recall_sd", "f1", "f1_sd", "ap", "fap", "auc_ipr"),
        "auc_ipr_sd",
    ]


def test_it_scores_with_alternatives_as_alt_eval_does(report):
    """Three genes found, one of them twice; two false alarms, one in a sentence without genes; one gene missed."""
    own = report("run.eval gold.eval --alternatives alternatives.eval")
    micro, macro = own["figures"]["micro"], own["figures"]["macro"]
    assert counts(micro) == [3, 2, 1]
    assert (micro["precision"], micro["recall"], micro["f1"]) == (3 / 5, 3 / 4, pytest.approx(2 / 3, abs=1e-15))
    assert (macro["documents"], macro["precision"], macro["recall"]) == (3, 2 / 3, 2 / 3)
    assert own["results"] == 5


def test_it_scores_the_gold_standard_as_perfect(report):
    own = report("gold.eval gold.eval --alternatives alternatives.eval")
    assert counts(own["figures"]["micro"]) == [4, 0, 0]
    assert (own["figures"]["micro"]["f1"], own["figures"]["macro"]["f1"], own["figures"]["macro"]["f1_sd"]) == (1, 1, 0)


def test_it_takes_a_sentence_that_the_gold_standard_does_not_name_for_one_without_genes(report):
    own = report("run.eval gold.eval")
    assert (own["documents"], own["answered"], own["unknown_document_names"]) == (4, 4, [])


def test_it_says_why_mentions_have_no_figures_of_ranking(report, capsys):
    own = report("run.eval gold.eval")
    assert own["reasons"] == dict.fromkeys(ORDER_DEPENDENT_FIGURES, "no ranking")
    assert [own["figures"][name.split(".")[0]][name.split(".")[1]] for name in ORDER_DEPENDENT_FIGURES] == [None] * 7
    assert not set(own["undefined"]) & set(ORDER_DEPENDENT_FIGURES)
    assert run_command_line("score --task gm run.eval gold.eval") == 0
    assert f"run: no {', '.join(ORDER_DEPENDENT_FIGURES)}: no ranking" in capsys.readouterr().out.splitlines()


def test_it_tells_mentions_that_match_in_part(report):
    spans = report("run.eval gold.eval --alternatives alternatives.eval")["spans"]
    assert {how: counts(own) for how, own in spans.items()} == {
        "start": [3, 2, 1],
        "end": [1, 4, 3],
        "either": [3, 2, 1],
        "overlap": [3, 2, 1],
    }
    assert list(spans["overlap"]) == ["tp", "fp", "fn", "precision", "recall", "f1"]


def test_it_scores_by_one_way_of_matching(report, said):
    found = {how: report(f"run.eval gold.eval --spans {how}") for how in ("exact", "start", "end", "either", "overlap")}
    assert {how: counts(own["figures"]["micro"]) for how, own in found.items()} == {
        "exact": [0, 5, 4],
        **{how: counts(own["spans"][how]) for how, own in found.items() if how != "exact"},
    }
    assert "|spans:overlap|" in found["overlap"]["signature"]
    tests = said("compare --task gm run.eval run.eval gold.eval --spans overlap --samples 99")
    assert tests["runs"][0]["micro.f1"] == found["overlap"]["figures"]["micro"]["f1"]


def test_a_gold_standard_may_have_its_alternatives(report, said):
    genes = GENES[0] + "\n1\t0\t14\tp53 binds Mdm2\tAlternative"
    Path("both.txt").write_text(TEXT.format(genes, ""))
    Path("whole.txt").write_text(TEXT.format("1\t0\t14\tp53 binds Mdm2\tGene", ""))
    assert counts(report("whole.txt both.txt")["figures"]["micro"]) == [2, 0, 0]
    assert counts(report("whole.txt both.txt --spans exact")["figures"]["micro"]) == [0, 1, 2]
    assert counts(report("whole.txt gold.txt --alternatives both.txt")["figures"]["micro"]) == [2, 0, 0]
    assert said("causes --task gm whole.txt both.txt")["faults"] == []


def test_it_writes_all_figures_for_people_and_for_tables(capsys):
    assert run_command_line("score --task gm run.eval gold.eval") == 0
    assert "mentions with the same start or end" in capsys.readouterr().out.splitlines()
    assert run_command_line("score --task gm --format tsv run.eval gold.eval") == 0
    head, row = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    values = dict(zip(head, row, strict=True))
    assert (values["overlap_tp"], values["micro_fn"], values["macro_ap"]) == ("3", "4", "n/a")


def test_an_empty_run_has_found_nothing(report):
    own = report("empty gold.eval --alternatives alternatives.eval")
    assert counts(own["figures"]["micro"]) == [0, 0, 4]
    assert own["undefined"] == ["micro.precision", "micro.f1"]
    assert counts(report("empty gold.txt")["figures"]["micro"]) == [0, 0, 2]


def test_it_scores_genes_of_annotated_text(report):
    """The same place counts once; a document without a gene counts; other types do not."""
    own = report("run.txt gold.txt")
    assert counts(own["figures"]["micro"]) == [1, 2, 1]
    assert (own["documents"], own["figures"]["macro"]["documents"], own["results"]) == (2, 1, 3)
    Path("stranger.txt").write_text("9|t|p53\n9\t0\t3\tp53\tGene\n")
    assert report("stranger.txt gold.txt")["unknown_document_names"] == ["9"]


def test_it_leaves_out_unanswered_documents_if_asked(report):
    Path("one.eval").write_text("S2|0 2|p53\n")
    recalls = [
        report(f"one.eval gold.eval {option}")["figures"]["micro"]["recall"] for option in ("", "--answered-only")
    ]
    assert recalls == [1 / 4, 1 / 2]
    assert report("one.eval gold.eval --profile bc25")["documents"] == 1


def test_a_signature_tells_what_changes_the_figures(report):
    signature = report("run.eval gold.eval --alternatives alternatives.eval --beta 2")["signature"]
    assert signature.startswith("gm|profile:bc3|unanswered:kept|beta:2|alternatives:sha256:")
    assert "|gold:sha256:" in signature


def test_it_gives_intervals_of_what_has_figures(report):
    intervals = report("run.eval gold.eval --alternatives alternatives.eval --bootstrap 200")["intervals"]
    assert set(intervals).isdisjoint(ORDER_DEPENDENT_FIGURES)
    low, high = intervals["micro.f1"]
    assert 0 <= low < 2 / 3 < high <= 1


def test_it_compares_runs_over_the_sentences_of_all(said):
    Path("good.eval").write_text(GOLD)
    found = said("compare --task gm run.eval good.eval gold.eval --alternatives alternatives.eval --samples 99")
    assert found["figure"] == "micro.f1"
    assert [(own["run"], own["micro.f1"]) for own in found["runs"]] == [("good", 1), ("run", pytest.approx(2 / 3))]


def test_it_counts_what_producers_have_in_common(said):
    Path("good.eval").write_text(GOLD + "S4|0 3|cell\n")
    found = said("overlap --task gm run.eval good.eval --gold gold.eval")
    assert {tuple(own["producers"]): (own["items"], own["right"]) for own in found["regions"]} == {
        ("good",): (4, 4),
        ("run",): (4, 0),
        ("run", "good"): (1, 0),
    }
    agreement = said("agree --task gm run.eval good.eval")
    assert agreement["pairs"][0]["f1"] == pytest.approx(2 / 10)


def test_it_joins_runs_in_their_own_form(report, capsys):
    assert run_command_line("ensemble --task gm run.eval gold.eval alternatives.eval --votes 2 -o joined") == 0
    assert Path("joined").read_text() == "S1|11 21|secretory HI\nS1|20 21|HI\nS2|0 7|p53/Mdm2\n"
    assert run_command_line("ensemble --task gm run.txt gold.txt --votes 1 -o joined.txt") == 0
    assert Path("joined.txt").read_text().splitlines()[:2] == ["1\t0\t3\tp53\tGene", "1\t0\t9\tp53 binds\tGene"]
    capsys.readouterr()
    assert report("joined.txt gold.txt")["figures"]["micro"]["tp"] == 2


def test_it_checks_mentions(capsys):
    assert run_command_line("check --task gm run.txt --gold gold.txt") == 0
    assert capsys.readouterr().out == "run.txt: no errors; results: 3, articles: 2\n"
    assert run_command_line("score --task gm run.eval bad.eval gold.eval") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(" ")[:2] for line in err.splitlines()] == [
        ["bad.eval:1:4:", "R692"],
        ["bad.eval:2:1:", "R602"],
        ["bad.eval:3:4:", "R693"],
    ]


def test_it_refuses_what_has_no_places(capsys):
    Path("trec").write_text("S1 Q0 p53 1 0.5 mine\n")
    Path("no_genes.txt").write_text("1|t|In mice\n1\t3\t7\tmice\tSpecies\t10090\n")
    assert run_command_line("check --task gm trec") == 1
    assert capsys.readouterr().err.startswith("trec:0:0: R695 ")
    assert run_command_line("score --task gm run.txt no_genes.txt") == 1
    assert capsys.readouterr().err.startswith("no_genes.txt:0:0: R610 ")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("score --task gm run.eval gold.txt", "counts offsets without white space"),
        ("score --task gm run.txt gold.txt --alternatives alternatives.eval", "alternatives.eval counts"),
        ("score --task gn run.eval gold.eval --alternatives alternatives.eval", "does not work with --task gn"),
        *(
            (f"score --task gm run.eval gold.eval {option}", "does not work with --task gm")
            for option in (
                *("--columns none", "--rules library", "--order line", "--cutoff-rank 3", "--min-confidence 0.5"),
                *("--homonyms x", "--organisms x", "--swissprot x:gold", "--interactors", "--unreported ignore"),
                "--per-organism",
            )
        ),
        ("score --task gm run.eval gold.eval --alternatives alternatives.eval --spans end", "only with exact spans"),
        ("score --task gn run.eval gold.eval --spans end", "does not work with --task gn"),
        ("cutoff --task gm run.eval gold.eval", "not for --task gm"),
        ("compare --task gm run.eval run.eval gold.eval --figure macro.ap", "cannot be tested"),
        ("ensemble --task gm run.eval gold.eval --votes 1 --cutoffs none,none -o x", "--cutoffs does not work with"),
        ("score --task gm run.eval", "at least two files"),
    ],
)
def test_it_says_what_is_wrong_with_the_call(line, words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 2
    assert words in capsys.readouterr().err
