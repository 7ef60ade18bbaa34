"""The spelling of gene names: their pieces, their Greek letters, and the keys by which spellings are compared."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bcms.lib.text import DASHES, strip_case_spaces_and_dashes

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
# A piece is a run of letters, a run of digits or one Greek letter: IL-1β is IL, 1, β.
PIECE = re.compile(rf"[^\W\d_{GREEK}]+|\d+|[{GREEK}]")
# Greek letters that gene symbols abbreviate to one Latin letter.
GREEK_WITHIN = re.compile("alpha|beta|gamma|delta|epsilon|kappa")
# The optional separator between the pieces of one name.
JOINT = re.compile(rf"[ {re.escape(DASHES)}]?")


@dataclass(frozen=True, slots=True)
class NamePiece:
    """A piece at [start, end) of a text with its key; begins_word and ends_word: no piece directly before or after."""

    start: int
    end: int
    key: str
    begins_word: bool
    ends_word: bool


def split_letter_digit_and_greek_character_pieces(text: str) -> list[NamePiece]:
    """The pieces of a text in order."""
    pieces = [(match.start(), match.end(), match[0].lower()) for match in PIECE.finditer(text)]
    starts, ends = {start for start, _, _ in pieces}, {end for _, end, _ in pieces}
    return [
        NamePiece(start, end, GREEK_NAMES.get(piece, piece), start not in ends, end not in starts)
        for start, end, piece in pieces
    ]


def is_gap_at_most_one_separator(text: str, left_piece: NamePiece, right_piece: NamePiece) -> bool:
    """Whether at most one dash or space separates two neighbouring pieces, so that they may be one name."""
    return JOINT.fullmatch(text, left_piece.end, right_piece.start) is not None


def regularize_name_and_spell_greek(gene_name: str) -> str:
    """The form by which names are compared: regularized, with Greek letters spelled out ("IL-1β": "il1beta")."""
    key = strip_case_spaces_and_dashes(gene_name)
    return key if key.isascii() else key.translate(IN_LATIN)


def iter_keys_abbreviating_one_inner_greek_name(regularized_key: str) -> Iterator[str]:
    """Other keys of the same name, with one Greek letter as one Latin letter, as in symbols ("il1beta": "il1b")."""
    for match in GREEK_WITHIN.finditer(regularized_key, 2):
        yield regularized_key[: match.start()] + match[0][0] + regularized_key[match.end() :]
