"""The commands with runs and judgements as TREC writes them."""

import json
from pathlib import Path

import pytest

from evaluation.__main__ import main

RUN = "d1 Q0 P1 1 12.5 me\nd1 Q0 P2 2 9 me\nd2 Q0 P3 1 0.5 me\nd3 Q0 P1 1 -4 me\n"
CONFIDENT = "d1 Q0 P1 1 0.9 me\nd1 Q0 P2 2 0.5 me\nd2 Q0 P3 1 0.5 me\nd3 Q0 P1 1 0.1 me\n"
QRELS = "d1 0 P1 1\nd1 0 P2 0\nd2 0 P3 2\nd2 0 P4 1\nd3 0 P1 0\n"
TSV_RUN = "d1\tP1\t1\nd1\tP2\t2\nd2\tP3\t1\nd3\tP1\t1\n"
TSV_GOLD = "d1\tP1\nd2\tP3\nd2\tP4\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (
        *(("run.trec", RUN), ("confident.trec", CONFIDENT), ("gold.qrels", QRELS)),
        *(("run.tsv", TSV_RUN), ("gold.tsv", TSV_GOLD)),
    ):
        Path(name).write_text(text)


@pytest.fixture
def scored(capsys):
    """What `score` prints of the one run."""

    def score(*arguments):
        assert main(["score", "--format", "json", *arguments]) == 0
        [own] = json.loads(capsys.readouterr().out)["runs"]
        return own

    return score


@pytest.mark.parametrize("task", ["int", "gn", "imt", "tx"])
def test_it_scores_a_trec_run(task, scored):
    own = scored("--task", task, "run.trec", "gold.qrels")
    assert own["figures"]["macro"]["recall"] == 0.75
    assert (own["figures"]["micro"]["tp"], own["figures"]["micro"]["fn"], own["answered"]) == (2, 1, 3)
    assert "columns:rank|order:rank" in own["signature"]


@pytest.mark.parametrize(("run", "gold"), [("run.trec", "gold.tsv"), ("run.tsv", "gold.qrels")])
def test_formats_can_be_mixed(run, gold, scored):
    assert (
        scored("--task", "gn", run, gold)["figures"]["macro"]
        == scored("--task", "gn", "run.tsv", "gold.tsv")["figures"]["macro"]
    )


def test_a_topic_in_which_nothing_is_right_is_known_and_its_results_are_false_alarms(scored):
    own = scored("--task", "gn", "run.trec", "gold.qrels")
    assert (own["documents"], own["unknown_document_names"], own["figures"]["macro"]["documents"]) == (3, [], 2)
    assert own["figures"]["micro"]["fp"] == 2
    unknown = scored("--task", "gn", "run.trec", "gold.tsv")
    assert (unknown["documents"], unknown["unknown_document_names"]) == (2, ["d3"])
    assert unknown["figures"]["micro"]["fp"] == 1


def test_every_command_counts_a_topic_in_which_nothing_is_right_alike(scored, capsys):
    Path("other.trec").write_text("d1 Q0 P2 1 3 me\nd3 Q0 P2 1 3 me\nd3 Q0 P4 2 2 me\n")
    for figure in ("macro.f1", "macro.ap", "micro.f1", "micro.ap"):
        average, name = figure.split(".")
        line = f"compare --task gn --figure {figure} --samples 99 run.trec other.trec gold.qrels --format json"
        assert main(line.split()) == 0
        compared = {own["run"]: own[figure] for own in json.loads(capsys.readouterr().out)["runs"]}
        for run in ("run", "other"):
            own = scored("--task", "gn", f"{run}.trec", "gold.qrels", "--bootstrap", "20")
            assert compared[run] == pytest.approx(own["figures"][average][name], abs=1e-15)
            low, high = own["intervals"][figure]
            assert low <= high
    assert main(["overlap", "--task", "gn", "run.trec", "other.trec", "--gold", "gold.qrels", "--format", "json"]) == 0
    assert [own["items"] for own in json.loads(capsys.readouterr().out)["totals"]] == [4, 3]


def test_it_scores_pairs(scored):
    Path("run.trec").write_text("d1 Q0 P2:P1 1 5 me\nd1 Q0 P1:P3 2 4 me\n")
    Path("gold.qrels").write_text("d1 0 P1:P2 1\n")
    assert scored("--task", "ipt", "run.trec", "gold.qrels")["figures"]["micro"]["tp"] == 1


