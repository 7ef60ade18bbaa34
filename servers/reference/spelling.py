"""How names of genes are spelled: words with their places, Greek letters, and the form in which spellings are compared."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bcms.lib.text import DASHES, regularize

GREEK_NAMES = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "ι": "iota",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ξ": "xi",
    "π": "pi",
    "σ": "sigma",
    "τ": "tau",
    "φ": "phi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
}
GREEK = "".join(GREEK_NAMES)
IN_LATIN = str.maketrans(GREEK_NAMES)
# One piece is a run of letters or of digits or a Greek letter: IL-1β is IL, 1, β.
PIECE = re.compile(rf"[^\W\d_{GREEK}]+|\d+|[{GREEK}]")
# What may stand between the pieces of one name.
JOINT = re.compile(rf"[ {re.escape(DASHES)}]?")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of letters or digits at [start, end) of a text; ends_word when no letter or digit follows at once."""

    start: int
    end: int
    text: str
    begins_word: bool
    ends_word: bool


def pieces(text: str) -> list[Piece]:
    """The pieces of a text in order, with their places in it."""
    found = [(match.start(), match.end(), match[0]) for match in PIECE.finditer(text)]
    starts, ends = {start for start, _, _ in found}, {end for _, end, _ in found}
    return [Piece(start, end, piece, start not in ends, end not in starts) for start, end, piece in found]


def joined(text: str, left: Piece, right: Piece) -> bool:
    """Whether nothing but a dash or a space stands between two neighbours, so that they may be one name."""
    return JOINT.fullmatch(text, left.end, right.start) is not None


def name_key(name: str) -> str:
    """A name in the form in which names are compared: regularized, Greek letters in full ("IL-1β": "il1beta")."""
    return regularize(name).translate(IN_LATIN)


def shortened(key: str) -> Iterator[str]:
    """Other keys for the same name: Greek names within it as one Latin letter, as symbols have them (il1beta: il1b)."""
    for letter, greek in LATIN_FOR_GREEK.items():
        if greek in key[2:]:
            yield key[:2] + key[2:].replace(greek, letter, 1)


LATIN_FOR_GREEK = {"a": "alpha", "b": "beta", "g": "gamma", "d": "delta", "e": "epsilon", "k": "kappa"}
