"""Figures in tables: three digits to read, and more to compare with other programs."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def figure_cell(
    value: float | str | None, column: str = "", interval: tuple[float, float] | str | None = None
) -> SafeString:
    """A cell with three digits, and five when the pointer rests on it; a dash for None and for what is not there.

    column: the name of the column, shown beside the figure where the rows of the table are blocks. interval: its
    bounds.
    """
    head = format_html(' data-head="{}"', column) if column else ""
    if value is None or isinstance(value, str):
        return format_html('<td class="num"{}>-</td>', head)
    if interval is None or isinstance(interval, str):
        return format_html('<td class="num"{} title="{}">{}</td>', head, f"{value:.5f}", f"{value:.3f}")
    low, high = interval
    return format_html(
        '<td class="num double"{} title="{}">{} <span class="interval-text meta">{}</span></td>',
        head,
        f"{value:.5f}, 95 % confidence interval {low:.5f} to {high:.5f}",
        f"{value:.3f}",
        f"{low:.3f} to {high:.3f}",
    )
