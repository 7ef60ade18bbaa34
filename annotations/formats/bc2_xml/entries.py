"""Builds the entries of BioCreative II XML from tokens, even if tags are missing, wrong or superfluous.

An ENTRY (some teams wrote ENTITY) has PPI_SUB_TASK_ID, TEAM_ID, RUN_NR and PMID; INTERACTION_PAIR with INTERACTOR_1,
INTERACTOR_2 and RANK; INT_DET_METHOD with INT_DET_METHOD_ID and RANK; SENTENCE_RANK and SENTENCE_PASSAGE. Elements
around entries are roots of any name, possibly several in a file. Where an element of the format begins shows where an
unclosed element before it should have ended.
Source: BioCreative II, protein-protein interaction task, description of its subtasks.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from annotations.formats.bc2_xml.fault_log import Bc2FaultLog
from annotations.formats.bc2_xml.markup import (
    MarkupToken,
    TextPosition,
    TokenKind,
    find_supported_encoding_default_utf8,
    iter_markup_tokens_keeping_invalid_bytes,
)
from annotations.formats.bc2_xml.text_decoder import Bc2TextDecoder
from annotations.formats.errors import quote_file_text

ENTRY_ELEMENT, PAIR_ELEMENT, METHOD_ELEMENT, RANK_ELEMENT = "ENTRY", "INTERACTION_PAIR", "INT_DET_METHOD", "RANK"
BC2_CHILDREN = {
    ENTRY_ELEMENT: {
        *("PPI_SUB_TASK_ID", "TEAM_ID", "RUN_NR", "PMID"),
        *(PAIR_ELEMENT, METHOD_ELEMENT, "SENTENCE_RANK", "SENTENCE_PASSAGE"),
        # Not allowed here by the format; Bc2EntryParser interprets or rejects it.
        RANK_ELEMENT,
    },
    PAIR_ELEMENT: {"INTERACTOR_1", "INTERACTOR_2", RANK_ELEMENT},
    METHOD_ELEMENT: {"INT_DET_METHOD_ID", RANK_ELEMENT},
}
BC2_LEAVES = frozenset().union(*BC2_CHILDREN.values()) - BC2_CHILDREN.keys()
BC2_ELEMENTS = BC2_LEAVES | BC2_CHILDREN.keys()
ENTRY_ALIAS = "ENTITY"
DEEPEST_NESTING = 64
LONGEST_VALUE = 100_000
WHITE_SPACE_RUN = re.compile(r"[ \t\r\n\v\f]+")
LONGEST_STRAY_TEXT = 200
NEWLINE = "\n"
TEXT_TOKENS = {TokenKind.TEXT, TokenKind.LITERAL, TokenKind.STRAY}


@dataclass(slots=True)
class Bc2Element:
    """An element. parts: the pieces of its text; size: the length of its text, including dropped characters."""

    name: str
    position: TextPosition
    children: list["Bc2Element"] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    size: int = 0

    @property
    def value(self) -> str:
        """The text, trimmed, with white space collapsed to one space."""
        return WHITE_SPACE_RUN.sub(" ", "".join(self.parts)).strip(" ")

    def list_children(self, name: str) -> list["Bc2Element"]:
        """The children of this name."""
        return [child for child in self.children if child.name == name]


def iter_bc2_entries(stream: BinaryIO, fault_log: Bc2FaultLog) -> Iterator[Bc2Element]:
    """Yield each ENTRY of a stream, which is rewound, as soon as it ends; notes faults of markup and text."""
    encoding = find_supported_encoding_default_utf8(stream)
    if encoding is None:
        fix = "save it as UTF-8 text and remove the declaration"
        fault_log.note_fault_or_repair(
            "R631", TextPosition(1, 1), f"the file declares an encoding that is not supported - {fix}"
        )
        return
    stack = Bc2ElementStack(fault_log)
    for token in iter_markup_tokens_keeping_invalid_bytes(stream, encoding):
        stack.process_token(token)
        yield from stack.finished_entries
        stack.finished_entries.clear()
        if stack.stopped:
            return
    stack.finish()
    yield from stack.finished_entries


class Bc2ElementStack:
    """The open elements and the finished entries."""

    def __init__(self, fault_log: Bc2FaultLog) -> None:
        self.fault_log = fault_log
        self.open_elements: list[Bc2Element] = []
        self.finished_entries: list[Bc2Element] = []
        self.stopped = False
        self.text_decoder = Bc2TextDecoder(fault_log)
        # The beginning of text outside all elements of the format, and its position.
        self.stray_text, self.stray_position = "", TextPosition(1, 1)

    def process_token(self, token: MarkupToken) -> None:
        """Process one token."""
        if token.kind not in TEXT_TOKENS:
            self.note_stray_text()
        match token.kind:
            case TokenKind.OPENING:
                self.open_element(token)
            case TokenKind.CLOSING:
                self.close_element(token)
            case TokenKind.EMPTY:
                if self.open_element(token):
                    self.pop_element()
            case TokenKind.TEXT | TokenKind.LITERAL | TokenKind.STRAY:
                self.add_text(self.text_decoder.decode_token(token), token.position)
            case TokenKind.DOCTYPE:
                fix = "remove it; the rest of the file was not read"
                self.stop_reading("R632", token.position, f"a document type or entity is declared here - {fix}")
            case TokenKind.ENDLESS:
                self.stop_reading("R633", token.position, f"{token.text} has no end - add its end")

    def stop_reading(self, rule: str, position: TextPosition, message: str) -> None:
        self.fault_log.note_fault_or_repair(rule, position, message)
        self.stopped = True

    def finish(self) -> None:
        """Close all open elements at the end of the file."""
        self.note_stray_text()
        while self.open_elements:
            self.close_innermost_with_fault("the end of the file")

    def open_element(self, token: MarkupToken) -> bool:
        """Open an element after closing those that cannot contain it. Returns whether the element is open now."""
        name = self.correct_element_name(token)
        if self.is_mistyped_closing_tag(name):
            problem = f"<{name}> is opened again here"
            repair_note = f"{problem} and was read as </{name}>"
            self.fault_log.note_fault_or_repair(
                "R633", token.position, f"{problem} - write </{name}> to close it", repair_note
            )
            self.pop_element()
            return False
        while self.open_elements and self.must_close_innermost(name):
            self.close_innermost_with_fault(f"<{name}>")
        if len(self.open_elements) == DEEPEST_NESTING:
            fix = "close the open elements; the rest of the file was not read"
            self.stop_reading(
                "R634", token.position, f"elements are nested deeper than {DEEPEST_NESTING} levels - {fix}"
            )
            return False
        element = Bc2Element(name, token.position)
        parent = self.open_elements[-1] if self.open_elements else None
        self.open_elements.append(element)
        if self.check_nesting(element, parent) and parent is not None and parent.name in BC2_CHILDREN:
            parent.children.append(element)
        return True

    def is_mistyped_closing_tag(self, name: str) -> bool:
        """Whether an opening tag was meant to close the open element of the same name."""
        innermost = self.open_elements[-1] if self.open_elements else None
        return innermost is not None and innermost.name == name and name in BC2_LEAVES and bool(innermost.value)

    def correct_element_name(self, token: MarkupToken) -> str:
        """The name of the element, corrected to that of the format if it differs in case or is ENTITY."""
        upper = token.text.upper()
        name = ENTRY_ELEMENT if upper == ENTRY_ALIAS else upper
        if name not in BC2_ELEMENTS or token.text in (name, ENTRY_ALIAS):
            return name if token.text == ENTRY_ALIAS else token.text
        repair_note = f"<{token.text}> was read as <{name}>"
        self.fault_log.note_fault_or_repair(
            "R634", token.position, f"<{token.text}> is not part of this format - write <{name}>", repair_note
        )
        return name

    def must_close_innermost(self, name: str) -> bool:
        """Whether the innermost open element must have ended where an element of this name begins."""
        innermost_name = self.open_elements[-1].name
        if name not in BC2_ELEMENTS or not self.is_in_entry:
            return False
        if name == ENTRY_ELEMENT or innermost_name not in BC2_CHILDREN:
            return True
        outer_names = {element.name for element in self.open_elements[:-1]}
        return name not in BC2_CHILDREN[innermost_name] and any(
            name in BC2_CHILDREN.get(outer_name, ()) for outer_name in outer_names
        )

    @property
    def is_in_entry(self) -> bool:
        return any(element.name == ENTRY_ELEMENT for element in self.open_elements)

    def check_nesting(self, element: Bc2Element, parent: Bc2Element | None) -> bool:
        """Whether the element is allowed here; notes a fault or repair if it is not."""
        name, position = element.name, element.position
        if parent is None or not self.is_in_entry or name == ENTRY_ELEMENT:
            return self.check_nesting_outside_entry(element)
        if name in BC2_CHILDREN.get(parent.name, ()):
            return True
        if name in BC2_ELEMENTS:
            allowed_parents = " or ".join(
                f"<{parent_name}>" for parent_name, children in BC2_CHILDREN.items() if name in children
            )
            return self.fault_log.note_fault_or_repair(
                "R634", position, f"<{name}> is in <{parent.name}> - move it into {allowed_parents}"
            )
        outcome = "the tag was skipped" if self.open_leaf else "the element was skipped"
        shown = quote_file_text(name)
        self.fault_log.note_fault_or_repair(
            "R634", position, f"{shown} is not an element of this format - remove it", f"{shown}: {outcome}"
        )
        return False

    def check_nesting_outside_entry(self, element: Bc2Element) -> bool:
        if (
            element.name == ENTRY_ELEMENT
            or element.name not in BC2_ELEMENTS
            or any(outer.name in BC2_ELEMENTS for outer in self.open_elements[:-1])
        ):
            return True
        problem = f"<{element.name}> is outside of any ENTRY - move it into one"
        return self.fault_log.note_fault_or_repair("R634", element.position, problem)

    @property
    def open_leaf(self) -> Bc2Element | None:
        """The innermost open element of the format if it contains text, else None."""
        innermost = next((element for element in reversed(self.open_elements) if element.name in BC2_ELEMENTS), None)
        return innermost if innermost is not None and innermost.name in BC2_LEAVES else None

    def close_element(self, token: MarkupToken) -> None:
        """Close the element of a closing tag, and those inside it that are still open."""
        upper = token.text.upper()
        names = {token.text, ENTRY_ELEMENT if upper == ENTRY_ALIAS else upper}
        if not any(element.name in names for element in self.open_elements):
            problem = f"</{quote_file_text(token.text)[1:-1]}> closes no open element"
            self.fault_log.note_fault_or_repair(
                "R633", token.position, f"{problem} - remove it, or correct its name", f"{problem} and was skipped"
            )
            return
        while self.open_elements[-1].name not in names:
            self.close_innermost_with_fault(f"</{token.text}>")
        self.pop_element()

    def close_innermost_with_fault(self, next_markup: str) -> None:
        """Close the innermost element, which has no closing tag before `next_markup`."""
        element = self.open_elements[-1]
        name = quote_file_text(element.name)[1:-1]
        problem = f"<{name}> is not closed before {next_markup}"
        self.fault_log.note_fault_or_repair(
            "R633", element.position, f"{problem} - write </{name}>", f"{problem} and was closed there"
        )
        self.pop_element()

    def pop_element(self) -> None:
        if not self.open_elements:
            return
        element = self.open_elements.pop()
        if element.name == ENTRY_ELEMENT:
            self.finished_entries.append(element)

    def add_text(self, text: str, position: TextPosition) -> None:
        """Add text to the open element, if that contains text."""
        leaf = self.open_leaf
        if leaf is None:
            self.add_stray_text(text, position)
            return
        room = max(LONGEST_VALUE - leaf.size, 0)
        if leaf.size <= LONGEST_VALUE < leaf.size + len(text):
            fix = "close the element, or shorten its text"
            self.fault_log.note_fault_or_repair(
                "R640", leaf.position, f"<{leaf.name}> has more than {LONGEST_VALUE:,} characters - {fix}"
            )
        leaf.size += len(text)
        if room:
            leaf.parts.append(text[:room])

    def add_stray_text(self, text: str, position: TextPosition) -> None:
        """Collect text outside the elements of the format; it is noted once, at the next tag."""
        if self.is_in_entry and self.open_elements[-1].name not in BC2_ELEMENTS:
            return
        stray = text if self.stray_text else text.lstrip()
        if not self.stray_text and stray:
            self.stray_position = position.advance(text[: len(text) - len(stray)])
        self.stray_text += stray[: max(LONGEST_STRAY_TEXT - len(self.stray_text), 0)]

    def note_stray_text(self) -> None:
        if not self.stray_text:
            return
        problem = f"{quote_file_text(self.stray_text.split(NEWLINE)[0].rstrip())} is in no element of the format"
        self.stray_text = ""
        fix = "move it into one, or remove it"
        self.fault_log.note_fault_or_repair(
            "R634", self.stray_position, f"{problem} - {fix}", f"{problem} and was skipped"
        )
