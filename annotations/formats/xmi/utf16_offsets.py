"""Offsets in UTF-16 code units, which UIMA counts: an astral character has two."""

from bisect import bisect_left

LAST_BMP_CHARACTER = 0xFFFF


class Utf16Offsets:
    """Converts offsets in a text between code points and UTF-16 code units."""

    def __init__(self, text: str) -> None:
        self.astral_offsets = [offset for offset, character in enumerate(text) if ord(character) > LAST_BMP_CHARACTER]
        self.astral_units = [offset + number for number, offset in enumerate(self.astral_offsets)]

    def convert_offset(self, offset: int) -> int:
        """The code units before an offset in code points."""
        return offset + bisect_left(self.astral_offsets, offset)

    def find_code_point_or_none(self, unit: int) -> int | None:
        """The offset in code points of an offset in code units; None inside a character."""
        number = bisect_left(self.astral_units, unit)
        is_inside = number > 0 and self.astral_units[number - 1] == unit - 1
        return None if is_inside else unit - number
