"""Which abbreviations an article explains: "sodium/iodide symporter (NIS)" (Schwartz and Hearst, 2003, simplified)."""

import re

from servers.reference.spelling import IN_LATIN

EXPLANATION = re.compile(r"\(\s?([A-Za-z][\w/.-]{1,9}?)\s?[);,]")
WORD = re.compile(r"[^\s()]+")
WORDS_TO_SPARE = 4


def explained(text: str) -> dict[str, str]:
    """Each abbreviation that the text explains in parentheses, with the words it stands for.

    "the body mass index (BMI)" gives {"BMI": "body mass index"}. What stands in parentheses and cannot be spelled from
    the words before it is not there. The first explanation of an abbreviation counts.
    """
    meanings: dict[str, str] = {}
    for match in EXPLANATION.finditer(text):
        meaning = long_form(match[1], text[: match.start()])
        if meaning:
            meanings.setdefault(match[1], meaning)
    return meanings


def long_form(short: str, before: str) -> str:
    """The shortest run of words at the end of `before` that holds the letters of `short` in order.

    Its first letter begins a word. Empty when there is no such run among the last few words.
    """
    letters = [letter.lower().translate(IN_LATIN)[0] for letter in short if letter.isalnum()]
    words = list(WORD.finditer(before[-200:]))[-(len(letters) + WORDS_TO_SPARE) :]
    if not words:
        return ""
    window = before[-200:][words[0].start() :].rstrip()
    place = len(window)
    for number, letter in enumerate(reversed(letters), start=1):
        place = window.lower().rfind(letter, 0, place)
        while number == len(letters) and place > 0 and window[place - 1].isalnum():
            place = window.lower().rfind(letter, 0, place)
        if place < 0:
            return ""
    meaning = window[place:]
    return meaning if len(meaning) > len(short) + 1 and "(" not in meaning else ""
