"""Parsers of argument values on the command line."""

from argparse import ArgumentTypeError
from dataclasses import dataclass
from typing import Literal

DEFAULT_SEED = 1
MAX_SAMPLES = 1_000_000
MAX_BETA = 1_000_000


def parse_positive_count(text: str) -> int:
    """Parse a whole number of 1 or more."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def parse_sample_count(text: str) -> int:
    """Parse a number of samples; more than MAX_SAMPLES would fill the memory without benefit."""
    number = parse_positive_count(text)
    if number > MAX_SAMPLES:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MAX_SAMPLES:,}")
    return number


def parse_last_rank_or_zero(text: str) -> int:
    """Parse the last rank that counts; 0 cuts nothing, as in the BioCreative evaluation library."""
    return 0 if text == "0" else parse_positive_count(text)


def parse_seed(text: str) -> int:
    """Parse a whole number of 0 or more."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def parse_comma_separated_positive_counts(text: str) -> list[int]:
    """Parse whole numbers such as 5,10,20."""
    return [parse_positive_count(part) for part in text.split(",")]


def parse_unit_interval_number(text: str) -> float:
    """Parse a number from 0 to 1."""
    number = _parse_real_number(text)
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def parse_beta(text: str) -> float:
    """Parse a number above 0 whose square can be computed without overflow."""
    number = _parse_real_number(text)
    if not 0 < number <= MAX_BETA:
        raise ArgumentTypeError(f"{text!r} is not a number above 0 and at most {MAX_BETA:,}")
    return number


def _parse_real_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number") from None


@dataclass(frozen=True, slots=True)
class SwissProtFilter:
    """A list of accessions, and whether the gold standard or the results are restricted to it."""

    path: str
    side: Literal["gold", "results"]


def parse_swissprot_filter(text: str) -> SwissProtFilter:
    """Parse FILE:gold or FILE:results."""
    path, _, side = text.rpartition(":")
    if path and side == "gold":
        return SwissProtFilter(path, "gold")
    if path and side == "results":
        return SwissProtFilter(path, "results")
    raise ArgumentTypeError(f"{text!r} is not FILE:gold or FILE:results")


def parse_svg_path(text: str) -> str:
    """Parse a file name ending in .svg, so that no run is overwritten by mistake."""
    if not text.lower().endswith(".svg"):
        raise ArgumentTypeError(f"{text!r} does not end in .svg")
    return text
