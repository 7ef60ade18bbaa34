"""What the diagrams of sets have in common."""

from dataclasses import dataclass

from bcms.lib.svg.lettering import text

Members = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What is in exactly these sets (their places): how many, and how many of these are right, None if not known."""

    members: Members
    number: int
    right: int | None = None


def centred(value: str, across: float, down: float, kind: str) -> str:
    return f'<text class="{kind}" x="{across:g}" y="{down:g}" text-anchor="middle">{text(value)}</text>'
