"""Decodes text in BioCreative II XML: references, and bytes that are invalid in the file's encoding."""

import re
from html.entities import html5

from annotations.formats.bc2_xml.fault_log import Bc2FaultLog
from annotations.formats.bc2_xml.markup import MarkupToken, TextPosition, TokenKind

REFERENCE = re.compile(r"&(?:(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{0,40});)?")
XML_REFERENCES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
UNDECODED_BYTES = re.compile("[\udc80-\udcff]+")
WINDOWS_1252 = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}


class Bc2TextDecoder:
    """Decodes the text tokens of one file in their order."""

    def __init__(self, fault_log: Bc2FaultLog) -> None:
        self.fault_log = fault_log
        self.reported_line = 0

    def decode_token(self, token: MarkupToken) -> str:
        """The text of a token; notes its faults."""
        if token.kind == TokenKind.STRAY:
            problem = "this < begins no tag"
            self.fault_log.note_fault_or_repair(
                "R635", token.position, f"{problem} - write &lt; if it is text", f"{problem} and was read as text"
            )
            return token.text
        text = self.decode_bytes(token.text, token.position)
        return self.resolve_references(text, token.position) if token.kind == TokenKind.TEXT and "&" in text else text

    def decode_bytes(self, text: str, position: TextPosition) -> str:
        """The text; invalid bytes are noted, once in each line, and read as Windows-1252."""
        offset = 0
        for match in UNDECODED_BYTES.finditer(text):
            position = position.advance(text[offset : match.start()])
            offset = match.start()
            if position.line != self.reported_line:
                self.reported_line = position.line
                problem = "this byte and possibly others in this line are not valid in the file's encoding"
                repair_note = f"{problem} and were read as Windows-1252"
                self.fault_log.note_fault_or_repair(
                    "R631", position, f"{problem} - save the file as UTF-8 text", repair_note
                )
        return text.translate(WINDOWS_1252) if offset or UNDECODED_BYTES.match(text) else text

    def resolve_references(self, text: str, position: TextPosition) -> str:
        """The text with its references replaced by their characters."""
        parts, offset = [], 0
        for match in REFERENCE.finditer(text):
            text_before = text[offset : match.start()]
            position = position.advance(text_before)
            parts += [text_before, self.resolve_reference(match[1], position)]
            position = position.advance(match[0])
            offset = match.end()
        return "".join([*parts, text[offset:]])

    def resolve_reference(self, reference: str | None, position: TextPosition) -> str:
        """The character of a reference, given without & and ;; None stands for a bare &."""
        if reference is None:
            problem = "this & begins no reference"
            self.fault_log.note_fault_or_repair(
                "R635", position, f"{problem} - write &amp;", f"{problem} and was read as text"
            )
            return "&"
        resolved = _resolve_xml_reference(reference)
        if resolved is not None:
            return resolved
        # Articles copied from the web contain HTML names of characters.
        guess = html5.get(f"{reference};")
        problem = f"&{reference}; is not defined in XML"
        repair_note = None if guess is None else f"{problem} and was read as {guess}"
        self.fault_log.note_fault_or_repair("R635", position, f"{problem} - write the character itself", repair_note)
        return guess or ""


def _resolve_xml_reference(reference: str) -> str | None:
    """The character of a reference defined in XML, given without & and ;; None for other references."""
    if not reference.startswith("#"):
        return XML_REFERENCES.get(reference)
    number = int(reference[2:], 16) if reference[1] in "xX" else int(reference[1:])
    is_allowed = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number <= 0x10FFFF
    return chr(number) if is_allowed and number not in (0xFFFE, 0xFFFF) else None
