"""Foreign text inside a drawing: made safe, and cut to the room that it has."""

import re
from html import escape
from unicodedata import east_asian_width

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Widths of letters in parts of the size of the type: those of DejaVu Sans, the widest of the usual sans-serifs.
WIDE, CAPITAL, NARROW, OTHER = 1.0, 0.76, 0.37, 0.63
NARROW_LETTERS = frozenset("iIjlft.,:;'|!()[] ")


def text(value: str) -> str:
    """Foreign text made safe inside an element or a quoted attribute, without the characters that XML forbids."""
    return escape(NOT_XML.sub("\ufffd", value))


def width_of(value: str, size: float) -> float:
    """About how wide the text is, in units of the drawing, in type of this size."""
    return size * sum(map(letter_width, value))


def letter_width(letter: str) -> float:
    if letter in NARROW_LETTERS:
        return NARROW
    if east_asian_width(letter) in "WF":
        return WIDE
    return CAPITAL if letter.isupper() or letter in "mw%@" else OTHER


def fitted(value: str, width: float, size: float) -> str:
    """The text, or as much of its beginning as fits into the width with an ellipsis."""
    if width_of(value, size) <= width:
        return value
    room, kept = width - size * WIDE, 0
    while kept < len(value) and (room := room - size * letter_width(value[kept])) >= 0:
        kept += 1
    return f"{value[:kept]}…"


def wrapped(value: str, width: float, size: float) -> list[str]:
    """The text in lines that fit into the width, broken at spaces, and within a word where it alone is too long."""
    lines: list[str] = []
    line = ""
    for word in value.split():
        if line and width_of(f"{line} {word}", size) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
        while width_of(line, size) > width and len(line) > 1:
            head = fitted(line, width, size).removesuffix("…") or line[0]
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line] if line else lines
