"""`python -m evaluation`: options in, figures, faults and exit status out."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.__main__ import main

ROOT = Path(__file__).resolve().parents[4]
# Small cases, worked by hand with the formulas of the BioCreative evaluation library.
A01 = "".join(f"d{n:02} {int(n <= 4)} {n if n <= 4 else 11 - n}\n" for n in range(1, 11))
A01_GOLD = "".join(f"d{n:02} {int(letter == 'T')}\n" for n, letter in enumerate("TFTFFTTFFF", 1))
I01 = "d1 A 1\nd1 X 2\nd1 B 3\nd2 X 1\nd2 A 2\nd3 A 1\nd3 B 2\nd3 X 3\nd3 Y 4\n"
I01_GOLD = "d1 A\nd1 B\nd1 C\nd2 A\nd3 A\nd3 B\nd4 A\n"
P01 = "d1 A B 1\nd1 A X 2\nd1 C B 3\nd2 A X 1\nd2 B A 2\nd3 A B 1\n"
P01_GOLD = "d1 B A\nd1 B C\nd2 A B\nd3 A B\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Writes files of these names, spaces for tabs, into the folder that the command runs in."""
    monkeypatch.chdir(tmp_path)

    def write(**contents):
        for name, text in contents.items():
            Path(name).write_text(text.replace(" ", "\t"))

    return write


@pytest.fixture
def scored(capsys):
    """What `score` prints of each run."""

    def score(*arguments):
        assert main(["score", "--format", "json", *arguments]) == 0
        return json.loads(capsys.readouterr().out)["runs"]

    return score


@pytest.fixture
def wrong(capsys):
    """What is said of wrong usage."""

    def usage(*arguments):
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == 2
        return capsys.readouterr().err.splitlines()[-1]

    return usage


def test_it_scores_the_classification_worked_by_hand(files, scored):
    files(run=A01, gold=A01_GOLD)
    [report] = scored("--task", "act", "run", "gold")
    figures = report["figures"]
    assert list(figures) == [
        *("tp", "fp", "fn", "tn", "sensitivity", "specificity", "accuracy", "mcc", "auc_pr", "auc_ipr"),
        "precision_at_full_recall",
    ]
    assert [figures[name] for name in ("tp", "fp", "fn", "tn")] == [2, 2, 2, 4]
    assert figures["mcc"] == pytest.approx(1 / 6, abs=1e-15)
    area = (2 / 2 + (1 / 2 + 2 / 3) / 2 + (2 / 5 + 1 / 2) / 2 + (1 / 2 + 4 / 7) / 2) / 4
    assert figures["auc_pr"] == pytest.approx(area, abs=1e-15)
    assert figures["auc_ipr"] == pytest.approx((1 + 2 / 3 + 4 / 7 + 4 / 7) / 4, abs=1e-15)
    assert figures["precision_at_full_recall"] == pytest.approx(4 / 7, abs=1e-15)


def test_it_scores_the_lists_worked_by_hand(files, scored):
    files(run=I01, gold=I01_GOLD)
    [report] = scored("--task", "int", "run", "gold")
    assert set(report) >= {
        *("run", "task", "profile", "signature", "documents", "answered", "results", "unknown_documents"),
        *("figures", "undefined", "reasons"),
    }
    micro, macro = report["figures"]["micro"], report["figures"]["macro"]
    assert list(micro) == ["tp", "fp", "fn", "precision", "recall", "f1", "ap", "fap", "auc_ipr"]
    assert list(macro) == [
        *("documents", "precision", "precision_sd", "recall", "recall_sd", "f1", "f1_sd", "ap", "fap", "auc_ipr"),
        "auc_ipr_sd",
    ]
    assert [micro[name] for name in ("tp", "fp", "fn")] == [5, 4, 2]
    assert micro["f1"] == pytest.approx(5 / 8, abs=1e-15)
    assert micro["ap"] == pytest.approx(2 / 3 * 4 / 7 + 5 / 8 / 7, abs=1e-15)
    assert macro["ap"] == pytest.approx(95 / 288, abs=1e-15)
    assert macro["f1"] == pytest.approx(1 / 2, abs=1e-15)
    assert macro["fap"] == pytest.approx(190 / 478, abs=1e-15)


