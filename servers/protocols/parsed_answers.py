"""The content of an answer, independent of its protocol."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from annotations.articles.text_alignment import TextAlignment
from annotations.schema import KIND_LABELS, AnnotationData, BrokenRule, Kind
from bcms.lib.text import clip_text_replacing_unprintable
from servers.protocols.answer_fields import LONGEST_SHOWN_NAME, AnswerFields, UnreadableValue

MOST_NOTES = 20
MOST_OMITTED_PARTS = 100
LONGEST_PATH = 120


class OmittedPart(NamedTuple):
    """A part of an answer that is not stored although it breaks no rule: its path in the answer, and why."""

    where: str
    reason: str


@dataclass(slots=True)
class OmittedParts:
    """The first hundred parts of an answer that are not stored, and the number of all."""

    parts: list[OmittedPart] = field(default_factory=list)
    count: int = 0

    def add(self, where: str, reason: str, count: int = 1) -> None:
        """Add a part, or so many parts that have one path and reason."""
        self.count += count
        if len(self.parts) < MOST_OMITTED_PARTS:
            self.parts.append(OmittedPart(clip_text_replacing_unprintable(where, LONGEST_PATH), reason))

    def build_data(self) -> dict[str, object]:
        """The parts as JSON-compatible data: {"count": .., "parts": [{"where": .., "reason": ..}, ...]}."""
        return {"count": self.count, "parts": [part._asdict() for part in self.parts]}

    def extend(self, others: "OmittedParts") -> None:
        self.parts = [*self.parts, *others.parts][:MOST_OMITTED_PARTS]
        self.count += others.count


@dataclass(slots=True)
class NoteCollector:
    """Deviations from the protocol that were accepted, each in one sentence, and the parts that are not stored."""

    notes: list[str] = field(default_factory=list)
    omitted: OmittedParts = field(default_factory=OmittedParts)

    def note(self, sentences: Sequence[str]) -> None:
        new = [sentence for sentence in sentences if sentence not in self.notes]
        self.notes += new[: MOST_NOTES - len(self.notes)]

    def note_fields(self, fields: AnswerFields) -> None:
        """Add the notes of a struct once it was read, and its members that nothing reads."""
        self.note(fields.notes)
        for name in fields.unknown_names:
            value, shown = fields.values[name], clip_text_replacing_unprintable(name, LONGEST_SHOWN_NAME)
            unreadable = f" It is {value}." if isinstance(value, UnreadableValue) else ""
            self.omitted.add(fields.get_path(shown), f"The protocol has no such value here.{unreadable}")

    def omit_kind(self, where: str, kind: Kind, value: object) -> None:
        """Add a part of a kind that the server is not registered for, unless it is empty."""
        self.omit_elements(where, value, format_unregistered_kind(kind))

    def omit_elements(self, where: str, value: object, reason: str) -> None:
        """Add the elements of an array, or any other value as one part, unless it is empty."""
        if value in (None, [], {}):
            return
        number = len(value) if isinstance(value, list) else 1
        prefix = f"{number:,} elements. " if number > 1 else ""
        self.omitted.add(where, prefix + reason, number)


def format_unregistered_kind(kind: Kind) -> str:
    return f"The server is not registered for {KIND_LABELS[kind].lower()}."


def format_unstored_links(number: int) -> str:
    """Why so many links between a mention and an identifier are not stored."""
    links = "1 link" if number == 1 else f"{number:,} links"
    return (
        f"{links} between a mention and an identifier: both are stored, but not that they belong together. Register "
        "the server for types of entities, and links are stored, too."
    )


@dataclass(slots=True)
class ParsedAnswer(NoteCollector):
    """The content of an answer: locations[i] is the path of annotations[i]; broken_rules are its unreadable parts.

    stated_version is the version of the system that answered, "" when the server does not state one. alignment: of the
    text that the answer has with the text that was sent, if they differ slightly; positions are in the former then.
    """

    annotations: list[AnnotationData] = field(default_factory=list)
    locations: list[str] = field(default_factory=list)
    broken_rules: list[BrokenRule] = field(default_factory=list)
    stated_version: str = ""
    alignment: TextAlignment | None = None
