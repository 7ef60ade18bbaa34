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

from evaluation.analyses.cutoff import cutoff_by_confidence, cutoff_by_rank
from evaluation.analyses.ensemble import ensemble
from evaluation.analyses.overlap import overlap
from evaluation.analyses.randomization import PairedTests, list_tests
from evaluation.analyses.ranks import resolution, shared_ranks
from evaluation.analyses.resampling import list_intervals
from evaluation.measures.columns import Coded, GoldColumns, RunColumns
from evaluation.measures.run_figures import list_figures_in
from evaluation.measures.scenarios import Scenario, evaluated

DOCUMENTS, RANKS, SAMPLES, BUDGET = 600, 250, 10_000, 30.0
NAMES = [str(30_000_000 + number) for number in range(DOCUMENTS)]
PROTEINS = [f"P{number:05}" for number in range(3_000)]
TAXA = {name: ("9606", "10090", "4932")[number % 3] for number, name in enumerate(PROTEINS)}
HOMONYMS = {name: (PROTEINS[(number + 1) % 3_000],) for number, name in enumerate(PROTEINS)}


def gold() -> GoldColumns:
    """One to nine proteins of each document."""
    rows = [(own, (own * 37 + number * 5) % 3_000) for own in range(DOCUMENTS) for number in range(1 + own % 9)]
    document, item = np.array(rows).T
    return GoldColumns(Coded(NAMES, document), Coded(PROTEINS, item))


def run(number: int) -> RunColumns:
    """250 proteins of each document, right ones at every rank; the higher its number, the lower they stand."""
    document, place = np.divmod(np.arange(DOCUMENTS * RANKS), RANKS)
    offset = 41 + place
    own, right = np.divmod(np.arange(DOCUMENTS * 9), 9)
    mixed = (own * 7919 + right * 104_729 + number * 1_299_709) % 9_973 / 9_973
    reported = (right <= own % 9) & (mixed * 7_919 % 1 > 0.15)
    offset[(own * RANKS + (RANKS * mixed ** (4 - number / 25)).astype(np.int64))[reported]] = 5 * right[reported]
    return RunColumns(
        Coded(NAMES, document),
        Coded(PROTEINS, (document * 37 + offset) % 3_000),
        place + 1,
        (RANKS - place) / RANKS,
    )


def scenarios() -> list[Scenario]:
    """All combinations of averaging articles, homonyms, organisms and a cut of each sort."""
    return [
        Scenario(answered_only=answered, homonyms=homonyms, organisms=organisms, **cut)
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
    plain = [evaluated(right, own).ranked for own in runs]
    sets = scenarios()
    seconds, _ = timed(
        f"{size} runs, all figures in {len(sets)} scenarios",
        lambda: [list_figures_in(right, own, sets) for own in runs],
    )
    total += seconds
    seconds, _ = timed(
        f"{size} runs, {SAMPLES:,} bootstrap samples of every figure",
        lambda: list_intervals(plain, SAMPLES, np.random.default_rng(1)),
    )
    total += seconds
    for figure in ("macro.f1", "micro.f1", "macro.ap"):
        seconds, tests = timed(
            f"{pairs:,} paired tests of {figure}, {SAMPLES:,} samples",
            lambda figure=figure: list_tests(plain, figure, SAMPLES, np.random.default_rng(1)),
        )
        total += seconds if figure == "macro.f1" else 0.0
        show(tests)
    print(f"figures, bootstrap and tests of macro F1: {total:.1f} s of processor, {total / BUDGET:.2f} of {BUDGET:g} s")
    few = plain[:5]
    for figure in ("macro.fap", "micro.ap", "micro.auc_ipr"):
        seconds, _ = timed(
            f"10 paired tests of {figure}, {SAMPLES:,} samples",
            lambda figure=figure: list_tests(few, figure, SAMPLES, np.random.default_rng(1)),
        )
        print(f"  {pairs:,} such tests would take {seconds / 10 * pairs / 60:.1f} of at most 10 minutes")
    timed("FAP cut-off of one run by confidence, 101 steps", lambda: cutoff_by_confidence(right, runs[0]))
    timed("FAP cut-off of one run by rank, 250 ranks", lambda: cutoff_by_rank(right, runs[0]))
    timed("ensemble of five runs", lambda: ensemble(runs[:5], 2))
    timed("overlap of five runs against gold", lambda: overlap(runs[:5], right))


def show(tests: object) -> None:
    if isinstance(tests, PairedTests):
        apart = int((tests.p <= tests.level).sum()) // 2
        first = sum(rank.best == 1 for rank in shared_ranks(tests))
        print(f"  {apart} pairs separated, {first} runs share the first rank, resolution {resolution(tests):.4f}")


if __name__ == "__main__":
    main()
