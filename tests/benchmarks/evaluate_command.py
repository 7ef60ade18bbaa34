"""How long `python -m evaluation` takes as a whole process, and how much memory.

    python -m tests.benchmarks.evaluate_command [--lines 10000000]

Every document of the runs has 250 results with rank and confidence; a sixteenth of the items is right. Ranks, items and
the order of the lines are made by a rule, so that two runs of this read the same files. Seconds of processor time tell
more than those of the clock where others use the machine, too. The ratios compare with a Python process that only reads
the same files and splits their lines. The BioCreative evaluation library, measured once on two cores with 600 documents
of 250 results, took 13.8 s on Python 2 and 5.0 s ported to Python 3.11.

pyarrow splits large blocks of lines if all of them are clean, so files with faults in all lines take longer.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.benchmarks.command_line import print_ratio, run_main

EACH = 250
ACCESSIONS = 40_000
# Prime, and of no size that is used here, so that its multiples visit every line of a file once.
STRIDE = 6_700_417
ALLOWED, MEMORY = 0.3, 2_000
# Of the processor, and megabytes, for the lines in no order if there are ten million.
LARGE_LINES, LARGE_ALLOWED, LARGE_MEMORY = 10**7, 12.0, 1_000
FEWEST_LINES = 1_000
READ_ALONE = """
import sys
for path in sys.argv[1:]:
    with open(path) as lines:
        for line in lines:
            line.split("\\t")
