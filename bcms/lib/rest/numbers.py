"""Parse numbers in URLs."""

import re

MAX_INT32 = 2**31 - 1


def parse_positive_int32(text: str) -> int | None:
    """An integer from 1 to 2**31 - 1, which fits a database column; None for any other text."""
    number = int(text) if re.fullmatch(r"[0-9]{1,10}", text, re.ASCII) else 0
    return number if 0 < number <= MAX_INT32 else None


def parse_positive_share(text: str) -> float | None:
    """A number above 0 and at most 1, with at most 6 decimals; None for any other text."""
    number = float(text) if re.fullmatch(r"[01]?(?:\.[0-9]{0,6})?", text, re.ASCII) and text.strip(".") else 0.0
    return number if 0 < number <= 1 else None
