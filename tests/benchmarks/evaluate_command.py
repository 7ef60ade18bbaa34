"""How long `python -m evaluation` takes as a whole process, and how much memory.

    python -m tests.benchmarks.evaluate_command [lines]

Every document of the runs has 250 results with rank and confidence; a sixteenth of the items is right. Ranks, items and
the order of the lines are made by a rule, so that two runs of this read the same files. Seconds of processor time tell
more than those of the clock where others use the machine, too. The largest files have ten million lines, or as many as
are asked for.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

EACH = 250
ACCESSIONS = 40_000
# Prime, and of no size that is tried here, so that its multiples visit every line of a file once.
STRIDE = 6_700_417
RUNS = 50
ALLOWED, MEMORY = 0.5, 2_000
# The BioCreative evaluation library on 600 documents with 250 results each, on a machine with two cores.
OFFICIAL = {"on Python 2": 13.8, "ported to Python 3.11": 5.0}

Identifier = Callable[[int, int, int], str]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a process took: seconds by the clock and of the processor, and the most memory it had, in megabytes."""

    seconds: float
    processor: float
    memory: float


def accession(document: int, rank: int, _: int) -> str:
    return f"P{(document * 7919 + rank) % ACCESSIONS:05}"


def distinct(_document: int, _rank: int, row: int) -> str:
    return f"Q{row:09}"


def pair(_document: int, _rank: int, row: int) -> str:
    return f"P{row * 7919 % ACCESSIONS:05}\tQ{row // ACCESSIONS:05}"


def lines(results: int, identifier: Identifier, *, grouped: bool) -> Iterator[tuple[str, str, bool]]:
    """Article and identifier, rank and confidence, and whether the first two are right."""
    for number in range(results):
        row = number if grouped else number * STRIDE % results
        document, rank = row // EACH, row % EACH + 1
        said = f"{10_000_000 + document}\t{identifier(document, rank, row)}"
        yield said, f"{rank}\t{(EACH + 1 - rank) / EACH:.3f}", (document * 31 + rank * 17) % 16 == 0


def write(folder: Path, results: int, identifier: Identifier = accession, *, grouped: bool = False) -> list[str]:
    run, gold = folder / "run.tsv", folder / "gold.tsv"
    with run.open("w") as reported, gold.open("w") as truth:
        for said, sure, right in lines(results, identifier, grouped=grouped):
            reported.write(f"{said}\t{sure}\n")
            truth.write(f"{said}\n" if right else "")
    return [str(run), str(gold)]


def write_large_gold(folder: Path, results: int) -> list[str]:
    """A run of 600 documents, or all of a small gold standard, of which all is right, and so is all else."""
    run, gold = folder / "run.tsv", folder / "gold.tsv"
    with run.open("w") as reported, gold.open("w") as truth:
        for number, (said, sure, _) in enumerate(lines(results, distinct, grouped=True)):
            reported.write(f"{said}\t{sure}\n" if number < 600 * EACH else "")
            truth.write(f"{said}\n")
    return [str(run), str(gold)]


def write_runs(folder: Path) -> list[str]:
    """Fifty runs of 600 documents that report the same in fifty orders, and the gold standard."""
    paths = [folder / f"run{number:02}.tsv" for number in range(RUNS)]
    for number, path in enumerate(paths):
        with path.open("w") as reported:
            for row in range(600 * EACH):
                document, place = divmod(row, EACH)
                said = f"{10_000_000 + document}\t{accession(document, place * (number + 1) % 251, row)}"
                reported.write(f"{said}\t{place + 1}\t{(EACH - place) / EACH:.3f}\n")
    return [*map(str, paths), write(folder, 600 * EACH)[1]]


def write_faults(folder: Path, results: int) -> list[str]:
    """No line has a rank or a confidence, but for some that lack both or are blank."""
    run = folder / "run.tsv"
    with run.open("w") as reported:
        for row in range(results):
            whole = f"{row // EACH}\tP{row % ACCESSIONS}\tx{row}\t{row + 2}\n"
            reported.write(("\n", "few\n", whole, whole, whole)[row % 5])
    return [str(run)]


def measure(command: str, *files: str, status: int = 0) -> Measured:
    """The command, which must end with this exit status."""
    begun = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "evaluation", *command.split(), *files],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, code, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(code) != status:
        raise SystemExit(f"The command ended with status {os.waitstatus_to_exitcode(code)}.")
    return Measured(perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


def show(what: str, results: int, own: Measured) -> None:
    share = f"{own.memory / MEMORY:.2f} of {MEMORY:,} MB"
    print(
        f"{what:<46} {results:>10,} lines {own.seconds:>7.2f} s {own.processor:>7.2f} s of processor "
        f"{results / own.processor:>9,.0f} lines/s {own.memory:>6,.0f} MB {share}",
        flush=True,
    )


def against_the_official_library(folder: Path) -> None:
    files = write(folder, 600 * EACH)
    best = min((measure("score --task int --format json", *files) for _ in range(5)), key=lambda own: own.seconds)
    show("INT, 600 documents x 250 results", 600 * EACH, best)
    print(
        f"  {best.seconds / ALLOWED:.2f} of the {ALLOWED} s that it may take, reading and checking the files included"
    )
    for where, seconds in OFFICIAL.items():
        print(f"  the official library {where}: {seconds} s, {seconds / best.seconds:.0f} times as long")


def growth(folder: Path, most: int) -> None:
    before: Measured | None = None
    for results in (own for own in (10**4, 10**5, 10**6, 10**7) if own <= most):
        own = measure("score --task int --format json", *write(folder, results))
        show("lines in no order", results, own)
        if before:
            times = own.processor / before.processor
            print(f"  {times:.1f} times the time of the one before, {own.memory / before.memory:.1f} times its memory")
        before = own


def shapes(folder: Path, most: int) -> None:
    """Files of the same size that differ in what they hold."""
    show("lines by document", most, measure("score --task int", *write(folder, most, grouped=True)))
    files = write(folder, most, distinct)
    show("no identifier twice", most, measure("score --task int", *files))
    show("the same, by confidence", most, measure("score --task int --order confidence", *files))
    show("a gold standard, no identifier twice", most, measure("score --task int", *write_large_gold(folder, most)))
    show("pairs, none twice", most, measure("score --task ipt", *write(folder, most, pair)))
    faulty = write_faults(folder, most)
    show("faults in all lines", most, measure("check --task int --columns rank,confidence", *faulty, status=1))


def many_runs(folder: Path) -> None:
    """What reads all runs of a challenge at once."""
    *runs, gold = write_runs(folder)
    for what in ("compare --task int", "compare --task int --figure macro.ap"):
        show(f"{what.removesuffix(' --task int')}, {RUNS} runs", RUNS * 600 * EACH, measure(what, *runs, gold))
    joined = ("-o", str(folder / "joined.tsv"))
    show(f"ensemble, {RUNS} runs", RUNS * 600 * EACH, measure("ensemble --task int --votes 2", *runs, *joined))


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    with TemporaryDirectory() as folder:
        against_the_official_library(Path(folder))
        growth(Path(folder), most)
        shapes(Path(folder), most)
        many_runs(Path(folder))


if __name__ == "__main__":
    main()
