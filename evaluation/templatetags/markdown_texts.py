"""A template filter for texts in Markdown that organizers and participants write."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from bcms.lib.writing.markdown import render_markdown

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    """The text as HTML, in which only harmless elements are left."""
    return mark_safe(render_markdown(text))
