"""Explains wrong positions of mentions by trying the usual mistakes one after another."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice

from annotations.schema import AnnotationData

# The number of mentions of an answer to examine and explain; nobody reads more.
MOST_EXAMINED_MENTIONS = 100
# The number of characters of a mention to search for in the article.
MOST_SEARCHED_CHARACTERS = 200
# The number of places of one mention that are tried as its right one.
MOST_OCCURRENCES = 1000
WORD = re.compile(r"\w{3,}")
# Start and end (half-open) of a mention as the server gave them, and the text that should be there.
PositionClaim = tuple[int, int, str]


class IndexedText:
    """An article's canonical text with indexes for detecting mistakes, built once and only when needed.

    title_length is the length of the title, which one newline and the abstract follow. All positions are code points.
    """

    def __init__(self, text: str, title_length: int) -> None:
        self.text = text
        self.title_length = title_length

    @property
    def abstract_start(self) -> int:
        """The position of the first character of the abstract."""
        return self.title_length + 1

    def matches_text(self, mention: str, start: int) -> bool:
        return start >= 0 and self.text.startswith(mention, start)

    def explain_wrong_position(self, claim: PositionClaim, likeliest: "MistakeCheck | None" = None) -> str:
        """The likely cause of a wrong position, as one sentence.

        Positions refer to the whole text, even if the server counted within the abstract. likeliest is checked first.
        """
        checks = [likeliest, *MISTAKE_CHECKS] if likeliest else MISTAKE_CHECKS
        explanation = next((sentence for check in checks if (sentence := check(self, *claim))), "")
        return explanation or _describe_other_position(self, *claim)

    def find_likeliest_mistake(self, claims: Iterable[PositionClaim], *, all_wrong: bool) -> "MistakeCheck | None":
        """The mistake that explains most of these wrong claims, because a single claim often has several explanations.

        all_wrong: the answer has several claims and none is correct. Then counting from 1 is the first candidate,
        because with byte offsets the positions before the first non-ASCII character are correct.
        """
        explained = Counter(check for claim in claims for check in MISTAKE_CHECKS if check(self, *claim))
        order = (_detect_offsets_from_one, *MISTAKE_CHECKS) if all_wrong else MISTAKE_CHECKS
        return max(order, key=lambda check: explained[check]) if explained else None

    def shares_word(self, mention: str) -> bool:
        """Whether any word of a mention with three or more letters occurs in the article, ignoring case."""
        folded = mention[:MOST_SEARCHED_CHARACTERS].casefold()
        words = WORD.findall(folded) or [folded.strip()]
        return any(word in self.casefolded for word in words)

    @cached_property
    def casefolded(self) -> str:
        return self.text.casefold()

    @cached_property
    def byte_offsets(self) -> list[int]:
        """For each character, and for the end, the number of UTF-8 bytes before it."""
        return list(accumulate((len(character.encode("utf-8", "surrogatepass")) for character in self.text), initial=0))

    @cached_property
    def utf16_offsets(self) -> list[int]:
        """For each character, and for the end, the number of UTF-16 code units before it."""
        return list(accumulate((2 if character > "\uffff" else 1 for character in self.text), initial=0))

    @cached_property
    def collapsed_positions(self) -> list[int]:
        """The positions of the characters that remain when each run of white space becomes one space."""
        text = self.text
        return [
            position
            for position, character in enumerate(text)
            if not character.isspace() or (position and not text[position - 1].isspace())
        ]


def _iter_unit_positions(text: IndexedText, unit_offsets: list[int], start: int) -> Iterator[int]:
    """The character positions that start means if it counts units, in the whole text or in the abstract."""
    if unit_offsets[-1] == len(text.text):
        return
    for origin in {0, min(text.abstract_start, len(text.text))}:
        offset = start - origin + unit_offsets[origin]
        position = bisect_left(unit_offsets, offset)
        if position < len(unit_offsets) and unit_offsets[position] == offset:
            yield position


def _detect_byte_offsets(text: IndexedText, start: int, _: int, mention: str) -> str:
    if any(text.matches_text(mention, position) for position in _iter_unit_positions(text, text.byte_offsets, start)):
        return "The offsets seem to count bytes instead of characters."
    return ""


def _detect_utf16_offsets(text: IndexedText, start: int, _: int, mention: str) -> str:
    if any(text.matches_text(mention, position) for position in _iter_unit_positions(text, text.utf16_offsets, start)):
        return "The offsets seem to count UTF-16 code units, as in Java and JavaScript, instead of characters."
    return ""


def _detect_inclusive_end(text: IndexedText, start: int, end: int, mention: str) -> str:
    if text.matches_text(mention, start) and end == start + len(mention) - 1:
        return "The end seems to be the mention's last character instead of the one after it."
    return ""


def _detect_offsets_from_one(text: IndexedText, start: int, _: int, mention: str) -> str:
    if not text.matches_text(mention, start - 1):
        return ""
    if start > text.abstract_start:
        return "The offsets seem to count from 1, or to include two characters between title and abstract."
    return "The offsets seem to count from 1 instead of 0."


def _detect_missing_separator(text: IndexedText, start: int, _: int, mention: str) -> str:
    if start >= text.title_length and text.matches_text(mention, start + 1):
        return "The offsets seem to omit the newline between title and abstract."
    return ""


def _detect_uncounted_title(text: IndexedText, start: int, _: int, mention: str) -> str:
    if text.matches_text(mention, start + text.abstract_start):
        return 'The offsets seem to omit the title. Count it, or name the section "abstract".'
    return ""


def _detect_title_counted_twice(text: IndexedText, start: int, _: int, mention: str) -> str:
    if start >= text.abstract_start and text.matches_text(mention, start - text.abstract_start):
        return "The offsets seem to include the title although the section is the abstract."
    return ""


def _detect_normalized_space(text: IndexedText, start: int, _: int, mention: str) -> str:
    words = mention.split()
    nearby = text.text[start : start + 2 * len(mention) + 20] if start >= 0 else ""
    collapsed = 0 <= start < len(text.collapsed_positions) and text.matches_text(
        mention, text.collapsed_positions[start]
    )
    if collapsed or (words and nearby.split()[: len(words)] == words):
        return "The white space seems to have been normalized. Use the text exactly as it was sent."
    return ""


def _detect_wrong_encoding(text: IndexedText, start: int, _: int, mention: str) -> str:
    for encoding in ("latin-1", "cp1252"):
        try:
            decoded = mention.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        if decoded != mention and text.matches_text(decoded, start):
            return "The text seems to have been decoded with an encoding other than UTF-8."
    return ""


def _detect_changed_case(text: IndexedText, start: int, end: int, mention: str) -> str:
    if start >= 0 and text.text[start:end].casefold() == mention.casefold():
        return "Upper and lower case seem to have been changed."
    return ""


def _describe_other_position(text: IndexedText, start: int, _: int, mention: str) -> str:
    position = text.text.find(mention)
    if position < 0:
        return "The article does not contain this text."
    direction = "later" if position > start else "earlier"
    return f"The article has this text at character {position}, {abs(position - start)} characters {direction}."


MistakeCheck = Callable[[IndexedText, int, int, str], str]
MISTAKE_CHECKS: tuple[MistakeCheck, ...] = (
    _detect_inclusive_end,
    _detect_byte_offsets,
    _detect_utf16_offsets,
    _detect_offsets_from_one,
    _detect_missing_separator,
    _detect_uncounted_title,
    _detect_title_counted_twice,
    _detect_normalized_space,
    _detect_wrong_encoding,
    _detect_changed_case,
)


def find_misplaced_claim(mention: AnnotationData, text: IndexedText) -> PositionClaim | None:
    """The claimed position and text of a mention; None if the article has the text there, or if either is missing.

    None for a mention in several parts, too: its text is nowhere as it is.
    """
    start, end = mention.start, mention.end
    if mention.spans or not mention.text or start is None or end is None:
        return None
    is_correct = start >= 0 and text.text[start:end] == mention.text
    return None if is_correct else (start, end, mention.text)


@dataclass
class PositionClaims:
    """The claimed positions of the mentions of one answer; explanations_left limits how many are explained."""

    text: IndexedText
    mentions: Sequence[tuple[int, AnnotationData]]
    explanations_left: int = MOST_EXAMINED_MENTIONS

    def explain_mention(self, mention: AnnotationData) -> str:
        """Why a mention's position is wrong, as a sentence after a space; "" if it is correct or beyond the limit."""
        claim = find_misplaced_claim(mention, self.text)
        if self.explanations_left <= 0 or claim is None:
            return ""
        self.explanations_left -= 1
        if self.common_shift:
            return f" {self.explanation_of_shift}"
        return f" {self.text.explain_wrong_position(claim, self.likeliest_mistake)}"

    @cached_property
    def wrong_claims(self) -> list[PositionClaim]:
        claims = (find_misplaced_claim(mention, self.text) for _, mention in self.mentions)
        return list(islice(filter(None, claims), MOST_EXAMINED_MENTIONS))

    @cached_property
    def are_all_wrong(self) -> bool:
        """Whether there are several mentions and no position is correct."""
        examined = islice(self.mentions, MOST_EXAMINED_MENTIONS)
        return len(self.wrong_claims) > 1 and all(find_misplaced_claim(mention, self.text) for _, mention in examined)

    @cached_property
    def likeliest_mistake(self) -> MistakeCheck | None:
        """The mistake that explains most of the wrong positions."""
        return self.text.find_likeliest_mistake(self.wrong_claims, all_wrong=self.are_all_wrong)

    @cached_property
    def common_shift(self) -> int:
        """The number of characters by which all positions are too high; 0 if they have none in common."""
        if not self.are_all_wrong or len({start for start, _, _ in self.wrong_claims}) == 1:
            return 0
        start, _, mention = self.wrong_claims[0]
        matches = islice(re.finditer(re.escape(mention), self.text.text), MOST_OCCURRENCES)
        shifts = sorted((start - match.start() for match in matches), key=abs)
        return next((shift for shift in shifts if self._has_every_claim_shift(shift)), 0)

    def _has_every_claim_shift(self, shift: int) -> bool:
        return all(self.text.matches_text(mention, start - shift) for start, _, mention in self.wrong_claims)

    @cached_property
    def explanation_of_shift(self) -> str:
        """The shift that all positions have in common, with every usual mistake that would cause it."""
        checks = dict.fromkeys([self.likeliest_mistake, *MISTAKE_CHECKS])
        causes = [
            check(self.text, *self.wrong_claims[0])
            for check in checks
            if check and all(check(self.text, *claim) for claim in self.wrong_claims)
        ]
        others = [f"Or {cause[0].lower()}{cause[1:]}" for cause in causes[1:]]
        return " ".join([f"All offsets are shifted by {self.common_shift:+d}.", *causes[:1], *others])

    @cached_property
    def has_no_mention_in_article(self) -> bool:
        """Whether the mentions have at least two different texts and none of them occurs in the article."""
        texts = {mention.text for _, mention in islice(self.mentions, MOST_EXAMINED_MENTIONS) if mention.text}
        return len(texts) > 1 and not any(map(self.text.shares_word, texts))
