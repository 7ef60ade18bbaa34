"""How long 50 runs take in all scenarios, resampled and tested.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.resampling [--runs 50]

One thread for numpy's products, as the command sets it: on a busy machine several of them wait for each other.
600 documents with 250 results in each run, 10,000 samples. The answers are made by a rule, not by chance, so that the
benchmark always scores the same figures. The budget for figures, bootstrap and tests of macro F1 is 30 s on two cores.
The ratios compare with all figures of the same runs in one scenario.
"""

from collections.abc import Callable, Sequence
from itertools import product
from time import perf_counter, process_time

import numpy as np

from evaluation.analyses.cutoff_search import search_lowest_confidence_with_best_fap, search_lowest_rank_with_best_fap
from evaluation.analyses.ensemble import combine_list_runs_by_votes
from evaluation.analyses.overlap import count_items_by_producer_combination
from evaluation.analyses.significance.confidence_intervals import bootstrap_95_percent_list_intervals
from evaluation.analyses.significance.randomization import PairedTests, run_paired_list_tests
from evaluation.analyses.significance.shared_ranks import compute_shared_rank_intervals, median_critical_difference
from evaluation.measures.columns import CodedColumn, GoldColumns, RunColumns
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.lists.scenarios import ScoringScenario, iter_scenario_matches_and_hits, match_run_and_mark_hits
from evaluation.measures.run_figures import compute_evaluated_figures
from tests.benchmarks.command_line import print_ratio, run_main

RANKS, BUDGET, FEW = 250, 30.0, 5
PROTEINS = [f"P{number:05}" for number in range(3_000)]
TAXA = {name: ("9606", "10090", "4932")[number % 3] for number, name in enumerate(PROTEINS)}
HOMONYMS = {name: (PROTEINS[(number + 1) % 3_000],) for number, name in enumerate(PROTEINS)}


def list_documents(number: int) -> list[str]:
    return [str(30_000_000 + each) for each in range(number)]


def make_gold(documents: int) -> GoldColumns:
    """One to nine proteins of each document."""
    rows = [(own, (own * 37 + number * 5) % 3_000) for own in range(documents) for number in range(1 + own % 9)]
    document, item = np.array(rows).T
    return GoldColumns(CodedColumn(list_documents(documents), document), CodedColumn(PROTEINS, item))


def make_run(number: int, documents: int) -> RunColumns:
    """250 proteins of each document, right ones at every rank; the higher the number, the lower they are."""
    document, index = np.divmod(np.arange(documents * RANKS), RANKS)
    offset = 41 + index
    own, right = np.divmod(np.arange(documents * 9), 9)
    mixed = (own * 7919 + right * 104_729 + number * 1_299_709) % 9_973 / 9_973
    reported = (right <= own % 9) & (mixed * 7_919 % 1 > 0.15)
    offset[(own * RANKS + (RANKS * mixed ** (4 - number / 25)).astype(np.int64))[reported]] = 5 * right[reported]
    return RunColumns(
        CodedColumn(list_documents(documents), document),
        CodedColumn(PROTEINS, (document * 37 + offset) % 3_000),
        index + 1,
        (RANKS - index) / RANKS,
    )


def list_scenarios() -> list[ScoringScenario]:
    """All combinations of averaging articles, homonyms, organisms and a cut of each sort."""
    return [
        ScoringScenario(answered_only=answered, homonyms=homonyms, organisms=organisms, **cut)
        for answered, homonyms, organisms, cut in product(
            (False, True), (None, HOMONYMS), (None, TAXA), ({}, {"cutoff_rank": 10}, {"min_confidence": 0.5})
        )
    ]


def measure_seconds(what: str, work: Callable[[], object]) -> tuple[float, object]:
    """Seconds of processor time, which tell more than those of the clock where others use the machine, too."""
    start, processor = perf_counter(), process_time()
    result = work()
    seconds = process_time() - processor
    print(f"{what:<74} {perf_counter() - start:>8.2f} s {seconds:>8.2f} s of processor", flush=True)
    return seconds, result


