"""Greek letters and their names, because articles may use either: TNF-α, TNF-alpha; NF-κB, NF-kappaB."""

import re
from collections.abc import Callable

LETTER_NAMES = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu"),
    *("xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
LETTERS = dict(zip(LETTER_NAMES, "αβγδεζηθικλμνξοπρστυφχψω", strict=True))
# Some texts use the micro sign, or a final sigma.
NAMES_BY_LETTER = {letter: name for name, letter in LETTERS.items()} | {"µ": "mu", "ς": "sigma"}
LATIN_NAMES = str.maketrans(
    {form: name for letter, name in NAMES_BY_LETTER.items() for form in (letter, letter.upper())}
)
# A short name matches only alone (pi, not pin), a longer one also before a single letter (kappaB, not betaine).
NAME = re.compile(
    rf"(?<![^\W\d_])(?:({'|'.join(name for name in LETTER_NAMES if len(name) > 3)})(?![^\W\d_]{{2}})"
    rf"|({'|'.join(name for name in LETTER_NAMES if len(name) <= 3)})(?![^\W\d_]))",
    re.IGNORECASE,
)


def spell_out_greek_letters(text: str) -> str:
    """The text with its Greek letters replaced by their names: TNF-alpha for TNF-α."""
    return text if text.isascii() else text.translate(LATIN_NAMES)


def list_greek_spellings(words: str) -> list[str]:
    """The search words as written, with Greek letters instead of names, and with names instead of letters.

    Excluded words (-alpha) are not changed, because an article without one spelling may have the other. Without
    duplicates.
    """
    with_letters = change_unexcluded_search_words(
        words, lambda part: NAME.sub(lambda match: LETTERS[match[0].lower()], part)
    )
    with_names = change_unexcluded_search_words(words, spell_out_greek_letters)
    return list(dict.fromkeys((words, with_letters, with_names)))


def change_unexcluded_search_words(words: str, change: Callable[[str], str]) -> str:
    """The search words with a function applied to each one that is not excluded (-word); white space is kept."""
    return "".join(part if part.startswith("-") else change(part) for part in re.split(r"(\s+)", words))
