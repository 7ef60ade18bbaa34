"""Greek letters and their names, of which articles write either: TNF-α, TNF-alpha; NF-κB, NF-kappaB. Pure."""

import re
from collections.abc import Callable

NAMES = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu"),
    *("xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
LETTERS = dict(zip(NAMES, "αβγδεζηθικλμνξοπρστυφχψω", strict=True))
# Some write the sign of a millionth, or a sigma as it is at the end of a word.
OF_LETTERS = {letter: name for name, letter in LETTERS.items()} | {"µ": "mu", "ς": "sigma"}
IN_LATIN = str.maketrans({form: name for letter, name in OF_LETTERS.items() for form in (letter, letter.upper())})
# A short name is one only by itself (pi, not pin), a longer one also before one more letter (kappaB, not betaine).
NAME = re.compile(
    rf"(?<![^\W\d_])(?:({'|'.join(name for name in NAMES if len(name) > 3)})(?![^\W\d_]{{2}})"
    rf"|({'|'.join(name for name in NAMES if len(name) <= 3)})(?![^\W\d_]))",
    re.IGNORECASE,
)


def in_latin(text: str) -> str:
    """The text with the names of its Greek letters in their place: TNF-alpha for TNF-α."""
    return text if text.isascii() else text.translate(IN_LATIN)


def spellings(words: str) -> list[str]:
    """What is searched for as it is written, with Greek letters for their names, and with names for the letters.

    What is not to be there (-alpha) stays as it is, as an article without one spelling may have the other.
    """
    with_letters = in_wanted(words, lambda word: NAME.sub(lambda found: LETTERS[found[0].lower()], word))
    with_names = in_wanted(words, in_latin)
    return list(dict.fromkeys((words, with_letters, with_names)))


def in_wanted(words: str, change: Callable[[str], str]) -> str:
    """The words of a search with each changed that is not one to be left out (-word)."""
    return "".join(part if part.startswith("-") else change(part) for part in re.split(r"(\s+)", words))
