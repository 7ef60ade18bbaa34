"""How pages show the values that the audit trail has stored as JSON."""

from datetime import UTC, datetime

from django import template
from django.utils import formats

register = template.Library()


@register.filter
def show_audit_value(value: object) -> object:
    """A value in words: times to the minute, lists with commas, yes and no, and none for what is empty."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(show_audit_value(each)) for each in value) or "none"
    if isinstance(value, dict):
        return "; ".join(f"{name}: {show_audit_value(each)}" for name, each in value.items()) or "none"
    if isinstance(value, str):
        return _show_text(value)
    return "none" if value is None else value


def _show_text(text: str) -> str:
    """The text, or the time that it is in ISO 8601 with an offset."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text or "none"
    if time.utcoffset() is None:
        return text
    return f"{formats.date_format(time.astimezone(UTC), 'j M Y, H:i')} UTC"