def test_it_scores_the_pairs_worked_by_hand(files, scored):
    files(run=P01, gold=P01_GOLD)
    [report] = scored("--task", "ipt", "run", "gold")
    assert report["figures"]["macro"]["ap"] == pytest.approx(73 / 108, abs=1e-15)
    assert report["figures"]["micro"]["ap"] == pytest.approx(0.65, abs=1e-15)


@pytest.mark.parametrize("task", ["gn", "imt", "tx"])
def test_it_scores_other_lists_alike(task, files, scored):
    files(run=I01, gold=I01_GOLD)
    [own], [other] = scored("--task", task, "run", "gold"), scored("--task", "int", "run", "gold")
    assert own["figures"] == other["figures"]


def test_it_counts_and_lists_unknown_documents(files, scored, capsys):
    files(run=I01 + "u1 A 1\nu2 A 1\n", gold=I01_GOLD)
    [report] = scored("--task", "int", "run", "gold")
    assert (report["unknown_documents"], report["unknown_document_names"]) == (2, ["u1", "u2"])
    assert (report["documents"], report["answered"], report["results"]) == (4, 3, 9)
    assert main(["score", "--task", "int", "run", "gold"]) == 0
    assert "run: not in the gold standard: u1, u2" in capsys.readouterr().out


def test_a_profile_says_whether_unanswered_documents_stay(files, scored):
    files(run=I01, gold=I01_GOLD)

    def documents(*options):
        [report] = scored("--task", "int", *options, "run", "gold")
        return report["profile"], report["documents"]

    assert documents() == ("bc3", 4)
    assert documents("--answered-only") == ("bc3", 3)
    assert documents("--profile", "bc25") == ("bc25", 3)
    assert documents("--profile", "bc25", "--all-documents") == ("bc25", 4)


def test_it_breaks_ties_of_confidence_by_name(files, scored):
    files(run="d1 B 0.5\nd1 A 0.5\n", gold="d1 A\n", swapped="d1 A 0.5\nd1 B 0.5\n")
    first, second = scored("--task", "int", "run", "swapped", "gold")
    assert first["figures"]["macro"]["ap"] == second["figures"]["macro"]["ap"] == 1


def test_it_orders_lists_as_asked(files, scored):
    files(run="d1 B 1 0.4\nd1 A 2 0.5\nd1 C 3 0.6\n", gold="d1 C\n")

    def ap(*options):
        [report] = scored("--task", "int", *options, "run", "gold")
        return report["figures"]["macro"]["ap"]

    assert [ap(), ap("--order", "confidence"), ap("--order", "line")] == [1 / 3, 1, 1 / 3]


def test_it_cuts_lists(files, scored):
    files(run="d1 A 0.9\nd1 B 0.5\nd1 C 0.4\n", gold="d1 A\nd1 C\n")

    def results(*options):
        [report] = scored("--task", "int", *options, "run", "gold")
        return report["results"]

    assert [results("--cutoff-rank", "2"), results("--min-confidence", "0.5"), results()] == [2, 2, 3]
    assert results("--cutoff-rank", "0") == 3


def test_it_maps_homonyms_and_drops_other_organisms(files, scored):
    files(
        run="d1 MOUSE 1\nd1 FLY 2\n",
        gold="d1 HUMAN\n",
        homonyms="HUMAN MOUSE,RAT\n",
        organisms="HUMAN 9606\nMOUSE 10090\nFLY 7227\n",
    )
    [report] = scored("--task", "int", "--homonyms", "homonyms", "--organisms", "organisms", "run", "gold")
    assert (report["figures"]["micro"]["tp"], report["results"]) == (1, 1)


def test_it_keeps_to_swissprot(files, scored):
    files(run="d1 P1 1\nd1 Q1 2\nd2 P1 1\n", gold="d1 P1\nd2 Q9\n", reviewed="P1\n")
    [report] = scored("--task", "int", "--swissprot", "reviewed:gold", "run", "gold")
    assert (report["documents"], report["results"]) == (1, 2)
    [report] = scored("--task", "int", "--swissprot", "reviewed:results", "run", "gold")
    assert (report["documents"], report["results"]) == (2, 2)


def test_it_scores_each_organism(files, scored):
    files(run="d1 P1 1\nd1 Q1 2\n", gold="d1 P1\nd1 P2\nd1 Q1\n", organisms="P1 9606\nP2 9606\nQ1 10090\n")
    [report] = scored("--task", "int", "--organisms", "organisms", "--per-organism", "run", "gold")
    recalls = {organism: figures["micro"]["recall"] for organism, figures in report["organisms"].items()}
    assert recalls == {"9606": 0.5, "10090": 1.0}


