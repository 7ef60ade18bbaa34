"""Reads the lines of an .ann file; what they refer to is resolved in documents.py."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.errors import quote_file_text
from annotations.schema import Span

UNKNOWN_LINE = "R672"
REPEATED_ID = "R673"
LINE_FORMS: Mapping[str, re.Pattern[str]] = {
    "T": re.compile(r"(T\S+)\t(\S+) ([0-9]{1,15} [0-9]{1,15}(?:;[0-9]{1,15} [0-9]{1,15})*)(?:\t(.*))?"),
    "R": re.compile(r"(R\S+)\t(\S+) ([^\s:]+):(\S+) ([^\s:]+):(\S+)\s*"),
    "E": re.compile(r"(E\S+)\t([^\s:]+):(\S+)((?: [^\s:]+:\S+)*)\s*"),
    "*": re.compile(r"(\*)\t(\S+)((?: \S+)+)\s*"),
    "A": re.compile(r"(A\S+)\t(\S+) (\S+)(?: (\S.*?))?\s*"),
    "M": re.compile(r"(M\S+)\t(\S+) (\S+)(?: (\S.*?))?\s*"),
    "N": re.compile(r"(N\S+)\t(\S+) (\S+) ([^\t]*[^\s])(?:\t(.*))?\s*"),
    "#": re.compile(r"(#\S*)\t(\S+) (\S+)(?:[\t ](.*))?"),
}
FORM_EXAMPLES = {
    "T": "T1, a tab, Gene 0 4, a tab and the text",
    "R": "R1, a tab, and Binds Arg1:T1 Arg2:T2",
    "E": "E1, a tab, and Binding:T3 Theme:T1 Theme2:T2",
    "*": "an asterisk, a tab, and Equiv T1 T2",
    "A": "A1, a tab, and Negation E1",
    "M": "M1, a tab, and Negation E1",
    "N": "N1, a tab, Reference T1 MESH:D001943, a tab and the text",
}
ANNOTATIONS_WITH_IDS = frozenset("TRE")


@dataclass(frozen=True, slots=True)
class TextBound:
    """A `T` line. column: where its spans begin; text: None if the line has none."""

    id: str
    line: int
    column: int
    type: str
    spans: tuple[Span, ...]
    text: str | None


@dataclass(frozen=True, slots=True)
class LinkedLine:
    """An `R`, `E` or `*` line. trigger: of an event, otherwise empty; arguments: roles and IDs."""

    id: str
    line: int
    type: str
    arguments: tuple[tuple[str, str], ...]
    trigger: str = ""

    def list_targets(self) -> list[str]:
        return [*([self.trigger] if self.trigger else ()), *(target for _, target in self.arguments)]


@dataclass(frozen=True, slots=True)
class AttachedLine:
    """An attribute, a normalization or a note. name: of the attribute, the kind of note; value: its text."""

    line: int
    name: str
    target: str
    value: str


@dataclass(slots=True)
class StandoffLines:
    """The lines of a file by their form, in its order; ids: the IDs of text-bound annotations, relations and events."""

    text_bounds: list[TextBound] = field(default_factory=list)
    relations: list[LinkedLine] = field(default_factory=list)
    events: list[LinkedLine] = field(default_factory=list)
    attributes: list[AttachedLine] = field(default_factory=list)
    references: list[AttachedLine] = field(default_factory=list)
    notes: list[AttachedLine] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)


def read_standoff_lines(content: str, faults: PositionedFaults) -> StandoffLines:
    """The lines of an .ann file; notes lines of another form (R672) and repeated IDs (R673)."""
    lines = StandoffLines()
    for number, line in enumerate(content.split("\n"), 1):
        text = line.removesuffix("\r")
        if not text.strip():
            continue
        form = LINE_FORMS.get(text[0])
        match = form.fullmatch(text) if form else None
        if match:
            _add_line(lines, number, match, faults)
        elif text[0] == "#":
            lines.notes.append(AttachedLine(number, "", "", text))
        else:
            _note_unknown_line(number, text, faults)
    return lines


def _note_unknown_line(number: int, text: str, faults: PositionedFaults) -> None:
    if faults.is_full(UNKNOWN_LINE):
        faults.add(UNKNOWN_LINE, number, 1, "")
        return
    example = FORM_EXAMPLES.get(text[0])
    fix = f"write {example}" if example else "begin the line with T, R, E, *, A, M, N or #"
    faults.add(UNKNOWN_LINE, number, 1, f"{quote_file_text(text)} is not a line of brat standoff - {fix}")


def _add_line(lines: StandoffLines, number: int, match: re.Match[str], faults: PositionedFaults) -> None:
    line_id, letter = match[1], match[1][0]
    if letter in ANNOTATIONS_WITH_IDS:
        if line_id in lines.ids:
            problem = f"there is already an annotation {quote_file_text(line_id)}"
            faults.add(REPEATED_ID, number, 1, f"{problem} - give each its own number")
            return
        lines.ids.add(line_id)
    match letter:
        case "T":
            spans = tuple(Span(*map(int, part.split())) for part in match[3].split(";"))
            lines.text_bounds.append(TextBound(line_id, number, match.start(3) + 1, match[2], spans, match[4]))
        case "R":
            lines.relations.append(LinkedLine(line_id, number, match[2], ((match[3], match[4]), (match[5], match[6]))))
        case "E":
            arguments = tuple(_iter_arguments(match[4]))
            lines.events.append(LinkedLine(line_id, number, match[2], arguments, match[3]))
        case "*":
            arguments = tuple(("", target) for target in match[3].split())
            lines.relations.append(LinkedLine(line_id, number, match[2], arguments))
        case "A" | "M":
            lines.attributes.append(AttachedLine(number, match[2], match[3], match[4] or "true"))
        case "N":
            lines.references.append(AttachedLine(number, match[2], match[3], match[4]))
        case _:
            lines.notes.append(AttachedLine(number, match[2], match[3], match[4] or ""))


def _iter_arguments(text: str) -> Iterator[tuple[str, str]]:
    for argument in text.split():
        role, _, target = argument.partition(":")
        yield role, target
