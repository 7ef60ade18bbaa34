"""Template tags for the table cells of a leaderboard's pairwise comparison."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from evaluation.leaderboards.pairwise import RunPair

register = template.Library()

NO_DIFFERENCE_CELL = mark_safe('<td class="no-difference"></td>')
CLASS_BY_SIGN = {">": "better", "<": "worse", "=": ""}


@register.simple_tag
def pairwise_cells(pairs: Sequence[RunPair | None]) -> SafeString:
    """The cells of a row, one for each pair: 100 runs have 10,000, which takes a template too long."""
    return mark_safe("".join(NO_DIFFERENCE_CELL if pair is None else _format_cell(pair) for pair in pairs))


def _format_cell(pair: RunPair) -> SafeString:
    return format_html(
        '<td class="num {}" title="{}, p {}, corrected {}"><b>{}</b><br>{}</td>',
        CLASS_BY_SIGN[pair.sign],
        pair.formatted,
        pair.shown_p,
        pair.shown_corrected,
        pair.sign,
        pair.shown_corrected,
    )
