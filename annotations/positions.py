"""Why a mention is not where a server says it is: the usual mistakes, tried one after another."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice

from annotations.kinds import Finding

# So many mentions of an answer are looked at to guess what is wrong, as nobody reads of more.
LOOKED_AT = 100
# Of a mention only so many characters are looked for elsewhere.
LOOKED_FOR = 200
WORD = re.compile(r"\w{3,}")
# Start and end as they were understood, half-open, and the text that is said to stand there.
Claim = tuple[int, int, str]


class Text:
    """An article's canonical text with what is needed to try out mistakes, made once and only when needed.

    title_length is the length of the title; one newline and the abstract follow. Everything counts code points.
    """

    def __init__(self, text: str, title_length: int) -> None:
        self.text = text
        self.title_length = title_length

    @property
    def body(self) -> int:
        """Where the abstract begins."""
        return self.title_length + 1

    def has(self, mention: str, start: int) -> bool:
        return start >= 0 and self.text.startswith(mention, start)

    def cause(self, claim: Claim, likeliest: "Guess | None" = None) -> str:
        """The likely cause of a wrong position, as one sentence.

        An offset in the abstract was moved to the whole text before. likeliest is the mistake to think of first.
        """
        guesses = [likeliest, *GUESSES] if likeliest else GUESSES
        return next((words for guess in guesses if (words := guess(self, *claim))), "") or _elsewhere(self, *claim)

    def likeliest(self, claims: Iterable[Claim], *, none_right: bool) -> "Guess | None":
        """The mistake that explains most of these wrong claims: one alone often has several explanations.

        none_right: there are several claims, and all are wrong. Whoever counts from 1 has none right; whoever counts
        bytes or the like has those before the first long character right.
        """
        explained = Counter(guess for claim in claims for guess in GUESSES if guess(self, *claim))
        order = (_from_one, *GUESSES) if none_right else GUESSES
        return max(order, key=lambda guess: explained[guess]) if explained else None

    def knows(self, mention: str) -> bool:
        """Whether the article has anything of a mention: a word of three or more letters, in either case."""
        folded = mention[:LOOKED_FOR].casefold()
        words = WORD.findall(folded) or [folded.strip()]
        return any(word in self.folded for word in words)

    @cached_property
    def folded(self) -> str:
        return self.text.casefold()

    @cached_property
    def bytes_before(self) -> list[int]:
        """For each character, and for the end, the number of UTF-8 bytes before it."""
        return list(accumulate((len(character.encode("utf-8", "surrogatepass")) for character in self.text), initial=0))

    @cached_property
    def units_before(self) -> list[int]:
        """For each character, and for the end, the number of UTF-16 units before it."""
        return list(accumulate((2 if character > "\uffff" else 1 for character in self.text), initial=0))

    @cached_property
    def collapsed(self) -> list[int]:
        """The positions of the characters that stay when each run of white space becomes one space."""
        text = self.text
        return [at for at, sign in enumerate(text) if not sign.isspace() or (at and not text[at - 1].isspace())]


def _in_units(text: Text, before: list[int], start: int) -> Iterator[int]:
    """The characters that start would mean if it counted units, in the whole text or in the abstract."""
    if before[-1] == len(text.text):
        return
    for origin in {0, min(text.body, len(text.text))}:
        wanted = start - origin + before[origin]
        at = bisect_left(before, wanted)
        if at < len(before) and before[at] == wanted:
            yield at


def _bytes(text: Text, start: int, _: int, mention: str) -> str:
    if any(text.has(mention, at) for at in _in_units(text, text.bytes_before, start)):
        return "It seems that bytes were counted instead of characters."
    return ""


def _utf16(text: Text, start: int, _: int, mention: str) -> str:
    if any(text.has(mention, at) for at in _in_units(text, text.units_before, start)):
        return "It seems that UTF-16 units were counted instead of characters, as Java and JavaScript do."
    return ""


def _inclusive_end(text: Text, start: int, end: int, mention: str) -> str:
    if text.has(mention, start) and end == start + len(mention) - 1:
        return "It seems that the end is the mention's last character instead of the one after it."
    return ""


def _from_one(text: Text, start: int, _: int, mention: str) -> str:
    if not text.has(mention, start - 1):
        return ""
    if start > text.body:
        return "It seems that characters were counted from 1, or that title and abstract were joined by two characters."
    return "It seems that characters were counted from 1 instead of 0."


def _nothing_between(text: Text, start: int, _: int, mention: str) -> str:
    if start >= text.title_length and text.has(mention, start + 1):
        return "It seems that title and abstract were joined with nothing between them; one newline belongs there."
    return ""


def _title_left_out(text: Text, start: int, _: int, mention: str) -> str:
    if text.has(mention, start + text.body):
        return 'It seems that the title was not counted; count it, or name the section "abstract".'
    return ""


def _title_counted_twice(text: Text, start: int, _: int, mention: str) -> str:
    if start >= text.body and text.has(mention, start - text.body):
        return "It seems that the title was counted although the section is the abstract."
    return ""


def _white_space(text: Text, start: int, _: int, mention: str) -> str:
    words = mention.split()
    near = text.text[start : start + 2 * len(mention) + 20] if start >= 0 else ""
    shrunk = 0 <= start < len(text.collapsed) and text.has(mention, text.collapsed[start])
    if shrunk or (words and near.split()[: len(words)] == words):
        return "It seems that white space was normalized; the text must stay as it was sent."
    return ""


def _wrong_encoding(text: Text, start: int, _: int, mention: str) -> str:
    for encoding in ("latin-1", "cp1252"):
        try:
            meant = mention.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        if meant != mention and text.has(meant, start):
            return "It seems that the text was sent in UTF-8 and read in another encoding."
    return ""


def _other_case(text: Text, start: int, end: int, mention: str) -> str:
    if start >= 0 and text.text[start:end].casefold() == mention.casefold():
        return "It seems that upper and lower case were changed."
    return ""


def _elsewhere(text: Text, start: int, _: int, mention: str) -> str:
    at = text.text.find(mention)
    if at < 0:
        return "The article does not have this text anywhere."
    return f"The article has this text at character {at}, which is {abs(at - start)} further {_way(at - start)}."


def _way(difference: int) -> str:
    return "on" if difference > 0 else "back"


Guess = Callable[[Text, int, int, str], str]
GUESSES: tuple[Guess, ...] = (
    _inclusive_end,
    _bytes,
    _utf16,
    _from_one,
    _nothing_between,
    _title_left_out,
    _title_counted_twice,
    _white_space,
    _wrong_encoding,
    _other_case,
)


def misplaced(mention: Finding, text: Text) -> Claim | None:
    """What a mention says of its place, if it says so and the article has not its text there."""
    start, end = mention.start, mention.end
    if not mention.text or start is None or end is None:
        return None
    right = start >= 0 and text.text[start:end] == mention.text
    return None if right else (start, end, mention.text)


@dataclass
class Claims:
    """What the mentions of one answer say of their places; guesses is how many causes may still be looked for."""

    text: Text
    mentions: Sequence[tuple[int, Finding]]
    guesses: int = LOOKED_AT

    def guess(self, mention: Finding) -> str:
        """Why this mention is misplaced, as a sentence after a space; empty when it is not or others had their turn."""
        claim = misplaced(mention, self.text)
        if self.guesses <= 0 or claim is None:
            return ""
        self.guesses -= 1
        return f" {self.text.cause(claim, self.likeliest)}"

    @cached_property
    def likeliest(self) -> Guess | None:
        claims = (misplaced(mention, self.text) for _, mention in self.mentions)
        wrong = list(islice(filter(None, claims), LOOKED_AT))
        none_right = all(misplaced(mention, self.text) for _, mention in islice(self.mentions, LOOKED_AT))
        return self.text.likeliest(wrong, none_right=none_right and len(wrong) > 1)

    @cached_property
    def foreign(self) -> bool:
        """Whether none of the mentions, which have two texts at least, is anywhere in the article."""
        texts = {mention.text for _, mention in islice(self.mentions, LOOKED_AT) if mention.text}
        return len(texts) > 1 and not any(map(self.text.knows, texts))
