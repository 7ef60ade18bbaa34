"""How names of genes are spelled: their pieces, Greek letters, and the form in which spellings are compared."""

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
# Greek letters that symbols write as their first Latin letter.
GREEK_WITHIN = re.compile("alpha|beta|gamma|delta|epsilon|kappa")
# What may stand between the pieces of one name.
JOINT = re.compile(rf"[ {re.escape(DASHES)}]?")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of letters or digits at [start, end) of a text, and its name_key; ends_word when none follows at once."""

    start: int
    end: int
    key: str
    begins_word: bool
    ends_word: bool


def pieces(text: str) -> list[Piece]:
    """The pieces of a text in order, with their places in it."""
    found = [(match.start(), match.end(), match[0].lower()) for match in PIECE.finditer(text)]
    starts, ends = {start for start, _, _ in found}, {end for _, end, _ in found}
    return [
        Piece(start, end, GREEK_NAMES.get(piece, piece), start not in ends, end not in starts)
        for start, end, piece in found
    ]


def joined(text: str, left: Piece, right: Piece) -> bool:
    """Whether nothing but a dash or a space stands between two neighbours, so that they may be one name."""
    return JOINT.fullmatch(text, left.end, right.start) is not None


def name_key(name: str) -> str:
    """A name in the form in which names are compared: regularized, Greek letters in full ("IL-1β": "il1beta")."""
    key = regularize(name)
    return key if key.isascii() else key.translate(IN_LATIN)


def shortened(key: str) -> Iterator[str]:
    """Other keys for the same name: a Greek letter within it as one Latin letter, as symbols have it (il1b)."""
    for match in GREEK_WITHIN.finditer(key, 2):
        yield key[: match.start()] + match[0][0] + key[match.end() :]
