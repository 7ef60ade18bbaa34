"""Where the sentences of scientific English begin and end, for showing what is said of a gene.

By rules: a full stop ends a sentence unless it belongs to an abbreviation, an initial, a species, a number or stands
within brackets, and what follows must look like a beginning. Pure; time grows with the length of the text.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

Span = tuple[int, int]
# A stop with the quotes and brackets that close after it, then white space; or an empty line.
END = re.compile(r"""(?P<stop>[.!?]+)["'”’»)\]]*(?=\s)|(?P<gap>\n[ \t\r]*\n)""")
LAST_WORD = re.compile(r"[^\s(\[/,;]*$")
NEXT_WORD = re.compile(r"\s*([(\[\"'“‘«]*)(\S+)")
# A beginning in lower case that is a symbol: p53, mRNA, c-Myc, α-catenin.
SYMBOL = re.compile(r"(?:[a-z]{1,7}-?[A-Z0-9]|[α-ω])")
INITIAL = re.compile(r"(?:[A-Z]|[A-Z][a-z]?(?:\.-?[A-Z])+)")
# They never end a sentence.
NEVER = """
    approx biol ca cf chem dr e.g eq eqs fig figs i.e i.m i.p i.v mr mrs ms nos p.o prof ref refs resp s.c sp st subsp
    ssp suppl tab viz vol vs
"""
# They end one only before a word in upper case, as their own meaning lets them.
SELDOM = "a.m al co etc inc jr ltd no p.m ph.d spp sr u.k u.s var"
# A single letter ends a sentence (hepatitis B.) when one of these follows; otherwise it is an initial (E. coli).
BEGINNINGS = """
    A Additionally After All Although An Analysis As At Both But By Conclusion Conclusions Finally For Four From
    Furthermore Here However If In Interestingly It Its Methods Moreover Nevertheless No Of On One Only Our Results
    Since Six Surprisingly That The Their Then There Therefore These They This Three Thus To Together Two Unlike Upon
    Using We What When Whereas Whether Which While With
"""
ABBREVIATIONS, OFTEN_ABBREVIATIONS = frozenset(NEVER.split()), frozenset(SELDOM.split())
BEGINNING_WORDS = frozenset(BEGINNINGS.split())
# A bracket that does not close within so many characters was never meant to.
LONGEST_BRACKET = 400
# The last word before a stop is looked for in so many characters.
LONGEST_WORD = 40


def sentences(text: str) -> list[Span]:
    """The sentences of one passage, in their order, as half-open spans in code points.

    No sentence begins or ends with white space, and only white space stands between them; a passage of white space has
    none. A single line break is white space like any other, an empty line ends a sentence.
    """
    cuts = [0]
    brackets = _Brackets(text)
    for found in END.finditer(text):
        if found["gap"] or _ends(text, found.start(), found.end(), cuts[-1], brackets):
            cuts.append(found.end())
    cuts.append(len(text))
    return [span for start, end in pairwise(cuts) if (span := _stripped(text, start, end))]


def sentence_at(spans: Sequence[Span], position: int) -> int | None:
    """The index of the sentence that holds the character at a position, None between sentences."""
    index = bisect_left(spans, position + 1, key=lambda span: span[0]) - 1
    return index if index >= 0 and position < spans[index][1] else None


def _stripped(text: str, start: int, end: int) -> Span | None:
    whole = text[start:end]
    begin = start + len(whole) - len(whole.lstrip())
    stop = start + len(whole.rstrip())
    return (begin, stop) if begin < stop else None


def _ends(text: str, stop: int, after: int, begin: int, brackets: "_Brackets") -> bool:
    following = NEXT_WORD.match(text, after)
    if following is None:
        return True
    if not _begins(following[1], following[2]) or brackets.around(stop, begin):
        return False
    if text[stop] != "." or text.startswith("..", stop):
        return True
    near = text[max(begin, stop - LONGEST_WORD) : stop]
    found = LAST_WORD.search(near)
    last = found[0] if found else ""
    if last.isdigit() and text[begin:stop].strip() == last:
        # The number of a list's item.
        return False
    return _may_end(last, following[1], following[2])


def _begins(opening: str, word: str) -> bool:
    first = word[0]
    return first.isupper() or first.isdigit() or bool(SYMBOL.match(word)) or (bool(opening) and first.isalpha())


def _may_end(last: str, opening: str, word: str) -> bool:
    """Whether a full stop after this word ends a sentence when that word follows."""
    if not last:
        # ". 05" is a number that was torn apart.
        return not word[0].isdigit()
    lower = last.lower()
    if lower in ABBREVIATIONS:
        return False
    if lower in OFTEN_ABBREVIATIONS:
        return word[0].isupper() and not opening
    if INITIAL.fullmatch(last):
        return word.rstrip(",:") in BEGINNING_WORDS
    return True


class _Brackets:
    """Which positions stand within round brackets that close again; of nested pairs the outer ones count."""

    def __init__(self, text: str) -> None:
        opened: list[int] = []
        closed: list[Span] = []
        for found in re.finditer(r"[()]", text):
            if found[0] == "(":
                opened.append(found.start())
            elif opened and found.start() - (start := opened.pop()) <= LONGEST_BRACKET:
                closed.append((start, found.start()))
        self._pairs: list[Span] = []
        for pair in sorted(closed):
            if not self._pairs or pair[0] > self._pairs[-1][1]:
                self._pairs.append(pair)

    def around(self, position: int, begin: int) -> bool:
        """Whether the position is within a pair that opens after begin, beyond the sentence's first character."""
        index = bisect_left(self._pairs, (position, 0)) - 1
        return index >= 0 and begin + 1 < self._pairs[index][0] and position < self._pairs[index][1]
