"""How long `python -m evaluation score` takes as a whole process: `python -m tests.benchmarks.evaluate_command`.

Every document of the runs has 250 results with rank and confidence, whose lines do not stand together; a sixteenth of
the items is right. The ranks and items are made by a rule, so that two runs of this read the same files.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

EACH = 250
ACCESSIONS = 40_000
ALLOWED = 0.5


def lines(documents: int) -> Iterator[tuple[str, str]]:
    """A line of the run, and of the gold standard or nothing."""
    for rank in range(1, EACH + 1):
        for document in range(documents):
            hit = f"{10_000_000 + document}\tP{(document * 7919 + rank) % ACCESSIONS:05}"
            right = (document * 31 + rank * 17) % 16 == 0
            yield f"{hit}\t{rank}\t{(EACH + 1 - rank) / EACH:.3f}\n", f"{hit}\n" if right else ""


def write(folder: Path, documents: int) -> tuple[Path, Path]:
    run, gold = folder / "run.tsv", folder / "gold.tsv"
    with run.open("w") as reported, gold.open("w") as truth:
        for line, right in lines(documents):
            reported.write(line)
            truth.write(right)
    return run, gold


def measure(run: Path, gold: Path) -> tuple[float, int]:
    """Seconds from start to end of the process, and the most memory it had, in bytes."""
    command = [sys.executable, "-m", "evaluation", "score", "--task", "int", "--format", "json", str(run), str(gold)]
    begun = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"The command ended with status {status}.")
    return perf_counter() - begun, usage.ru_maxrss * 1024


def main() -> None:
    with TemporaryDirectory() as folder:
        files = write(Path(folder), 600)
        seconds = min(measure(*files)[0] for _ in range(5))
        print(f"INT, 600 documents x 250 results, reading, checking and scoring: {seconds:.3f} s, whole process")
        print(f"  {seconds / ALLOWED:.2f} of the {ALLOWED} s that it may take")
        before = 0.0
        for results in (10**4, 10**5, 10**6, 10**7):
            seconds, memory = measure(*write(Path(folder), results // EACH))
            growth = f", {seconds / before:.1f} times the one before" if before else ""
            rate = f"{results:>10,} lines {seconds:>7.2f} s {results / seconds:>9,.0f} lines/s"
            print(f"  {rate} {memory / 1e6:>6,.0f} MB{growth}")
            before = seconds


if __name__ == "__main__":
    main()
