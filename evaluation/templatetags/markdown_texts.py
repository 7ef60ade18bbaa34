"""A template filter for texts in Markdown that organizers and participants write."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from bcms.lib.writing.markdown import MarkdownPicture, render_markdown

register = template.Library()


@register.filter
def markdown(text: str, pictures: tuple[MarkdownPicture, ...] = ()) -> SafeString:
    """The text as HTML, in which only harmless elements are left. pictures: those that the text can show."""
    return mark_safe(render_markdown(text, pictures))