def test_it_draws_samples_of_each_organism(files, scored, capsys):
    files(
        run="d1 P1 1\nd2 Q1 1\nd3 P2 1\n",
        gold="d1 P1\nd1 Q1\nd2 Q1\nd3 P1\nd3 P2\n",
        organisms="P1 9606\nP2 9606\nQ1 10090\n",
    )
    asked = ("--task", "int", "--organisms", "organisms", "--per-organism", "--bootstrap", "100", "run", "gold")
    [report] = scored(*asked)
    for organism, figures in report["organisms"].items():
        low, high = report["organism_intervals"][organism]["macro.recall"]
        assert low < figures["macro"]["recall"] <= high
    assert main(["score", *asked]) == 0
    assert re.search("run 10090 +macro.recall", capsys.readouterr().out)
    assert main(["score", "--format", "tsv", *asked]) == 0
    assert ",macro.recall:0.0:1.0," in capsys.readouterr().out.splitlines()[-1]


def test_it_reads_pairs_as_interactors(files, scored):
    files(run=P01, gold=P01_GOLD, lists="d1 A 1\nd1 B 2\nd1 X 3\nd1 C 4\n", accessions="d1 A\nd1 B\nd1 C\n")
    [pairs] = scored("--task", "ipt", "--interactors", "run", "gold")
    assert (pairs["figures"]["micro"]["tp"], pairs["figures"]["micro"]["fn"]) == (7, 0)


def test_it_counts_unreported_articles_as_asked(files, scored):
    files(run="d1 1 1\n", gold="d1 1\nd2 1\nd3 0\n")
    [ignored] = scored("--task", "act", "run", "gold")
    [negative] = scored("--task", "act", "--unreported", "negative", "run", "gold")
    assert [ignored["figures"][name] for name in ("tp", "fn", "tn")] == [1, 0, 0]
    assert [negative["figures"][name] for name in ("tp", "fn", "tn")] == [1, 1, 1]
    assert negative["reasons"] == {"precision_at_full_recall": "full recall is not reached"}
    assert ignored["undefined"] == ["specificity", "mcc"]


def test_it_scores_passages(files, scored):
    files(run="d1 B A p1 2\nd1 A B p2 1\nd9 A B p1 1\n", judged="d1 A B p1 1 1\nd1 A B p2 0 0\n")
    [report] = scored("--task", "iss", "run", "judged")
    assert (report["figures"]["relevant_share"], report["figures"]["mrr"]) == (0.5, 0.5)
    assert report["unknown_document_names"] == ["d9"]


def test_an_empty_run_has_found_nothing(files, scored):
    files(run="", gold=I01_GOLD)
    [report] = scored("--task", "int", "run", "gold")
    assert report["figures"]["micro"]["fn"] == 7
    assert "micro.precision" in report["undefined"]


def test_a_signature_tells_what_changes_the_figures(files, scored):
    files(run=I01, gold=I01_GOLD)
    [plain] = scored("--task", "int", "run", "gold")
    [cut] = scored("--task", "int", "--cutoff-rank", "10", "--beta", "2", "run", "gold")
    assert plain["signature"].startswith(
        "int|profile:bc3|rules:library|columns:rank|order:rank|unanswered:kept|beta:1|"
    )
    assert "|beta:2|cutoff-rank:10|gold:sha256:" in cut["signature"]


def test_it_tells_which_columns_it_found(files, capsys):
    files(run=I01, gold=I01_GOLD)
    assert main(["score", "--task", "int", "run", "gold"]) == 0
    assert capsys.readouterr().err == "run: columns found after the result: rank\n"


def test_it_names_runs_by_their_files(files, scored, tmp_path):
    files(**{"one.tsv": I01, "two.tsv": I01, "gold": I01_GOLD})
    (tmp_path / "sub").mkdir()
    files(**{"sub/two.txt": I01})
    reports = scored("--task", "int", "one.tsv", "two.tsv", "sub/two.txt", "gold")
    assert [report["run"] for report in reports] == ["one", "two.tsv", "sub/two.txt"]


