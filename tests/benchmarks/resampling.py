"""How long 50 runs take in all scenarios, resampled and tested.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.resampling [runs]

One thread for numpy's products, as the command sets it: on a busy machine more of them wait for each other.
600 documents with 250 results in each run, 10,000 samples. The answers are made by a rule, not by chance, so that the
benchmark always scores the same figures. The budget for figures, bootstrap and tests of macro F1 is 30 s on two cores.
"""

import sys
from collections.abc import Callable
from itertools import product
from time import perf_counter, process_time

import numpy as np

from evaluation.analyses.cutoff_search import search_confidence_cutoff, search_rank_cutoff
from evaluation.analyses.ensemble import combine_list_runs
from evaluation.analyses.overlap import compute_overlap
from evaluation.analyses.significance.confidence_intervals import ranked_list_intervals
from evaluation.analyses.significance.randomization import PairedTests, run_paired_list_tests
from evaluation.analyses.significance.shared_ranks import compute_shared_ranks, median_critical_difference
from evaluation.measures.columns import CodedColumn, GoldColumns, RunColumns
from evaluation.measures.lists.scenarios import ScoringScenario, evaluate_run, iter_run_evaluations
from evaluation.measures.run_figures import compute_evaluated_figures

DOCUMENTS, RANKS, SAMPLES, BUDGET = 600, 250, 10_000, 30.0
NAMES = [str(30_000_000 + number) for number in range(DOCUMENTS)]
PROTEINS = [f"P{number:05}" for number in range(3_000)]
TAXA = {name: ("9606", "10090", "4932")[number % 3] for number, name in enumerate(PROTEINS)}
HOMONYMS = {name: (PROTEINS[(number + 1) % 3_000],) for number, name in enumerate(PROTEINS)}


def gold() -> GoldColumns:
    """One to nine proteins of each document."""
    rows = [(own, (own * 37 + number * 5) % 3_000) for own in range(DOCUMENTS) for number in range(1 + own % 9)]
    document, item = np.array(rows).T
    return GoldColumns(CodedColumn(NAMES, document), CodedColumn(PROTEINS, item))


def run(number: int) -> RunColumns:
    """250 proteins of each document, right ones at every rank; the higher its number, the lower they stand."""
    document, place = np.divmod(np.arange(DOCUMENTS * RANKS), RANKS)
    offset = 41 + place
    own, right = np.divmod(np.arange(DOCUMENTS * 9), 9)
    mixed = (own * 7919 + right * 104_729 + number * 1_299_709) % 9_973 / 9_973
    reported = (right <= own % 9) & (mixed * 7_919 % 1 > 0.15)
    offset[(own * RANKS + (RANKS * mixed ** (4 - number / 25)).astype(np.int64))[reported]] = 5 * right[reported]
    return RunColumns(
        CodedColumn(NAMES, document),
        CodedColumn(PROTEINS, (document * 37 + offset) % 3_000),
        place + 1,
        (RANKS - place) / RANKS,
    )


def scenarios() -> list[ScoringScenario]:
    """All combinations of averaging articles, homonyms, organisms and a cut of each sort."""
    return [
        ScoringScenario(answered_only=answered, homonyms=homonyms, organisms=organisms, **cut)
        for answered, homonyms, organisms, cut in product(
            (False, True), (None, HOMONYMS), (None, TAXA), ({}, {"cutoff_rank": 10}, {"min_confidence": 0.5})
        )
    ]


def timed(what: str, work: Callable[[], object]) -> tuple[float, object]:
    """Seconds of processor time, which tell more than those of the clock where others use the machine, too."""
    start, processor = perf_counter(), process_time()
    result = work()
    seconds = process_time() - processor
    print(f"{what:<74} {perf_counter() - start:>8.2f} s {seconds:>8.2f} s of processor", flush=True)
    return seconds, result


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    right, runs = gold(), [run(number) for number in range(size)]
    pairs, total = size * (size - 1) // 2, 0.0
    plain = [evaluate_run(right, own).ranked for own in runs]
    sets = scenarios()
    seconds, _ = timed(
        f"{size} runs, all figures in {len(sets)} scenarios",
        lambda: [[compute_evaluated_figures(each) for each in iter_run_evaluations(right, own, sets)] for own in runs],
    )
    total += seconds
    seconds, _ = timed(
        f"{size} runs, {SAMPLES:,} bootstrap samples of every figure",
        lambda: ranked_list_intervals(plain, SAMPLES, np.random.default_rng(1)),
    )
    total += seconds
    for figure in ("macro.f1", "micro.f1", "macro.ap"):
        seconds, tests = timed(
            f"{pairs:,} paired tests of {figure}, {SAMPLES:,} samples",
            lambda figure=figure: run_paired_list_tests(plain, figure, SAMPLES, np.random.default_rng(1)),
        )
        total += seconds if figure == "macro.f1" else 0.0
        show(tests)
    print(f"figures, bootstrap and tests of macro F1: {total:.1f} s of processor, {total / BUDGET:.2f} of {BUDGET:g} s")
    few = plain[:5]
    for figure in ("macro.fap", "micro.ap", "micro.auc_ipr"):
        seconds, _ = timed(
            f"10 paired tests of {figure}, {SAMPLES:,} samples",
            lambda figure=figure: run_paired_list_tests(few, figure, SAMPLES, np.random.default_rng(1)),
        )
        print(f"  {pairs:,} such tests would take {seconds / 10 * pairs / 60:.1f} of at most 10 minutes")
    timed("FAP cut-off of one run by confidence, 101 steps", lambda: search_confidence_cutoff(right, runs[0]))
    timed("FAP cut-off of one run by rank, 250 ranks", lambda: search_rank_cutoff(right, runs[0]))
    timed("ensemble of five runs", lambda: combine_list_runs(runs[:5], 2))
    timed("overlap of five runs against gold", lambda: compute_overlap(runs[:5], right))


def show(tests: object) -> None:
    if isinstance(tests, PairedTests):
        apart = int((tests.p <= tests.level).sum()) // 2
        first = sum(rank.best == 1 for rank in compute_shared_ranks(tests))
        print(
            f"  {apart} pairs separated, {first} runs share the first rank, "
            f"median critical difference {median_critical_difference(tests):.4f}"
        )


if __name__ == "__main__":
    main()
