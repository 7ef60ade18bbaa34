"""Rule-based sentence splitting of scientific English.

A full stop ends a sentence unless it belongs to an abbreviation, an initial, a species name or a number or is within
brackets, and the next word must look like the beginning of a sentence. Takes time linear in the length of the text.
"""

import re
from bisect import bisect_left
from itertools import pairwise

SentenceRange = tuple[int, int]
# A stop with the closing quotes and brackets after it, then white space; or an empty line.
SENTENCE_END = re.compile(r"""(?P<stop>[.!?]+)["'”’»)\]]*(?=\s)|(?P<gap>\n[ \t\r]*\n)""")
LAST_WORD = re.compile(r"[^\s(\[/,;]*$")
NEXT_WORD = re.compile(r"\s*([(\[\"'“‘«]*)(\S+)")
# A symbol in lower case that may begin a sentence: p53, mRNA, c-Myc, α-catenin.
SYMBOL = re.compile(r"(?:[a-z]{1,7}-?[A-Z0-9]|[α-ω])")
INITIAL = re.compile(r"(?:[A-Z]|[A-Z][a-z]?(?:\.-?[A-Z])+)")
# These never end a sentence.
NEVER_ENDING = """
    approx biol ca cf chem dr e.g eq eqs fig figs i.e i.m i.p i.v mr mrs ms nos p.o prof ref refs resp s.c sp st subsp
    ssp suppl tab viz vol vs
"""
# These end a sentence only before a capitalized word.
SELDOM_ENDING = "a.m al co etc inc jr ltd no p.m ph.d spp sr u.k u.s var"
# A single letter ends a sentence (hepatitis B.) if one of these follows; otherwise it is an initial (E. coli).
SENTENCE_BEGINNINGS = """
    A Additionally After All Although An Analysis As At Both But By Conclusion Conclusions Finally For Four From
    Furthermore Here However If In Interestingly It Its Methods Moreover Nevertheless No Of On One Only Our Results
    Since Six Surprisingly That The Their Then There Therefore These They This Three Thus To Together Two Unlike Upon
    Using We What When Whereas Whether Which While With
"""
NEVER_ENDING_ABBREVIATIONS = frozenset(NEVER_ENDING.split())
SELDOM_ENDING_ABBREVIATIONS = frozenset(SELDOM_ENDING.split())
BEGINNING_WORDS = frozenset(SENTENCE_BEGINNINGS.split())
# A bracket that does not close within this many characters is ignored.
LONGEST_BRACKET = 400
# Number of characters before a stop that are searched for the last word.
LONGEST_WORD = 40


def split_sentences(text: str) -> list[SentenceRange]:
    """The sentences of one passage, in order, as half-open spans in code points.

    No sentence begins or ends with white space, and there is only white space between them. White space alone has no
    sentence. A single line break is ordinary white space; an empty line ends a sentence.
    """
    cuts = [0]
    brackets = _BracketPairs(text)
    for match in SENTENCE_END.finditer(text):
        if match["gap"] or _is_sentence_end(text, match.start(), match.end(), cuts[-1], brackets):
            cuts.append(match.end())
    cuts.append(len(text))
    return [span for start, end in pairwise(cuts) if (span := _strip_span(text, start, end))]


def _strip_span(text: str, start: int, end: int) -> SentenceRange | None:
    sentence = text[start:end]
    begin = start + len(sentence) - len(sentence.lstrip())
    stop = start + len(sentence.rstrip())
    return (begin, stop) if begin < stop else None


def _is_sentence_end(text: str, stop: int, after: int, begin: int, brackets: "_BracketPairs") -> bool:
    following = NEXT_WORD.match(text, after)
    if following is None:
        return True
    if not _can_begin_sentence(following[1], following[2]) or brackets.enclose(stop, begin):
        return False
    if text[stop] != "." or text.startswith("..", stop):
        return True
    near = text[max(begin, stop - LONGEST_WORD) : stop]
    match = LAST_WORD.search(near)
    last = match[0] if match else ""
    if last.isdigit() and text[begin:stop].strip() == last:
        # The number of a list item.
        return False
    return _can_end_sentence(last, following[1], following[2])


def _can_begin_sentence(opening: str, next_word: str) -> bool:
    first = next_word[0]
    return first.isupper() or first.isdigit() or bool(SYMBOL.match(next_word)) or (bool(opening) and first.isalpha())


def _can_end_sentence(last_word: str, opening: str, next_word: str) -> bool:
    """Whether a full stop between these two words ends a sentence; opening: brackets and quotes before the next."""
    if not last_word:
        # ". 05" is a number that was split.
        return not next_word[0].isdigit()
    lower = last_word.lower()
    if lower in NEVER_ENDING_ABBREVIATIONS:
        return False
    if lower in SELDOM_ENDING_ABBREVIATIONS:
        return next_word[0].isupper() and not opening
    if INITIAL.fullmatch(last_word):
        return next_word.rstrip(",:") in BEGINNING_WORDS
    return True


class _BracketPairs:
    """The positions of matching round brackets; of nested pairs only the outermost count."""

    def __init__(self, text: str) -> None:
        opened: list[int] = []
        closed: list[SentenceRange] = []
        for match in re.finditer(r"[()]", text):
            if match[0] == "(":
                opened.append(match.start())
            elif opened and match.start() - (start := opened.pop()) <= LONGEST_BRACKET:
                closed.append((start, match.start()))
        self._pairs: list[SentenceRange] = []
        for pair in sorted(closed):
            if not self._pairs or pair[0] > self._pairs[-1][1]:
                self._pairs.append(pair)

    def enclose(self, position: int, begin: int) -> bool:
        """Whether the position is within a pair that opens after the first character of the sentence at begin."""
        index = bisect_left(self._pairs, (position, 0)) - 1
        return index >= 0 and begin + 1 < self._pairs[index][0] and position < self._pairs[index][1]
