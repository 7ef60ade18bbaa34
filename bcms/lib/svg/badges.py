"""A badge: a word and a value beside each other, for the README or web site of somebody else.

It stands for itself as a file, on any background, without scripts, fonts or styles of a page.
"""

from bcms.lib.svg.lettering import text, width_of

HEIGHT, ROOM, SIZE = 20, 12.0, 11.0
# White on each of these is at least 4.5:1.
LABEL, GOOD, FAIR, BAD, UNKNOWN = "#3b4249", "#1b6e4b", "#8a5a00", "#a3262a", "#5b6570"


def badge(label: str, value: str, colour: str) -> str:
    """The badge as a file; colour is that behind the value, one of GOOD, FAIR, BAD and UNKNOWN."""
    left, right = (round(width_of(words, SIZE) + ROOM) for words in (label, value))
    said = text(f"{label}: {value}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img"'
        f' aria-label="{said}"><title>{said}</title>'
        f'<clipPath id="round"><rect width="{left + right}" height="{HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#round)"><path fill="{LABEL}" d="M0 0h{left}v{HEIGHT}H0z"/>'
        f'<path fill="{colour}" d="M{left} 0h{right}v{HEIGHT}H{left}z"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="{SIZE:g}" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">{text(label)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{text(value)}</text></g></svg>'
    )
