"""How far a server is with many articles, as one strip: a bar for each article, its height and place tell the state.

What is told by colour is told by form, too: an answer fills the strip, an empty one its foot, a failure its head, an
article that waits is a hairline, the one that is asked sticks out.
"""

from dataclasses import dataclass
from itertools import groupby

HEIGHT = 18


@dataclass(frozen=True, slots=True)
class Form:
    """How a state is drawn: top and height in a strip of HEIGHT; name is its class, words stand in the key."""

    name: str
    words: str
    top: int
    height: int


FORMS = {
    "a": Form("answered", "answered", 2, 14),
    "e": Form("empty", "answered, empty", 11, 5),
    "f": Form("failed", "failed", 1, 6),
    "n": Form("asking", "being asked", 0, 18),
    "w": Form("waiting", "waiting", 9, 1),
}
# An article that the server's queue does not have.
NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One state of a strip: its class, and the path of all its bars; x counts articles, y is in a strip of HEIGHT."""

    name: str
    path: str


def strip(states: str) -> list[Drawn]:
    """The paths of a strip of one letter for each article, a key of FORMS or NOTHING; neighbours alike are one bar.

    ValueError for another letter.
    """
    bars: dict[str, list[str]] = {letter: [] for letter in FORMS}
    place = 0
    for letter, group in groupby(states):
        length = sum(1 for _ in group)
        if letter != NOTHING:
            if letter not in FORMS:
                raise ValueError(f"{letter!r} is no state; states are {', '.join(FORMS)} and {NOTHING}.")
            bars[letter].append(bar(place, length, FORMS[letter]))
        place += length
    return [Drawn(FORMS[letter].name, "".join(paths)) for letter, paths in bars.items() if paths]


def bar(place: int, length: int, form: Form) -> str:
    return f"M{place} {form.top}h{length}v{form.height}h-{length}z"
