"""The values of arguments on the command line."""

from argparse import ArgumentTypeError
from dataclasses import dataclass
from typing import Literal

# What samples begin with unless --seed says otherwise.
FIRST_SEED = 1
MOST_SAMPLES = 1_000_000
LARGEST = 1_000_000


def whole_number(text: str) -> int:
    """An argument that is a whole number from 1."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def samples(text: str) -> int:
    """An argument that is a number of samples; more than so many say nothing more, and fill the memory."""
    number = whole_number(text)
    if number > MOST_SAMPLES:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MOST_SAMPLES:,}")
    return number


def last_rank(text: str) -> int:
    """An argument that is the last rank that counts; 0 cuts nothing, as in the BioCreative evaluation library."""
    return 0 if text == "0" else whole_number(text)


def seed(text: str) -> int:
    """An argument that is a whole number from 0."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def whole_numbers(text: str) -> list[int]:
    """An argument such as 5,10,20."""
    return [whole_number(part) for part in text.split(",")]


def share(text: str) -> float:
    """An argument that is a number from 0 to 1."""
    number = real_number(text)
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"{text!r} is not from 0 to 1")
    return number


def positive(text: str) -> float:
    """An argument that is a number above 0, and so small that its square can be reckoned with."""
    number = real_number(text)
    if not 0 < number <= LARGEST:
        raise ArgumentTypeError(f"{text!r} is not a number above 0 and at most {LARGEST:,}")
    return number


def real_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number") from None


@dataclass(frozen=True, slots=True)
class SwissProt:
    """A list of accessions, and whether the gold standard or the results are restricted to it."""

    path: str
    side: Literal["gold", "results"]


def swissprot(text: str) -> SwissProt:
    """An argument FILE:gold or FILE:results."""
    path, _, side = text.rpartition(":")
    if path and side == "gold":
        return SwissProt(path, "gold")
    if path and side == "results":
        return SwissProt(path, "results")
    raise ArgumentTypeError(f"{text!r} is not FILE:gold or FILE:results")


def svg_name(text: str) -> str:
    """An argument that is the name of a file for SVG, so that no run is written over by mistake."""
    if not text.lower().endswith(".svg"):
        raise ArgumentTypeError(f"{text!r} does not end in .svg")
    return text
