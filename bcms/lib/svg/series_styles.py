"""The styles of series: a colour, a dash pattern and a mark each, so that colour is never the only difference.

The drawing contains the CSS of both themes, so that it looks the same in a page and as a file.
"""

from collections.abc import Sequence

# Eight colour-blind safe colours with a contrast of at least 3:1 in their theme, and four dash patterns.
LIGHT = ("#0068a8", "#c24e00", "#00795a", "#a2477f", "#8c6d00", "#2f85b8", "#7a3b1e", "#3b4249")
DARK = ("#6cb8f0", "#ff9a56", "#3fc9a0", "#e79ac6", "#e2c044", "#a5d8f7", "#d69a7c", "#d7dade")
DASHES = ("none", "7 3", "2 3", "9 3 2 3")
# Paths around (0, 0): disc, square, triangle, diamond, cross, triangle upside down, plus, hourglass.
MARKS = (
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
    "M-3.2-3.2h6.4v6.4h-6.4z",
    "M0-4.2L4 3H-4z",
    "M0-4.6L4.6 0L0 4.6L-4.6 0z",
    "M-3.4-3.4L3.4 3.4M-3.4 3.4L3.4-3.4",
    "M0 4.2L4-3H-4z",
    "M-4.4 0H4.4M0-4.4V4.4",
    "M-3.6-3.8H3.6L-3.6 3.8H3.6z",
)


def get_series_colour_and_dash_classes(style_index: int) -> str:
    """The CSS classes of the line of a series: colour and dash pattern, which repeat after 32 series."""
    return f"c{style_index % len(LIGHT)} d{(style_index + style_index // len(LIGHT)) % len(DASHES)}"


def render_series_mark(style_index: int, x: float, y: float) -> str:
    """The mark of a series at a position of the drawing; colour and shape repeat after 64 series."""
    outline = MARKS[(style_index + style_index // len(LIGHT)) % len(MARKS)]
    return f'<path class="mark c{style_index % len(LIGHT)}" transform="translate({x:g} {y:g})" d="{outline}"/>'


# The same in both themes.
SHARED_CSS_RULES = (
    "text{font:12px Inter,system-ui,sans-serif}",
    ".line{fill:none;stroke-width:2.2;stroke-linejoin:round}",
    ".thin{stroke-width:.9}",
    ".mark{stroke-width:1.6}",
    ".set{fill-opacity:.13;stroke-width:2}",
    ".series:hover .line{stroke-width:4}",
    ".label{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}",
    ".small{font-size:10.5px}",
    ".cells{font-size:11px;font-variant-numeric:tabular-nums}",
    ".head{font-weight:600}",
    ".strong{font-weight:600;font-size:14px}",
    ".title{font-weight:600;font-size:13px}",
    ".name{font:600 19px 'Source Serif 4',Georgia,serif}",
)


def render_chart_css() -> str:
    """The CSS of all classes of a drawing, such as c0..c7 and d0..d3, for the light and the dark theme."""
    base = "".join(f".chart {rule}" for rule in SHARED_CSS_RULES)
    dashes = "".join(f".chart .d{n}{{stroke-dasharray:{dash}}}" for n, dash in enumerate(DASHES))
    light = _render_theme_css(LIGHT, "#5b6570", "#1d2329", "#dfddd6", "#868c94", "#ffffff")
    dark = _render_theme_css(DARK, "#9aa4ae", "#e8e6df", "#303840", "#66707a", "#1b2026")
    return f"{base}{dashes}{light}@media(prefers-color-scheme:dark){{{dark}}}"


def _render_theme_css(palette: Sequence[str], muted: str, ink: str, grid: str, axis: str, paper: str) -> str:
    """The CSS of the colours of one theme."""
    return (
        f".chart text{{fill:{muted}}}.chart .ink{{fill:{ink}}}.chart .grid{{stroke:{grid};fill:none}}"
        f".chart .axis{{stroke:{axis};fill:none}}"
        f".chart .interval{{stroke:{ink};fill:none}}.chart .other{{fill:{axis}}}.chart .paper{{fill:{paper}}}"
        f".chart .band{{fill:{grid};fill-opacity:.4}}.chart .label{{stroke:{paper}}}"
        f".chart .solid{{fill:{palette[0]};stroke:{palette[0]}}}.chart .hatch{{stroke:{palette[0]};fill:none}}"
        f".chart .open{{stroke:{palette[0]}}}{_render_palette_css(palette)}"
    )


def _render_palette_css(palette: Sequence[str]) -> str:
    return "".join(
        f".chart .c{n}{{stroke:{colour}}}.chart .mark.c{n},.chart .column.c{n},.chart .set.c{n}{{fill:{colour}}}"
        for n, colour in enumerate(palette)
    )
