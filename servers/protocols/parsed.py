"""What an answer holds, whichever protocol it was written in."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotations.kinds import BrokenRule, Finding

MOST_NOTES = 20


@dataclass(slots=True)
class Noted:
    """What was accepted though it is not as the protocol says, each in one sentence."""

    notes: list[str] = field(default_factory=list)

    def note(self, sentences: Sequence[str]) -> None:
        new = [sentence for sentence in sentences if sentence not in self.notes]
        self.notes += new[: MOST_NOTES - len(self.notes)]


@dataclass(slots=True)
class Parsed(Noted):
    """What an answer holds: places[i] is where findings[i] stood; broken are the parts that could not be read.

    stated_version is which version of its system answered, "" when the server does not say.
    """

    findings: list[Finding] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    broken: list[BrokenRule] = field(default_factory=list)
    stated_version: str = ""
