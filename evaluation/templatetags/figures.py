"""Figures in tables: three digits to read, and more to compare with other programs."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def figure_cell(value: float | str | None, column: str = "") -> SafeString:
    """A cell with three digits, and five when the pointer rests on it; a dash for None and for what is not there.

    column: the name of the column, shown beside the figure where the rows of the table are blocks.
    """
    head = format_html(' data-head="{}"', column) if column else ""
    if value is None or isinstance(value, str):
        return format_html('<td class="num"{}>-</td>', head)
    return format_html('<td class="num"{} title="{}">{}</td>', head, f"{value:.5f}", f"{value:.3f}")
