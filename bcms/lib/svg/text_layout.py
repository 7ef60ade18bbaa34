"""Text in drawings: escape it, estimate its width, truncate and wrap it."""

import re
from html import escape
from unicodedata import east_asian_width

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Widths of letters relative to the font size, for DejaVu Sans, the widest of the usual sans-serif fonts.
WIDE, CAPITAL, NARROW, OTHER = 1.0, 0.76, 0.37, 0.63
NARROW_LETTERS = frozenset("iIjlft.,:;'|!()[] ")


def escape_svg_text(text: str) -> str:
    """Text escaped for elements and quoted attributes; characters that XML forbids are replaced."""
    return escape(NOT_XML.sub("\ufffd", text))


def estimate_text_width(text: str, font_size: float) -> float:
    """The approximate width of the text at this font size, in units of the drawing."""
    return font_size * sum(map(_estimate_letter_width, text))


def _estimate_letter_width(letter: str) -> float:
    if letter in NARROW_LETTERS:
        return NARROW
    if east_asian_width(letter) in "WF":
        return WIDE
    return CAPITAL if letter.isupper() or letter in "mw%@" else OTHER


def truncate_text_to_width(text: str, width: float, font_size: float) -> str:
    """The text, or as much of its beginning as fits into the width with an ellipsis."""
    if estimate_text_width(text, font_size) <= width:
        return text
    room, length = width - font_size * WIDE, 0
    while length < len(text) and (room := room - font_size * _estimate_letter_width(text[length])) >= 0:
        length += 1
    return f"{text[:length]}…"


def wrap_text_to_width(text: str, width: float, font_size: float) -> list[str]:
    """The text in lines that fit into the width, broken at spaces, and inside words that are too long."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        if line and estimate_text_width(f"{line} {word}", font_size) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
        while estimate_text_width(line, font_size) > width and len(line) > 1:
            head = truncate_text_to_width(line, width, font_size).removesuffix("…") or line[0]
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line] if line else lines
