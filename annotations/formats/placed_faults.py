"""What is wrong in a file of text with annotations: noted with its line and column while reading, told after."""

from collections import Counter

from annotations.formats.errors import FormatError
from annotations.formats.tsv_faults import MOST_OF_A_RULE


class PlacedFaults:
    """The faults of one file: of each rule the first ones, at most `most`, and how many there are."""

    def __init__(self, source: str, most: int = MOST_OF_A_RULE) -> None:
        self.source, self.most = source, most
        self.kept: list[FormatError] = []
        self.numbers: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return bool(self.kept)

    def is_full(self, rule: str) -> bool:
        """Whether further faults of the rule are only counted, so that they need no message."""
        return self.numbers[rule] >= self.most

    def add(self, rule: str, line: int, column: int, message: str) -> None:
        """Note one fault: line and column from 1, in message what is wrong and, after a dash, how to mend it."""
        self.numbers[rule] += 1
        if self.numbers[rule] <= self.most:
            self.kept.append(FormatError(self.source, line, column, rule, message))

    def told(self) -> list[FormatError]:
        """The faults in the order of the file, then how many of each rule are not listed."""
        kept = sorted(self.kept, key=lambda fault: (fault.line, fault.column, fault.rule))
        return kept + [
            FormatError(
                self.source, 0, 0, rule, f"and {number - self.most:,} more of this rule - mend those above first"
            )
            for rule, number in sorted(self.numbers.items())
            if number > self.most
        ]
