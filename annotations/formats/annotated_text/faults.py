"""Collects faults of a file that are noted with their line and column while reading."""

from collections import Counter

from annotations.formats.errors import MAX_FAULTS_PER_RULE, FormatError


class PositionedFaults:
    """The faults of one file: the first ones of each rule up to a limit, and the number of all."""

    def __init__(self, source: str, limit: int = MAX_FAULTS_PER_RULE) -> None:
        self.source, self.limit = source, limit
        self.kept: list[FormatError] = []
        self.counts: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return bool(self.kept)

    def is_full(self, rule: str) -> bool:
        """Whether further faults of the rule are only counted, so they need no message."""
        return self.counts[rule] >= self.limit

    def add(self, rule: str, line: int, column: int, message: str) -> None:
        """Note one fault. line, column: from 1; message: what is wrong and, after a dash, how to fix it."""
        self.counts[rule] += 1
        if self.counts[rule] <= self.limit:
            self.kept.append(FormatError(self.source, line, column, rule, message))

    def list_faults(self) -> list[FormatError]:
        """The faults in the order of the file, then the number of unlisted faults of each rule."""
        kept = sorted(self.kept, key=lambda fault: (fault.source, fault.line, fault.column, fault.rule))
        return kept + [
            FormatError(
                self.source, 0, 0, rule, f"and {number - self.limit:,} more of this rule - fix those above first"
            )
            for rule, number in sorted(self.counts.items())
            if number > self.limit
        ]
