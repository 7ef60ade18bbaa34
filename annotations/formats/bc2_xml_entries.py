"""The entries of BioCreative II XML: which element stands in which, where tags are lacking, wrong or too many.

An ENTRY (some teams wrote ENTITY) holds PPI_SUB_TASK_ID, TEAM_ID, RUN_NR and PMID; INTERACTION_PAIR with INTERACTOR_1,
INTERACTOR_2 and RANK; INT_DET_METHOD with INT_DET_METHOD_ID and RANK; SENTENCE_RANK and SENTENCE_PASSAGE. Elements
around entries, several of them in a row too, are roots of any name. Where an element of the format begins tells where
those before it should have ended.
Source: BioCreative II, protein-protein interaction task, description of its subtasks.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from annotations.formats.bc2_xml_markup import (
    Kind,
    Place,
    Token,
    declared_encoding,
    tokens,
)
from annotations.formats.bc2_xml_said import Said
from annotations.formats.bc2_xml_text import Texts
from annotations.formats.tsv_faults import quoted

ENTRY, PAIR, METHOD, RANK = "ENTRY", "INTERACTION_PAIR", "INT_DET_METHOD", "RANK"
CHILDREN = {
    ENTRY: {
        *("PPI_SUB_TASK_ID", "TEAM_ID", "RUN_NR", "PMID"),
        *(PAIR, METHOD, "SENTENCE_RANK", "SENTENCE_PASSAGE"),
        # Not of the format here; whoever reads the entry tells what it may mean.
        RANK,
    },
    PAIR: {"INTERACTOR_1", "INTERACTOR_2", RANK},
    METHOD: {"INT_DET_METHOD_ID", RANK},
}
LEAVES = frozenset().union(*CHILDREN.values()) - CHILDREN.keys()
KNOWN = LEAVES | CHILDREN.keys()
ALSO_ENTRY = "ENTITY"
DEEPEST = 64
LONGEST_VALUE = 100_000
WHITE_SPACE = re.compile(r"[ \t\r\n\v\f]+")
LONGEST_OUTSIDE = 200
NEWLINE = "\n"
TEXTS = {Kind.TEXT, Kind.LITERAL, Kind.STRAY}


@dataclass(slots=True)
class Element:
    """An element that was read; parts: what its text consists of; size: how many characters that are or were."""

    name: str
    place: Place
    children: list["Element"] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    size: int = 0

    @property
    def value(self) -> str:
        """The text, trimmed, white space within folded to one space."""
        return WHITE_SPACE.sub(" ", "".join(self.parts)).strip(" ")

    def all(self, name: str) -> list["Element"]:
        """The children of this name."""
        return [child for child in self.children if child.name == name]


def read_entries(stream: BinaryIO, said: Said) -> Iterator[Element]:
    """Each ENTRY of a stream, which is rewound, as soon as it ends; notes what is wrong with markup and text."""
    encoding = declared_encoding(stream)
    if encoding is None:
        mend = "save it as UTF-8 text and remove the declaration"
        said.wrong("R631", Place(1, 1), f"the file declares an encoding that is not read - {mend}")
        return
    nesting = Nesting(said)
    for token in tokens(stream, encoding):
        nesting.take(token)
        yield from nesting.done
        nesting.done.clear()
        if nesting.stopped:
            return
    nesting.end()
    yield from nesting.done


class Nesting:
    """The elements that are open, and the entries that are done."""

    def __init__(self, said: Said) -> None:
        self.said = said
        self.open: list[Element] = []
        self.done: list[Element] = []
        self.stopped = False
        self.texts = Texts(said)
        # The beginning of text in no element, and its place.
        self.outside, self.outside_place = "", Place(1, 1)

    def take(self, token: Token) -> None:
        """Go on with one piece of markup."""
        if token.kind not in TEXTS:
            self.tell_outside()
        match token.kind:
            case Kind.OPENING:
                self.begin(token)
            case Kind.CLOSING:
                self.close(token)
            case Kind.EMPTY:
                if self.begin(token):
                    self.pop()
            case Kind.TEXT | Kind.LITERAL | Kind.STRAY:
                self.text(self.texts.read(token), token.place)
            case Kind.DOCTYPE:
                mend = "remove it; what follows was not read"
                self.stop("R632", token.place, f"a document type or entity is declared here - {mend}")
            case Kind.ENDLESS:
                self.stop("R633", token.place, f"{token.text} has no end - write it behind its text")

    def stop(self, rule: str, place: Place, message: str) -> None:
        self.said.wrong(rule, place, message)
        self.stopped = True

    def end(self) -> None:
        """The file is over: so is whatever is open."""
        self.tell_outside()
        while self.open:
            self.unclosed("the end of the file")

    def begin(self, token: Token) -> bool:
        """An opening tag: what cannot hold its element is over. Whether its element is open now."""
        name = self.spelled(token)
        if self.ends_itself(name):
            said = f"<{name}> stands here again"
            mended = f"{said} and was read as </{name}>"
            self.said.wrong("R633", token.place, f"{said} - write </{name}> to close it", mended)
            self.pop()
            return False
        while self.open and self.ends_at(name):
            self.unclosed(f"<{name}>")
        if len(self.open) == DEEPEST:
            mend = "close what is open; what follows was not read"
            self.stop("R634", token.place, f"elements are nested deeper than {DEEPEST} levels - {mend}")
            return False
        element = Element(name, token.place)
        holder = self.open[-1] if self.open else None
        self.open.append(element)
        if self.fits(element, holder) and holder is not None and holder.name in CHILDREN:
            holder.children.append(element)
        return True

    def ends_itself(self, name: str) -> bool:
        """Whether an opening tag is meant as the closing tag of the value before it."""
        own = self.open[-1] if self.open else None
        return own is not None and own.name == name and name in LEAVES and bool(own.value)

    def spelled(self, token: Token) -> str:
        """The name of the element as the format has it, if it is one of its own."""
        upper = token.text.upper()
        name = ENTRY if upper == ALSO_ENTRY else upper
        if name not in KNOWN or token.text in (name, ALSO_ENTRY):
            return name if token.text == ALSO_ENTRY else token.text
        mended = f"<{token.text}> was read as <{name}>"
        self.said.wrong("R634", token.place, f"<{token.text}> is not of this format - write <{name}>", mended)
        return name

    def ends_at(self, name: str) -> bool:
        """Whether the innermost open element cannot go on where an element of this name begins."""
        holder = self.open[-1].name
        if name not in KNOWN or not self.within_entry:
            return False
        if name == ENTRY or holder not in CHILDREN:
            return True
        above = {own.name for own in self.open[:-1]}
        return name not in CHILDREN[holder] and any(name in CHILDREN.get(other, ()) for other in above)

    @property
    def within_entry(self) -> bool:
        return any(own.name == ENTRY for own in self.open)

    def fits(self, element: Element, holder: Element | None) -> bool:
        """Whether the element may stand here; if it may not, that is noted."""
        name, place = element.name, element.place
        if holder is None or not self.within_entry or name == ENTRY:
            return self.fits_outside(element)
        if name in CHILDREN.get(holder.name, ()):
            return True
        if name in KNOWN:
            where = " or ".join(f"<{own}>" for own, names in CHILDREN.items() if name in names)
            return self.said.wrong("R634", place, f"<{name}> stands in <{holder.name}> - put it into {where}")
        what = "the tag was left out" if self.holding_leaf else "the element was left out"
        shown = quoted(name)
        self.said.wrong("R634", place, f"{shown} is no element of this format - remove it", f"{shown}: {what}")
        return False

    def fits_outside(self, element: Element) -> bool:
        if element.name == ENTRY or element.name not in KNOWN or any(own.name in KNOWN for own in self.open[:-1]):
            return True
        said = f"<{element.name}> stands outside of any ENTRY - move it into one"
        return self.said.wrong("R634", element.place, said)

    @property
    def holding_leaf(self) -> Element | None:
        """The element whose text goes on here: the innermost that is of the format, if it holds text."""
        known = next((own for own in reversed(self.open) if own.name in KNOWN), None)
        return known if known is not None and known.name in LEAVES else None

    def close(self, token: Token) -> None:
        """A closing tag: what is open within its element is over, too."""
        upper = token.text.upper()
        names = {token.text, ENTRY if upper == ALSO_ENTRY else upper}
        if not any(own.name in names for own in self.open):
            said = f"</{quoted(token.text)[1:-1]}> closes nothing that is open"
            self.said.wrong("R633", token.place, f"{said} - remove it, or correct its name", f"{said} and was left out")
            return
        while self.open[-1].name not in names:
            self.unclosed(f"</{token.text}>")
        self.pop()

    def unclosed(self, before: str) -> None:
        """The innermost element is over without its closing tag."""
        own = self.open[-1]
        name = quoted(own.name)[1:-1]
        said = f"<{name}> is not closed before {before}"
        self.said.wrong("R633", own.place, f"{said} - write </{name}>", f"{said} and was closed there")
        self.pop()

    def pop(self) -> None:
        if not self.open:
            return
        element = self.open.pop()
        if element.name == ENTRY:
            self.done.append(element)

    def text(self, text: str, place: Place) -> None:
        """Text belongs to the element that is open, if that holds any."""
        leaf = self.holding_leaf
        if leaf is None:
            self.text_outside(text, place)
            return
        room = max(LONGEST_VALUE - leaf.size, 0)
        if leaf.size <= LONGEST_VALUE < leaf.size + len(text):
            mend = "close the element, or shorten its text"
            self.said.wrong("R640", leaf.place, f"<{leaf.name}> has over {LONGEST_VALUE:,} characters - {mend}")
        leaf.size += len(text)
        if room:
            leaf.parts.append(text[:room])

    def text_outside(self, text: str, place: Place) -> None:
        """Text that belongs nowhere is told once, when markup ends it."""
        if self.within_entry and self.open[-1].name not in KNOWN:
            return
        kept = text if self.outside else text.lstrip()
        if not self.outside and kept:
            self.outside_place = place.after(text[: len(text) - len(kept)])
        self.outside += kept[: max(LONGEST_OUTSIDE - len(self.outside), 0)]

    def tell_outside(self) -> None:
        if not self.outside:
            return
        said = f"{quoted(self.outside.split(NEWLINE)[0].rstrip())} stands in no element of the format"
        self.outside = ""
        mend = "put it into one, or remove it"
        self.said.wrong("R634", self.outside_place, f"{said} - {mend}", f"{said} and was left out")
