"""What Venn diagrams and UpSet plots have in common."""

from dataclasses import dataclass

from bcms.lib.svg.text_layout import escape_svg_text

Members = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SetRegion:
    """The elements in exactly these sets (by index): their number, and how many are correct, None if unknown."""

    members: Members
    size: int
    correct: int | None = None


def render_centred_text(text: str, x: float, y: float, css_class: str) -> str:
    return f'<text class="{css_class}" x="{x:g}" y="{y:g}" text-anchor="middle">{escape_svg_text(text)}</text>'