def test_scores_cut_when_they_are_confidences(scored):
    own = scored("--task", "gn", "--min-confidence", "0.5", "confident.trec", "gold.qrels")
    assert own["figures"]["micro"]["fp"] == 1
    assert "columns:rank,confidence|order:rank" in own["signature"]


def test_scores_that_are_no_confidences_cut_nothing_and_say_so(wrong):
    assert wrong("score", "--task", "gn", "--min-confidence", "0.5", "run.trec", "gold.qrels") == (
        "--min-confidence needs confidences, but not all scores of run.trec are above 0 and at most 1; "
        "use --cutoff-rank, or scale the scores."
    )


@pytest.mark.parametrize("option", [("--columns", "rank"), ("--rules", "bc3")])
def test_what_is_for_tab_separated_values_is_wrong_usage(option, wrong):
    said = wrong("score", "--task", "gn", *option, "run.trec", "gold.qrels")
    assert said == f"{option[0]} works only with tab-separated values, but run.trec is a TREC run; leave it out."


@pytest.mark.parametrize(("run", "gold"), [("run.trec", "gold.tsv"), ("run.tsv", "gold.qrels")])
def test_trec_has_no_classes(run, gold, wrong):
    assert "is in a TREC format for lists of identifiers; --task act needs" in wrong(
        "score", "--task", "act", run, gold
    )


def test_a_call_with_rank_and_confidence_is_no_judgement(scored):
    Path("calls.tsv").write_text("d1\t0\t1\t1\nd2\t0\t2\t1\n")
    Path("classes.tsv").write_text("d1\t0\nd2\t1\n")
    assert scored("--task", "act", "calls.tsv", "classes.tsv")["figures"]["tn"] == 1


def test_run_and_judgements_change_places_by_mistake(wrong):
    assert "run.trec is a TREC run, but was given as the gold standard" in wrong(
        "score", "--task", "gn", "gold.qrels", "run.trec"
    )
    assert "gold.qrels has TREC judgements, which are a gold standard" in wrong(
        "score", "--task", "gn", "gold.qrels", "gold.tsv"
    )


def test_it_tells_what_it_takes_from_a_run(capsys):
    for name, text in (("run.trec", RUN), ("confident.trec", CONFIDENT), ("gold.qrels", QRELS)):
        Path(name).write_text(text.replace(" P", " 715"))
    assert main(["check", "--task", "gn", "run.trec", "confident.trec", "--gold", "gold.qrels"]) == 0
    said = capsys.readouterr()
    assert "run.trec: no errors; results: 4, articles: 3" in said.out
    assert said.err.splitlines() == [
        "run.trec: TREC run; lists ordered by descending score, which is no confidence",
        "confident.trec: TREC run; lists ordered by descending score, which is the confidence",
    ]


def test_the_map_of_a_trec_run_is_that_of_ir_measures(scored):
    ir_measures = pytest.importorskip("ir_measures")
    own = scored("--task", "gn", "--further", "run.trec", "gold.qrels")
    qrels, run = ir_measures.read_trec_qrels("gold.qrels"), ir_measures.read_trec_run("run.trec")
    # Topics without a relevant document are in the means of ir_measures as 0, and not in ours.
    theirs = ir_measures.iter_calc([ir_measures.AP, ir_measures.RR, ir_measures.P @ 5], qrels, run)
    values = [(str(one.measure), one.value) for one in theirs if one.query_id != "d3"]
    for figure, measure in (("map", "AP"), ("mrr", "RR"), ("precision_at", "P@5")):
        by_topic = [value for name, value in values if name == measure]
        assert own["figures"]["further"][figure] == pytest.approx(sum(by_topic) / 2), figure


def test_a_fault_refuses_the_run(capsys):
    Path("run.trec").write_text("d1 Q0 P1 1 high me\nd1 Q0 P2 2 9 me\nd1 Q0 P2 3 8 me\n")
    assert main(["score", "--task", "gn", "run.trec", "gold.qrels"]) == 1
    assert [line.split()[:2] for line in capsys.readouterr().err.splitlines()] == [
        ["run.trec:1:12:", "R702"],
        ["run.trec:3:7:", "R704"],
    ]
