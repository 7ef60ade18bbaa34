"""What a check found: for people, for programs, and as result files that the evaluation reads."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from annotations.kinds import LABELS, Finding, Kind
from servers.kit.checking import Check

MOST_TOLD = 10
# The columns of each kind's result file: those of its task, in the evaluation's tab-separated form.
COLUMNS = {
    Kind.CLASSIFICATION: ("act", ("relevant",)),
    Kind.NORMALIZATION: ("gn", ("identifier",)),
    Kind.TAXON: ("tx", ("identifier",)),
    Kind.METHOD: ("imt", ("identifier",)),
    Kind.PAIR: ("ipt", ("identifier", "partner")),
    Kind.PASSAGE: ("iss", ("identifier", "partner", "text")),
}


def lines(checks: Sequence[Check]) -> Iterator[str]:
    """The report for people."""
    for check in checks:
        yield from lines_of(check)
        yield ""
    failed = sum(not check.passed for check in checks)
    if failed:
        yield f"{failed} of {len(checks)} articles are not as the rules want them."
    else:
        yield f"Every rule holds in the answers for all {len(checks)} articles."


def lines_of(check: Check) -> Iterator[str]:
    phases = ", ".join(f"{name} {seconds:.3f}" for name, seconds in check.phases.items())
    yield f"Article {check.sample.identifier}: {check.sample.title}"
    yield f"  {check.seconds:.3f} s ({phases})"
    if check.answer is None:
        yield f"  FAILED [{check.code}] {check.failure}"
        yield f"  What to do: {check.advice}"
        return
    found = ", ".join(f"{LABELS[kind].lower()}: {number}" for kind, number in check.counts.items()) or "nothing"
    yield f"  would be stored: {found}"
    for rule in check.broken[:MOST_TOLD]:
        yield f"  BROKEN [{rule.code}] at {rule.where or 'the answer'}: {rule.message}"
        yield f"    What to do: {rule.mend}"
    if len(check.broken) > MOST_TOLD:
        yield f"  and {len(check.broken) - MOST_TOLD:,} more"
    yield from (f"  note: {note}" for note in check.answer.notes)


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
        "failure": failure,
        "broken_rules": broken,
        "notes": check.answer.notes if check.answer else [],
        "stored": {kind.value: number for kind, number in check.counts.items()},
    }


def write_results(checks: Sequence[Check], folder: Path) -> list[Path]:
    """One result file for each kind that was answered, mentions as PubTator; the files that were written."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [write_kind(checks, kind, folder) for kind in COLUMNS if any(check.counts[kind] for check in checks)]
    if any(check.counts[Kind.MENTION] for check in checks):
        written.append(folder / "gm.pubtator")
        written[-1].write_text("\n".join(pubtator(check) for check in checks), encoding="utf-8")
    return written


def write_kind(checks: Sequence[Check], kind: Kind, folder: Path) -> Path:
    """Rank and confidence are columns when every row has them, as they mean nothing else."""
    name, columns = COLUMNS[kind]
    rows = [(check.sample.identifier, finding) for check in checks for finding in check.kept if finding.kind == kind]
    extra = [name for name in ("rank", "confidence") if all(getattr(each, name) is not None for _, each in rows)]
    path = folder / f"{name}.tsv"
    path.write_text("".join(row_of(ident, each, (*columns, *extra)) for ident, each in rows), encoding="utf-8")
    return path


def row_of(identifier: str, finding: Finding, columns: Sequence[str]) -> str:
    cells = [getattr(finding, column) for column in columns]
    told = [str(int(cell)) if isinstance(cell, bool) else " ".join(str(cell).split()) for cell in cells]
    return "\t".join([identifier, *told]) + "\n"


def pubtator(check: Check) -> str:
    """One document with its mentions; a line break has the width of a space."""
    ident, sample = check.sample.identifier, check.sample
    rows = [
        "\t".join([ident, str(each.start), str(each.end), " ".join(each.text.split("\n")), each.type or "Gene"])
        for each in check.kept
        if each.kind == Kind.MENTION
    ]
    return "\n".join([f"{ident}|t|{sample.title}", f"{ident}|a|{sample.abstract}", *rows, ""])