def compute_all_figures(gold: GoldColumns, runs: Sequence[RunColumns], scenarios: list[ScoringScenario]) -> None:
    for run in runs:
        for evaluated in iter_scenario_matches_and_hits(gold, run, scenarios):
            compute_evaluated_figures(evaluated)


def measure_figures(gold: GoldColumns, runs: Sequence[RunColumns]) -> tuple[float, float]:
    """Seconds of all figures in one scenario and in all."""
    size, scenarios = len(runs), list_scenarios()
    one, _ = measure_seconds(
        f"{size} runs, all figures in one scenario", lambda: compute_all_figures(gold, runs, scenarios[:1])
    )
    every, _ = measure_seconds(
        f"{size} runs, all figures in {len(scenarios)} scenarios", lambda: compute_all_figures(gold, runs, scenarios)
    )
    print_ratio("all scenarios / one scenario", every, one)
    return one, every


def measure_tests(ranked: Sequence[RankedHits], samples: int, one: float) -> float:
    """Seconds of the bootstrap and of the tests of macro F1; one: seconds of all figures in one scenario."""
    size, pairs = len(ranked), len(ranked) * (len(ranked) - 1) // 2
    bootstrap, _ = measure_seconds(
        f"{size} runs, {samples:,} bootstrap samples of every figure",
        lambda: bootstrap_95_percent_list_intervals(ranked, samples, np.random.default_rng(1)),
    )
    print_ratio("bootstrap / one scenario", bootstrap, one)
    total = bootstrap
    for figure in ("macro.f1", "micro.f1", "macro.ap"):
        seconds, tests = measure_seconds(
            f"{pairs:,} paired tests of {figure}, {samples:,} samples",
            lambda figure=figure: run_paired_list_tests(ranked, figure, samples, np.random.default_rng(1)),
        )
        total += seconds if figure == "macro.f1" else 0.0
        print_separation(tests)
        print_ratio(f"paired tests of {figure} / one scenario", seconds, one)
    few = ranked[:FEW]
    for figure in ("macro.fap", "micro.ap", "micro.auc_ipr"):
        seconds, _ = measure_seconds(
            f"10 paired tests of {figure}, {samples:,} samples",
            lambda figure=figure: run_paired_list_tests(few, figure, samples, np.random.default_rng(1)),
        )
        print(f"  {pairs:,} such tests would take {seconds / 10 * pairs / 60:.1f} of at most 10 minutes")
    return total


def print_separation(tests: object) -> None:
    if isinstance(tests, PairedTests):
        apart = int((tests.p <= tests.level).sum()) // 2
        first = sum(rank.best == 1 for rank in compute_shared_rank_intervals(tests))
        difference = median_critical_difference(tests)
        print(f"  {apart} pairs separated, {first} runs share the first rank, critical difference {difference:.4f}")


def main(runs: int = 50, documents: int = 600, samples: int = 10_000) -> None:
    gold, made = make_gold(documents), [make_run(number, documents) for number in range(runs)]
    one, every = measure_figures(gold, made)
    ranked = [match_run_and_mark_hits(gold, own).ranked for own in made]
    total = every + measure_tests(ranked, samples, one)
    print(f"figures, bootstrap and tests of macro F1: {total:.1f} s of processor, {total / BUDGET:.2f} of {BUDGET:g} s")
    measure_seconds(
        "FAP cut-off of one run by confidence, 101 steps", lambda: search_lowest_confidence_with_best_fap(gold, made[0])
    )
    measure_seconds(
        "FAP cut-off of one run by rank, 250 ranks", lambda: search_lowest_rank_with_best_fap(gold, made[0])
    )
    measure_seconds("ensemble of five runs", lambda: combine_list_runs_by_votes(made[:FEW], 2))
    measure_seconds("overlap of five runs against gold", lambda: count_items_by_producer_combination(made[:FEW], gold))


if __name__ == "__main__":
    run_main(main)
