"""Removing accents for searches, because articles may be written with or without them: Sjögren, Sjogren."""

import re
import unicodedata

# Combining marks of Latin, Greek and Cyrillic. Those of other scripts are left alone: they make different letters.
MARKS = re.compile("[\u0300-\u036f]")
# Letters that Unicode does not decompose into a letter and a mark.
LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"})
# A shorter word might become a stop word, which finds everything: Å, thé.
WORD = re.compile(r"[^\W\d_]{4,}")


def strip_accents_of_longer_words(text: str) -> str:
    """The text without accents in words of at least four letters."""
    if text.isascii():
        return text
    return WORD.sub(lambda match: _strip_marks(match[0]), unicodedata.normalize("NFC", text))


def _strip_marks(word: str) -> str:
    bare = MARKS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare).translate(LETTERS)
