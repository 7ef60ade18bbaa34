"""ORCID iDs of people: 16 digits, of which the last one checks the others (ISO 7064, MOD 11-2), or is X for 10."""

import re

ORCID = re.compile(r"(?:(?:https?://)?(?:www\.)?orcid\.org/)?(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dX])/?", re.ASCII)


def parse_orcid(text: str) -> str:
    """The iD as "0000-0002-1825-0097"; with or without https://orcid.org/ and hyphens.

    ValueError, with a sentence for the person who typed it, if it has another form or a wrong check digit. Source:
    https://support.orcid.org/hc/en-us/articles/360006897674
    """
    match = ORCID.fullmatch(text.strip().replace("x", "X"))
    if match is None:
        raise ValueError("This is no ORCID iD. It has 16 digits, as in 0000-0002-1825-0097; copy yours from orcid.org.")
    orcid = "-".join(match.groups())
    if orcid[-1] != compute_check_character(orcid[:-1]):
        raise ValueError(
            "A digit of this ORCID iD is wrong: it does not match the last one. Copy yours from orcid.org."
        )
    return orcid


def compute_check_character(digits: str) -> str:
    """The character that follows the first 15 digits, by ISO 7064, MOD 11-2; other characters are skipped."""
    total = 0
    for digit in filter(str.isdecimal, digits):
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return "X" if check == 10 else str(check)
