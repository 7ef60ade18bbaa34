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
        if time.utcoffset() is None:
            return text
        in_utc = time.astimezone(UTC)
    # OverflowError: a name such as 0001-01-01T00:00+14:00 is a time that UTC has no year for.
    except (ValueError, OverflowError):
        return text or "none"
    return f"{formats.date_format(in_utc, 'j M Y, H:i')} UTC"
