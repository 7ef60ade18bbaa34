"""Find explained abbreviations: "sodium/iodide symporter (NIS)". Source: Schwartz and Hearst (2003), simplified."""

import re

from servers.reference.gene_spelling import IN_LATIN

EXPLANATION = re.compile(r"\(\s?([A-Za-z][\w/.-]{1,9}?)\s?[);,]")
WORD = re.compile(r"[^\s()]+")
WORDS_TO_SPARE = 4


def extract_long_form_by_abbreviation(text: str) -> dict[str, str]:
    """{abbreviation: long form} for the abbreviations that the text explains in parentheses.

    "the body mass index (BMI)" gives {"BMI": "body mass index"}. Text in parentheses that cannot be spelled from the
    words before it is skipped. The first explanation of an abbreviation counts.
    """
    long_forms: dict[str, str] = {}
    for match in EXPLANATION.finditer(text):
        long_form = _extract_long_form(match[1], text[: match.start()])
        if long_form:
            long_forms.setdefault(match[1], long_form)
    return long_forms


def _extract_long_form(short: str, before: str) -> str:
    """The shortest end of `before` that has the letters of `short` in order and starts with the first one.

    Its first letter begins a word. Empty when there is none within the last few words.
    """
    letters = [letter.lower().translate(IN_LATIN)[0] for letter in short if letter.isalnum()]
    words = list(WORD.finditer(before[-200:]))[-(len(letters) + WORDS_TO_SPARE) :]
    if not words:
        return ""
    window = before[-200:][words[0].start() :].rstrip()
    position = len(window)
    for number, letter in enumerate(reversed(letters), start=1):
        position = window.lower().rfind(letter, 0, position)
        while number == len(letters) and position > 0 and window[position - 1].isalnum():
            position = window.lower().rfind(letter, 0, position)
        if position < 0:
            return ""
    long_form = window[position:]
    return long_form if len(long_form) > len(short) + 1 and "(" not in long_form else ""
