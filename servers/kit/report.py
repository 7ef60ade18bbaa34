"""What a check found: for people, for programs, and as result files that the evaluation reads."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from annotations.kinds import LABELS, Finding, Kind
from bcms.lib.foreign import bounded
from servers.kit.checking import Check

MOST_TOLD = 10
MOST_IN_DATA = 200
LONGEST_SHOWN = 60
# The columns of each kind's result file: those of its task, in the evaluation's tab-separated form.
COLUMNS = {
    Kind.CLASSIFICATION: ("relevant",),
    Kind.NORMALIZATION: ("identifier",),
    Kind.TAXON: ("identifier",),
    Kind.METHOD: ("identifier",),
    Kind.PAIR: ("identifier", "partner"),
    Kind.PASSAGE: ("identifier", "partner", "text"),
}
TASKS = {
    Kind.CLASSIFICATION: "act",
    Kind.NORMALIZATION: "gn",
    Kind.TAXON: "tx",
    Kind.METHOD: "imt",
    Kind.PAIR: "ipt",
    Kind.PASSAGE: "iss",
}

# What Python's own reading of lines would split at, too.
SPACES = dict.fromkeys(map(ord, "\t\n\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")
Row = tuple[str, Finding]


def verdict(checks: Sequence[Check]) -> Iterator[str]:
    """The last lines of the report for people."""
    failed = sum(not check.passed for check in checks)
    if failed:
        yield f"{failed} of {counted(len(checks))} {'is' if failed == 1 else 'are'} not as the rules want them."
        return
    yield f"Every rule holds in the answers for {counted(len(checks))}."
    if not any(check.kept for check in checks):
        yield "The server found nothing in any of them, so that little was tried: send articles in which it should."


def counted(number: int) -> str:
    return f"{number:,} article{'' if number == 1 else 's'}"


def lines_of(check: Check) -> Iterator[str]:
    """What came of one article, for people."""
    phases = ", ".join(f"{name} {seconds:.3f}" for name, seconds in check.phases.items())
    yield f"Article {check.sample.identifier}: {bounded(check.sample.title, 200)}"
    yield f"  {check.seconds:.3f} s" + (f" ({phases})" if phases else "")
    if check.answer is None:
        yield f"  FAILED [{check.code}] {check.failure}"
        yield f"    What to do: {check.advice}"
        return
    if check.answer.stated_version:
        yield f"  version of the system: {check.answer.stated_version}"
    found = ", ".join(f"{LABELS[kind].lower()}: {number:,}" for kind, number in check.counts.items()) or "nothing"
    yield f"  would be stored: {found}"
    yield from (f"    {in_words(finding)}" for finding in check.kept[:MOST_TOLD])
    yield from more(len(check.kept))
    for rule in check.broken[:MOST_TOLD]:
        yield f"  BROKEN [{rule.code}] at {bounded(rule.where, LONGEST_SHOWN) or 'the answer'}: {rule.message}"
        yield f"    What to do: {rule.mend}"
    yield from more(len(check.broken))
    yield from (f"  note: {note}" for note in check.answer.notes)


def more(number: int) -> Iterator[str]:
    if number > MOST_TOLD:
        yield f"    and {number - MOST_TOLD:,} more"


def in_words(finding: Finding) -> str:
    """One finding in a line, as it would be stored."""
    said = shown(finding)
    extra = [f"{name} {said[name]}" for name in ("rank", "confidence") if said[name] is not None]
    where = bounded(str(said["where"]), LONGEST_SHOWN)
    return "  ".join(filter(None, [finding.kind, where, bounded(str(said["what"]), LONGEST_SHOWN), *extra]))


def shown(finding: Finding) -> dict[str, object]:
    """One finding as people see it in reports: kind, what, where, confidence and rank."""
    what = finding.text or finding.identifier
    if finding.kind == Kind.CLASSIFICATION:
        what = "relevant" if finding.relevant else "not relevant"
    elif finding.partner:
        what = f"{finding.identifier} - {finding.partner}"
    return {
        "kind": finding.kind.value,
        "what": what,
        "where": f"{finding.start}-{finding.end}" if finding.start is not None else finding.database,
        "confidence": finding.confidence,
        "rank": finding.rank,
    }


def as_data(checks: Sequence[Check]) -> dict[str, object]:
    """The report for programs."""
    return {"passed": all(check.passed for check in checks), "articles": [data_of(check) for check in checks]}


def data_of(check: Check) -> dict[str, object]:
    failure = {"code": check.code, "message": check.failure, "mend": check.advice} if check.answer is None else None
    broken = [
        {"code": rule.code, "where": rule.where, "message": rule.message, "mend": rule.mend} for rule in check.broken
    ]
    return {
        "id": check.sample.identifier,
        "passed": check.passed,
        "seconds": round(check.seconds, 6),
        "phases": dict(check.phases),
        "stated_version": check.answer.stated_version if check.answer else "",
        "failure": failure,
        "broken_rules": broken,
        "notes": check.answer.notes if check.answer else [],
        "stored": {kind.value: number for kind, number in check.counts.items()},
        "findings": [shown(finding) for finding in check.kept[:MOST_IN_DATA]],
    }


def write_results(checks: Sequence[Check], folder: Path) -> list[Path]:
    """One result file in the folder for each task that was answered, mentions as PubTator; the files written.

    Genes and proteins are two tasks: NCBI Gene's identifiers (gn) and UniProt's accessions (int). Raises OSError.
    """
    tasks: dict[str, list[Row]] = {}
    for check in checks:
        for finding in check.kept:
            if finding.kind != Kind.MENTION:
                tasks.setdefault(task_of(finding), []).append((check.sample.identifier, finding))
    written = [write_task(folder / f"{task}.tsv", rows) for task, rows in tasks.items()]
    if any(check.counts[Kind.MENTION] for check in checks):
        written.append(folder / "gm.pubtator")
        written[-1].write_text("\n".join(pubtator(check) for check in checks), encoding="utf-8")
    return written


def task_of(finding: Finding) -> str:
    """The task that asks for such findings, by its name in the evaluation."""
    return "int" if (finding.kind, finding.database) == (Kind.NORMALIZATION, "uniprot") else TASKS[finding.kind]


def write_task(path: Path, rows: Sequence[Row]) -> Path:
    """Rank and confidence are columns when every row has them, as they mean nothing else."""
    extra = [name for name in ("rank", "confidence") if all(getattr(each, name) is not None for _, each in rows)]
    columns = (*COLUMNS[rows[0][1].kind], *extra)
    path.write_text("".join(row_of(ident, each, columns) for ident, each in rows), encoding="utf-8")
    return path


def row_of(identifier: str, finding: Finding, columns: Sequence[str]) -> str:
    cells = [getattr(finding, column) for column in columns]
    told = [str(int(cell)) if isinstance(cell, bool) else " ".join(str(cell).split()) for cell in cells]
    return "\t".join([identifier, *told]) + "\n"


def pubtator(check: Check) -> str:
    """One document with its mentions; a line break or a tab has the width of a space."""
    ident, sample = check.sample.identifier, check.sample
    rows = [
        "\t".join([ident, str(each.start), str(each.end), in_line(each.text), in_line(each.type) or "Gene"])
        for each in check.kept
        if each.kind == Kind.MENTION
    ]
    return "\n".join([f"{ident}|t|{sample.title}", f"{ident}|a|{in_line(sample.abstract)}", *rows, ""])


def in_line(text: str) -> str:
    """The text with the characters that end lines and cells as spaces, so that positions stay."""
    return text.translate(SPACES)