def test_it_writes_values_as_precise_as_they_are(files, capsys):
    files(run=I01, gold=I01_GOLD)
    assert main(["score", "--task", "int", "--format", "tsv", "run", "gold"]) == 0
    head, row = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    values = dict(zip(head, row, strict=True))
    assert float(values["macro_ap"]) == pytest.approx(95 / 288, abs=1e-16)
    assert (values["run"], values["documents"], values["unknown_documents"]) == ("run", "4", "0")


def test_it_says_how_many_lists_are_empty(files, scored, capsys):
    files(run=I01, gold=I01_GOLD)
    assert scored("--task", "int", "run", "gold")[0]["empty_lists"] == 1
    assert main(["score", "--task", "int", "run", "gold"]) == 0
    said = "run: documents without a counted result: 1; their precision, 0/0, is 0"
    assert said in capsys.readouterr().out.splitlines()
    assert scored("--task", "int", "--answered-only", "run", "gold")[0]["empty_lists"] == 0


def test_it_writes_a_table_to_read(files, capsys):
    files(run="d1 1 1\n", gold="d1 1\nd2 1\n")
    assert main(["score", "--task", "act", "run", "gold"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["run", "documents", "answered", "results", "unknown"]
    assert lines[1].split() == ["run", "2", "1", "1", "0"]
    assert lines[3].split()[-1] == "auc_ipr"
    assert "run: 0/0, given as 0: specificity, mcc" in lines
    assert "run: no precision_at_full_recall: full recall is not reached" in lines


def test_a_figure_that_one_run_lacks_is_not_given(files, capsys):
    files(run="d1 1 1\n", other="d1 1 1\nd2 1 2\n", gold="d1 1\nd2 1\n")
    assert main(["score", "--task", "act", "run", "other", "gold"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines[4:7]] == ["precision_at_full_recall", "n/a", "1.00000"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(I01.encode(), mtime=0), "the file is compressed - decompress it and use the file inside"),
        (I01.encode("utf-16"), "the file is UTF-16 - save it as UTF-8 text"),
        (b"d1\tA\0\n", "the file contains zero bytes, so it is not text - choose another file"),
    ],
)
def test_it_refuses_what_is_no_text(content, said, files, capsys):
    files(run=I01, gold=I01_GOLD)
    Path("other").write_bytes(content)
    for command in ("score --task int other gold", "score --task gm run other", "tapk other"):
        assert main(command.split()) == 1
        assert f"other:0:0: R629 {said}" in capsys.readouterr().err.splitlines()


def test_it_scores_nothing_when_one_file_is_refused(files, capsys):
    files(good=I01, bad="d1 A 0\n\n", worse="d1\n", gold=I01_GOLD)
    assert main(["score", "--task", "int", "--columns", "rank", "good", "bad", "worse", "gold"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(" ")[:2] for line in err.splitlines()] == [
        ["bad:1:6:", "R606"],
        ["bad:2:1:", "R602"],
        ["worse:1:1:", "R603"],
    ]


def test_it_refuses_a_map_without_an_organism_of_the_gold_standard(files, capsys):
    files(run="d1 P1 1\n", gold="d1 P1\nd1 P2\nd2 P3\n", organisms="P1 9606\nP4\n", few="P1 9606\n")
    assert main(["score", "--task", "int", "--organisms", "organisms", "run", "gold"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "organisms:2:1: R615 columns: 1 - write two, accession and taxon, separated by one tab"
    ]
    assert main(["score", "--task", "int", "--organisms", "few", "run", "gold"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "few:0:0: R615 accession P2 of the gold standard has no organism - add a line with its taxon"
    ]


@pytest.mark.parametrize(
    "options",
    [
        *("--answered-only", "--all-documents", "--cutoff-rank 0", "--min-confidence 0.5", "--homonyms run"),
        *("--organisms run", "--beta 2", "--interactors", "--per-organism", "--swissprot run:gold"),
    ],
)
def test_it_takes_no_option_of_lists_for_a_classification(options, wrong):
    assert "does not work with --task act" in wrong("score", "--task", "act", *options.split(), "run", "gold")


@pytest.mark.parametrize(
    "arguments",
    [
        *(
            "",
            "nothing",
            "score",
            "score --task int run",
            "score --task xx run gold",
            "score --task int --nothing run gold",
        ),
        *("score --task int --unreported ignore run gold", "score --task int --interactors run gold"),
        *("score --task iss --profile bc3 run gold", "score --task int --answered-only --all-documents run gold"),
        *("score --task int --cutoff-rank -1 run gold", "score --task int --cutoff-rank 1.5 run gold"),
        *("score --task int --bootstrap 10000000 run gold", "compare --task int --samples 10000000 run run gold"),
        *("score --task int --min-confidence 1.5 run gold", "score --task int --min-confidence nan run gold"),
        *("score --task int --beta 0 run gold", "score --task int --beta 1e300 run gold"),
        *("score --task int --swissprot run run gold",),
        *("score --task int --columns rank --order confidence run gold", "score --task int --per-organism run gold"),
        *("score --task int --columns rank --rules bc3 run gold", "score --task int absent gold"),
        *("score --task int --order confidence run gold", "score --task int . gold"),
        *("tapk -k 0 run", "tapk -k x run", "tapk --pad --per-list run", "check --task int"),
    ],
)
def test_it_says_what_is_wrong_with_the_call(arguments, files, wrong):
    files(run=I01, gold=I01_GOLD)
    assert ": error: " in wrong(*arguments.split())


def test_it_notes_a_cut_that_cuts_nothing(files, capsys):
    files(run=I01, gold=I01_GOLD)
    assert main(["score", "--task", "int", "--min-confidence", "0.5", "run", "gold"]) == 0
    assert "run: no confidences, so --min-confidence has no effect" in capsys.readouterr().err


def test_it_checks_runs(files, capsys):
    numbers = str.maketrans({letter: f"71{digit}" for digit, letter in enumerate("ABCXY")})
    run, gold = (text.translate(numbers) for text in (I01 + "u1 A 1\n", I01_GOLD))
    files(run=run, bad="d1 7157 1\nd1 7157 2\n", gold=gold)
    assert main(["check", "--task", "int", "run", "--gold", "gold"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "run: no errors; results: 10, articles: 4",
        "run: not in the gold standard: u1",
    ]
    assert main(["check", "--task", "int", "run", "bad"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.splitlines()[-1].split(" ")[:2]) == ("", ["bad:2:4:", "R608"])


def test_it_warns_of_rising_confidence(files, capsys):
    files(run="d1 71 1 0.5\nd1 72 2 0.6\n")
    assert main(["check", "--task", "int", "--rules", "bc25", "run"]) == 0
    assert "run:2:9: R613 warning: " in capsys.readouterr().err


def test_it_needs_no_django_and_starts_as_a_module(files):
    files(run=I01, gold=I01_GOLD)
    code = (
        "import sys; from evaluation.__main__ import main; main(sys.argv[1:]); "
        "print([name for name in ('django', 'celery', 'requests', 'bcms.settings') if name in sys.modules])"
    )
    options = ["score", "--task", "int", "--format", "tsv", str(Path("run").resolve()), str(Path("gold").resolve())]
    loaded = subprocess.run([sys.executable, "-c", code, *options], capture_output=True, text=True, cwd=ROOT)
    assert loaded.stdout.splitlines()[-1] == "[]"
    for arguments, status in (
        (options, 0),
        (["score", "--task", "int"], 2),
        (["check", "--task", "act", options[-1]], 1),
    ):
        ended = subprocess.run([sys.executable, "-m", "evaluation", *arguments], capture_output=True, cwd=ROOT)
        assert ended.returncode == status


@pytest.mark.parametrize(
    ("run", "loaded"), [("d1 7157 1 0.5\n", set()), ("d1|t|p53\nd1\t0\t3\tp53\tGene\t7157\n", {"pubtator"})]
)
def test_it_loads_only_the_readers_that_its_files_need(files, run, loaded):
    files(run=run)
    code = (
        "import sys; from evaluation.__main__ import main; assert main(['check', '--task', 'gn', sys.argv[1]]) == 0; "
        "names = [name.split('.') for name in sys.modules if name.startswith('annotations.formats.')]; "
        "print(*(name[2] for name in names if name[-1].endswith('reader')))"
    )
    command = [sys.executable, "-c", code, Path("run").resolve()]
    finished = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    readers = {"bioc", "brat", "ndjson", "parquet", "pubannotation", "pubtator", "web_annotation", "xmi"}
    assert readers & set(finished.stdout.splitlines()[-1].split()) == loaded
