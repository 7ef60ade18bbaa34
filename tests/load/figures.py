"""The figures of a load test, as a table in Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

REFUSED = "refused"
REFUSED_CODES = (429, 503)
HEADINGS = ("load", "answers a second", "p50", "p95", "p99", "longest", "refused", "errors", "calls a second")
HEADINGS_AFTER = ("recovered after", "database")
# The processes whose memory is measured together, by the names of their services.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "web": ("web", "web2"),
    "asking": ("asking",),
    "work": ("work", "scoring", "beat"),
    "PostgreSQL": ("database",),
    "nginx, PgBouncer, Redis": ("proxy", "pooler", "broker"),
}


@dataclass(frozen=True)
class Stage:
    """What was measured at one load. visitors: how many; summary: as locustfile.py writes it, times in milliseconds;
    memory: the most of each group in bytes; calls: answered by annotation servers a second; recovery: seconds from the
    end of the load until requests under way are answered and pages are quick, None if not within the limit; database:
    bytes.
    """

    factor: float
    visitors: int
    summary: Mapping[str, float | Mapping[str, object]] = field(default_factory=dict)
    memory: Mapping[str, int] = field(default_factory=dict)
    calls: float = 0.0
    recovery: float | None = None
    database: int = 0

    @property
    def refused(self) -> dict[str, int]:
        """Refusals with Retry-After by their code."""
        kinds = {str(name): each for name, each in self.kinds.items() if str(name).startswith(REFUSED)}
        return {name.removeprefix(f"{REFUSED} "): int(each["requests"]) for name, each in kinds.items()}

    @property
    def faults(self) -> dict[str, int]:
        """Everything that is neither an answer nor a polite refusal."""
        return dict(self.summary.get("faults", {}))  # type: ignore[arg-type]

    @property
    def kinds(self) -> Mapping[str, Mapping[str, float]]:
        return self.summary.get("kinds", {})  # type: ignore[return-value]

    @property
    def holds(self) -> bool:
        """Whether everybody was answered, 95 of 100 within two seconds."""
        return not self.refused and not self.faults and float(self.summary["p95"]) <= 2000  # type: ignore[arg-type]

    def cells(self) -> list[str]:
        answers = int(self.summary["requests"]) - int(self.summary["failures"])  # type: ignore[call-overload]
        rate = answers / max(float(self.summary["seconds"]), 0.001)  # type: ignore[arg-type]
        times = [format_seconds(self.summary[name]) for name in ("p50", "p95", "p99", "max")]  # type: ignore[arg-type]
        refused = ", ".join(f"{number} x {code}" for code, number in sorted(self.refused.items())) or "0"
        recovery = "not" if self.recovery is None else f"{self.recovery:.1f} s"
        memory = [f"{self.memory.get(group, 0) / 1e6:.0f} MB" for group in GROUPS]
        head = [f"{self.factor:g}x, {self.visitors} visitors", f"{rate:.0f}", *times, refused]
        return [
            *head,
            str(sum(self.faults.values())),
            f"{self.calls:.0f}",
            recovery,
            f"{self.database / 1e6:.0f} MB",
            *memory,
        ]


def format_seconds(milliseconds: float | None) -> str:
    return (
        ""
        if milliseconds is None
        else f"{milliseconds:.0f} ms"
        if milliseconds < 1000
        else f"{milliseconds / 1000:.1f} s"
    )


def format_table(stages: Sequence[Stage]) -> str:
    """One line for each stage, and after the table what went wrong."""
    headings = [*HEADINGS, *HEADINGS_AFTER, *GROUPS]
    rows = [headings, ["---"] * len(headings), *(stage.cells() for stage in stages)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    faults = [f"* {stage.factor:g}x: {number} x {fault}" for stage in stages for fault, number in stage.faults.items()]
    return "\n".join([*lines, *(["", *faults] if faults else []), "", describe_limit(stages)])


def describe_limit(stages: Sequence[Stage]) -> str:
    held = [stage.factor for stage in stages if stage.holds]
    broken = next((stage for stage in stages if not stage.holds), None)
    if broken is None:
        return f"It holds at {held[-1]:g}x."
    return f"It no longer holds at {broken.factor:g}x: more than 2 s for 5 of 100, or refusals, or errors."


def format_kinds(stage: Stage) -> str:
    """A table of the kinds of requests of one stage."""
    lines = ["| requests | number | p50 | p95 | p99 |", "|---|---|---|---|---|"]
    for name, each in sorted(stage.kinds.items()):
        times = [format_seconds(each[percent]) for percent in ("p50", "p95", "p99")]
        lines.append("| " + " | ".join([name, str(int(each["requests"])), *times]) + " |")
    return "\n".join(lines)
