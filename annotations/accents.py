"""Letters with accents and those without, of which articles write either: Sjögren, Sjogren. Pure."""

import re
import unicodedata

# Marks that Unicode puts behind the letters of Latin, Greek and Cyrillic; those of other scripts make other letters.
MARKS = re.compile("[\u0300-\u036f]")
# What is no letter with a mark to Unicode.
LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"})
# A shorter word may become one that counts as none, and find everything: Å, thé.
WORD = re.compile(r"[^\W\d_]{4,}")


def without_accents(text: str) -> str:
    """The text with its words of at least four letters as those write them who have no accents on their keyboard."""
    if text.isascii():
        return text
    return WORD.sub(lambda word: _plain(word[0]), unicodedata.normalize("NFC", text))


def _plain(word: str) -> str:
    bare = MARKS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare).translate(LETTERS)
