"""The progress of a server over many articles as one strip, with a bar for each article.

Colour and shape both show the state, so that it can be read without colour: an answer fills the strip, an empty answer
its foot, a failure its head; a waiting article is a hairline, and the article being asked sticks out.
"""

from dataclasses import dataclass
from itertools import groupby

STRIP_HEIGHT = 18


@dataclass(frozen=True, slots=True)
class StripForm:
    """How a state is drawn: top and height in a strip of STRIP_HEIGHT; name: its CSS class; label: its key."""

    name: str
    label: str
    top: int
    height: int


STRIP_FORMS = {
    "a": StripForm("answered", "answered", 2, 14),
    "e": StripForm("empty", "answered, empty", 11, 5),
    "f": StripForm("failed", "failed", 1, 6),
    "n": StripForm("asking", "being asked", 0, 18),
    "w": StripForm("waiting", "waiting", 9, 1),
}
# The letter of an article that is not in the server's queue.
NOT_QUEUED = "-"


@dataclass(frozen=True, slots=True)
class StripPath:
    """All bars of one state: their CSS class and SVG path; x counts articles, y is in a strip of STRIP_HEIGHT."""

    name: str
    path: str


def build_strip_path_per_state(state_letters: str) -> list[StripPath]:
    """The paths of a strip. state_letters: one letter for each article, a key of STRIP_FORMS or NOT_QUEUED.

    Equal neighbours share one bar. ValueError for another letter.
    """
    bars: dict[str, list[str]] = {letter: [] for letter in STRIP_FORMS}
    start = 0
    for letter, group in groupby(state_letters):
        length = sum(1 for _ in group)
        if letter != NOT_QUEUED:
            if letter not in STRIP_FORMS:
                raise ValueError(f"{letter!r} is not a state; use {', '.join(STRIP_FORMS)} or {NOT_QUEUED}.")
            bars[letter].append(_format_strip_bar(start, length, STRIP_FORMS[letter]))
        start += length
    return [StripPath(STRIP_FORMS[letter].name, "".join(paths)) for letter, paths in bars.items() if paths]


def _format_strip_bar(start: int, length: int, form: StripForm) -> str:
    return f"M{start} {form.top}h{length}v{form.height}h-{length}z"
