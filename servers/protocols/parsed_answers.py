"""The content of an answer, independent of its protocol."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotations.schema import AnnotationData, BrokenRule

MOST_NOTES = 20


@dataclass(slots=True)
class NoteCollector:
    """Deviations from the protocol that were accepted, each in one sentence."""

    notes: list[str] = field(default_factory=list)

    def note(self, sentences: Sequence[str]) -> None:
        new = [sentence for sentence in sentences if sentence not in self.notes]
        self.notes += new[: MOST_NOTES - len(self.notes)]


@dataclass(slots=True)
class ParsedAnswer(NoteCollector):
    """The content of an answer: locations[i] is the path of annotations[i]; broken_rules are its unreadable parts.

    stated_version is the version of the system that answered, "" when the server does not state one.
    """

    annotations: list[AnnotationData] = field(default_factory=list)
    locations: list[str] = field(default_factory=list)
    broken_rules: list[BrokenRule] = field(default_factory=list)
    stated_version: str = ""
