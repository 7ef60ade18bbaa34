"""Figures in tables: three digits to read, and more to compare with other programs."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def figure_cell(value: float | str | None) -> SafeString:
    """A cell with three digits, and five when the pointer rests on it; a dash for None and for what is not there."""
    if value is None or isinstance(value, str):
        return SafeString('<td class="num">-</td>')
    return format_html('<td class="num" title="{}">{}</td>', f"{value:.5f}", f"{value:.3f}")
