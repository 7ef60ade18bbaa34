"""Text in BioCreative II XML: what references stand for, and bytes that are none of the file's encoding."""

import re
from html.entities import html5

from annotations.formats.bc2_xml_markup import Kind, Place, Token
from annotations.formats.bc2_xml_said import Said

REFERENCE = re.compile(r"&(?:(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{0,40});)?")
OWN_REFERENCES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
NOT_TEXT = re.compile("[\udc80-\udcff]+")
WINDOWS_1252 = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}


class Texts:
    """Reads the pieces of text of one file, in their order."""

    def __init__(self, said: Said) -> None:
        self.said = said
        self.told_line = 0

    def read(self, token: Token) -> str:
        """What a piece of text says; what is wrong in it is noted."""
        if token.kind == Kind.STRAY:
            said = "this < begins no tag"
            self.said.wrong("R635", token.place, f"{said} - write &lt; if it is text", f"{said} and was read as text")
            return token.text
        text = self.decoded(token.text, token.place)
        return self.resolved(text, token.place) if token.kind == Kind.TEXT and "&" in text else text

    def decoded(self, text: str, place: Place) -> str:
        """The text; bytes that are none are noted, once in each line, and read as Windows-1252."""
        at = 0
        for found in NOT_TEXT.finditer(text):
            place = place.after(text[at : found.start()])
            at = found.start()
            if place.line != self.told_line:
                self.told_line = place.line
                said = "this byte and perhaps others of the line are not of the file's encoding"
                mended = f"{said} and were read as Windows-1252"
                self.said.wrong("R631", place, f"{said} - save the file as UTF-8 text", mended)
        return text.translate(WINDOWS_1252) if at or NOT_TEXT.match(text) else text

    def resolved(self, text: str, place: Place) -> str:
        """The text with its references replaced by what they stand for."""
        parts, at = [], 0
        for found in REFERENCE.finditer(text):
            before = text[at : found.start()]
            place = place.after(before)
            parts += [before, self.meaning(found[1], place)]
            place = place.after(found[0])
            at = found.end()
        return "".join([*parts, text[at:]])

    def meaning(self, reference: str | None, place: Place) -> str:
        """What a reference stands for, given without & and ;: None is a bare &."""
        if reference is None:
            said = "this & begins no reference"
            self.said.wrong("R635", place, f"{said} - write &amp;", f"{said} and was read as text")
            return "&"
        own = character(reference)
        if own is not None:
            return own
        # Articles on the web are full of the names that HTML has for characters.
        guess = html5.get(f"{reference};")
        said = f"XML knows no &{reference};"
        mended = None if guess is None else f"{said}, which was read as {guess}"
        self.said.wrong("R635", place, f"{said} - write the character itself", mended)
        return guess or ""


def character(reference: str) -> str | None:
    """What XML takes a reference for, given without & and ;, None when it is none of XML's own."""
    if not reference.startswith("#"):
        return OWN_REFERENCES.get(reference)
    number = int(reference[2:], 16) if reference[1] in "xX" else int(reference[1:])
    allowed = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number <= 0x10FFFF
    return chr(number) if allowed and number not in (0xFFFE, 0xFFFF) else None