"""

MakeIdentifier = Callable[[int, int, int], str]


@dataclass(frozen=True, slots=True)
class ProcessCost:
    """What a process took: seconds by the clock and of the processor, and the most memory it had, in megabytes."""

    seconds: float
    processor: float
    memory: float


def make_accession(document: int, rank: int, _: int) -> str:
    return f"P{(document * 7919 + rank) % ACCESSIONS:05}"


def make_distinct_identifier(_document: int, _rank: int, row: int) -> str:
    return f"Q{row:09}"


def make_pair(_document: int, _rank: int, row: int) -> str:
    return f"P{row * 7919 % ACCESSIONS:05}\tQ{row // ACCESSIONS:05}"


def iter_lines(results: int, make_identifier: MakeIdentifier, *, grouped: bool) -> Iterator[tuple[str, str, bool]]:
    """Article and identifier, rank and confidence, and whether the first two are right."""
    for number in range(results):
        row = number if grouped else number * STRIDE % results
        document, rank = row // EACH, row % EACH + 1
        item = f"{10_000_000 + document}\t{make_identifier(document, rank, row)}"
        yield item, f"{rank}\t{(EACH + 1 - rank) / EACH:.3f}", (document * 31 + rank * 17) % 16 == 0


def write_run_and_gold(
    folder: Path, results: int, make_identifier: MakeIdentifier = make_accession, *, grouped: bool = False
) -> list[str]:
    run, gold = folder / "run.tsv", folder / "gold.tsv"
    with run.open("w") as run_file, gold.open("w") as gold_file:
        for item, ranking, right in iter_lines(results, make_identifier, grouped=grouped):
            run_file.write(f"{item}\t{ranking}\n")
            gold_file.write(f"{item}\n" if right else "")
    return [str(run), str(gold)]


def write_large_gold(folder: Path, results: int, documents: int) -> list[str]:
    """A gold standard of distinct items, and a run that has those of its first documents."""
    run, gold = folder / "run.tsv", folder / "gold.tsv"
    with run.open("w") as run_file, gold.open("w") as gold_file:
        for number, (item, ranking, _) in enumerate(iter_lines(results, make_distinct_identifier, grouped=True)):
            run_file.write(f"{item}\t{ranking}\n" if number < documents * EACH else "")
            gold_file.write(f"{item}\n")
    return [str(run), str(gold)]


def write_runs(folder: Path, runs: int, documents: int) -> list[str]:
    """Runs with the same items in different orders, and the gold standard."""
    paths = [folder / f"run{number:02}.tsv" for number in range(runs)]
    for number, path in enumerate(paths):
        with path.open("w") as run_file:
            for row in range(documents * EACH):
                document, index = divmod(row, EACH)
                item = f"{10_000_000 + document}\t{make_accession(document, index * (number + 1) % 251, row)}"
                run_file.write(f"{item}\t{index + 1}\t{(EACH - index) / EACH:.3f}\n")
    return [*map(str, paths), write_run_and_gold(folder, documents * EACH)[1]]


def write_faults(folder: Path, results: int) -> list[str]:
    """No line has a rank or a confidence, but for some that lack both or are blank."""
    run = folder / "run.tsv"
    with run.open("w") as run_file:
        for row in range(results):
            whole = f"{row // EACH}\tP{row % ACCESSIONS}\tx{row}\t{row + 2}\n"
            run_file.write(("\n", "few\n", whole, whole, whole)[row % 5])
    return [str(run)]


def measure_command(command: str, *files: str, status: int = 0) -> ProcessCost:
    """The cost of the command, which must end with this exit status."""
    return measure_process(["-m", "evaluation", *command.split(), *files], status)


def measure_reading(files: list[str]) -> ProcessCost:
    return measure_process(["-c", READ_ALONE, *files], 0)


def measure_process(arguments: list[str], status: int) -> ProcessCost:
    start = perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, code, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(code) != status:
        raise SystemExit(f"{arguments[:3]} ended with status {os.waitstatus_to_exitcode(code)}.")
    return ProcessCost(perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


def print_cost(what: str, results: int, cost: ProcessCost) -> None:
    print(
        f"{what:<46} {results:>10,} lines {cost.seconds:>7.2f} s {cost.processor:>7.2f} s of processor "
        f"{results / cost.processor:>9,.0f} lines/s {cost.memory:>6,.0f} MB "
        f"{cost.memory / MEMORY:.2f} of {MEMORY:,} MB",
        flush=True,
    )


def measure_official_size(folder: Path, documents: int, repeats: int) -> None:
    results = documents * EACH
    files = write_run_and_gold(folder, results)
    costs = [measure_command("score --task int --format json", *files) for _ in range(repeats)]
    best = min(costs, key=lambda cost: cost.processor)
    print_cost(f"INT, {documents} documents x {EACH} results", results, best)
    print(f"  {best.processor / ALLOWED:.2f} of the {ALLOWED} s of processor that it may take, all included")
    print_ratio("score INT / reading the files alone", best.processor, measure_reading(files).processor)


def measure_growth(folder: Path, most: int) -> None:
    before: ProcessCost | None = None
    for results in (most // 10**step for step in (3, 2, 1, 0)):
        if results < FEWEST_LINES:
            continue
        cost = measure_command("score --task int --format json", *write_run_and_gold(folder, results))
        print_cost("lines in no order", results, cost)
        if results == LARGE_LINES:
            print(f"  {cost.processor / LARGE_ALLOWED:.2f} of {LARGE_ALLOWED:g} s of processor")
            print(f"  {cost.memory / LARGE_MEMORY:.2f} of {LARGE_MEMORY:,} MB")
        if before:
            print_ratio(f"time of {results:,} lines / a tenth of them", cost.processor, before.processor)
            print_ratio(f"memory of {results:,} lines / a tenth of them", cost.memory, before.memory)
        before = cost


def measure_shapes(folder: Path, most: int, documents: int) -> None:
    """Files of the same size with different contents."""
    grouped = measure_command("score --task int", *write_run_and_gold(folder, most, grouped=True))
    print_cost("lines by document", most, grouped)

    def print_shape(what: str, cost: ProcessCost) -> None:
        print_cost(what, most, cost)
        print_ratio(f"{what} / lines by document", cost.processor, grouped.processor)

    files = write_run_and_gold(folder, most, make_distinct_identifier)
    print_shape("no identifier twice", measure_command("score --task int", *files))
    print_shape("the same, by confidence", measure_command("score --task int --order confidence", *files))
    large_gold = write_large_gold(folder, most, documents)
    print_shape("a gold standard, no identifier twice", measure_command("score --task int", *large_gold))
    pairs = write_run_and_gold(folder, most, make_pair)
    print_shape("pairs, none twice", measure_command("score --task ipt", *pairs))
    faulty = write_faults(folder, most)
    check = measure_command("check --task int --columns rank,confidence", *faulty, status=1)
    print_shape("faults in all lines", check)


def measure_many_runs(folder: Path, runs: int, documents: int) -> None:
    """Commands that read all runs of a challenge at once."""
    *paths, gold = write_runs(folder, runs, documents)
    results, reading = runs * documents * EACH, measure_reading([*paths, gold])
    joined = ["-o", str(folder / "joined.tsv")]
    for name, command, files in (
        ("compare", "compare --task int", [*paths, gold]),
        ("compare by macro.ap", "compare --task int --figure macro.ap", [*paths, gold]),
        ("ensemble", "ensemble --task int --votes 2", [*paths, *joined]),
    ):
        cost = measure_command(command, *files)
        print_cost(f"{name}, {runs} runs", results, cost)
        print_ratio(f"{name} / reading the runs alone", cost.processor, reading.processor)


def main(lines: int = 10**7, documents: int = 600, runs: int = 50, repeats: int = 5) -> None:
    with TemporaryDirectory() as folder:
        measure_official_size(Path(folder), documents, repeats)
        measure_growth(Path(folder), lines)
        measure_shapes(Path(folder), lines, documents)
        measure_many_runs(Path(folder), runs, documents)


if __name__ == "__main__":
    run_main(main)
