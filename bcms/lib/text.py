"""Normalize names and text."""

import re
import unicodedata

# Hyphen-minus and soft hyphen, the hyphens and dashes of U+2010 to U+2015, minus, and their small and full-width forms.
DASHES = "-\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
SPACES_AND_DASHES = re.compile(rf"[\s{re.escape(DASHES)}]+")


def strip_case_spaces_and_dashes(name: str) -> str:
    """The form in which names of genes, proteins and organisms are compared: lower case, no white space, no dashes.

    "Beta-catenin", "beta catenin" and "β-catenin" become "betacatenin", "betacatenin" and "βcatenin": letters are
    never replaced. The result is empty for white space and dashes only. Source: collation rules of the meta-server
    (regularized names).
    """
    return SPACES_AND_DASHES.sub("", name).lower()


def collapse_white_space(text: str) -> str:
    """The text with each run of white space replaced by one space, and none at either end."""
    return " ".join(text.split())


UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


def clip_text_replacing_unprintable(text: str, max_characters: int) -> str:
    """The text as one line of at most `max_characters` characters; unprintable characters are replaced."""
    clean = "".join(character if character.isprintable() else UNPRINTABLE for character in text[:max_characters])
    return clean if len(text) <= max_characters else clean[: max_characters - 1] + "…"


def replace_unstorable_characters(text: str) -> str:
    """The text with each character replaced that PostgreSQL cannot store or a page cannot show, NUL for instance."""
    return "".join(character if _is_shown(character) else UNPRINTABLE for character in text)


def _is_shown(character: str) -> bool:
    """Python does not print spaces other than U+0020, such as no-break spaces, but pages show them."""
    return character.isprintable() or character in "\r\n\t" or unicodedata.category(character) == "Zs"


def join_line_breaks(text: str) -> str:
    """The text of a form with line breaks as one character each, as browsers count them, not as the two they send."""
    return text.replace("\r\n", "\n")


def add_full_stop_if_unpunctuated(sentence: str) -> str:
    """The sentence with a full stop, unless it ends with a punctuation mark."""
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."
