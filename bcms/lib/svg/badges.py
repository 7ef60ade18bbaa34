"""A badge with a label and a value, for READMEs and other web sites.

It is a complete SVG file for any background, without scripts, fonts or styles of a page.
"""

from bcms.lib.svg.text_layout import escape_svg_text, estimate_text_width

HEIGHT, ROOM, SIZE = 20, 12.0, 11.0
# White text on each of these has a contrast of at least 4.5:1.
LABEL, GOOD, FAIR, BAD, UNKNOWN = "#3b4249", "#1b6e4b", "#8a5a00", "#a3262a", "#5b6570"


def render_badge(label: str, value: str, value_colour: str) -> str:
    """The badge as an SVG file; value_colour is the background of the value: GOOD, FAIR, BAD or UNKNOWN."""
    left, right = (round(estimate_text_width(text, SIZE) + ROOM) for text in (label, value))
    title = escape_svg_text(f"{label}: {value}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img"'
        f' aria-label="{title}"><title>{title}</title>'
        f'<clipPath id="round"><rect width="{left + right}" height="{HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#round)"><path fill="{LABEL}" d="M0 0h{left}v{HEIGHT}H0z"/>'
        f'<path fill="{value_colour}" d="M{left} 0h{right}v{HEIGHT}H{left}z"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="{SIZE:g}" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">{escape_svg_text(label)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape_svg_text(value)}</text></g></svg>'
    )
