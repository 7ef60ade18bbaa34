"""A bar of days: one narrow column for each, as tall as the day was good, so that it reads without colour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bcms.lib.svg.lettering import text

HEIGHT, STEP, WIDE = 34, 8, 6
# From so much on a day is as good as whole, and from so much on still fair.
WHOLE, FAIR = 0.999, 0.95
LOOKS = {"whole": 1.0, "fair": 0.7, "poor": 0.4, "none": 0.12}


@dataclass(frozen=True, slots=True)
class Day:
    """share: the good part of the day in [0, 1], None when nothing is known of it; words: what is shown on hover."""

    share: float | None
    words: str


def look_of(share: float | None) -> str:
    """One of whole, fair, poor and none."""
    if share is None:
        return "none"
    return "whole" if share >= WHOLE else "fair" if share >= FAIR else "poor"


def day_bar(days: Sequence[Day], *, name: str, title: str) -> str:
    """The days from left to right as one <svg> element, coloured by the page (classes day-whole, day-fair, ...).

    name is a word for ids that is unique in the page; title says what is seen.
    """
    width = STEP * len(days)
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="days" viewBox="0 0 {width} {HEIGHT}" role="img"',
            f' width="{width}" height="{HEIGHT}" aria-labelledby="{text(name)}-title">',
            f'<title id="{text(name)}-title">{text(title)}</title>',
            *columns(days),
            "</svg>",
        ]
    )


def columns(days: Sequence[Day]) -> Iterator[str]:
    for number, day in enumerate(days):
        look = look_of(day.share)
        tall = round(HEIGHT * LOOKS[look])
        yield (
            f'<g><title>{text(day.words)}</title><path class="day-{look}"'
            f' d="M{number * STEP + 1} {HEIGHT - tall}h{WIDE}v{tall}h-{WIDE}z"/></g>'
        )
