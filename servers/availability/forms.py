"""Plan maintenance: before it begins, so that nobody can take a downtime out of the figures that has been seen."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from servers.models import Maintenance

LONGEST = timedelta(days=14)
FARTHEST = timedelta(days=365)
# The minute in which the form is sent has begun already.
GRACE = timedelta(minutes=2)
SHAPE = "%Y-%m-%dT%H:%M"


class UtcField(forms.DateTimeField):
    """A time of UTC to the minute, whatever the reader's own clock says."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=SHAPE)

    def to_python(self, value: Any) -> Any:
        made = super().to_python(value)
        return made.replace(tzinfo=UTC) if isinstance(made, datetime) else made


class MaintenanceForm(forms.ModelForm):
    wrong = "Write a day and a time such as 2026-03-02T14:30."
    starts = UtcField(label="Begins (UTC)", error_messages={"invalid": wrong, "required": wrong})
    ends = UtcField(label="Ends (UTC)", error_messages={"invalid": wrong, "required": wrong})

    class Meta:
        model = Maintenance
        fields = ["starts", "ends", "reason"]
        help_texts = {"reason": "Everybody sees it."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        starts, ends = cleaned.get("starts"), cleaned.get("ends")
        if starts and ends:
            self.check(starts, ends, timezone.now())
        return cleaned

    def check(self, starts: datetime, ends: datetime, now: datetime) -> None:
        if starts < now - GRACE:
            self.add_error("starts", "This time has passed: plan maintenance before it begins.")
        if starts > now + FARTHEST:
            self.add_error("starts", f"Plan maintenance at most {FARTHEST.days} days ahead.")
        if ends <= starts:
            self.add_error("ends", "Let it end after it begins.")
        elif ends - starts > LONGEST:
            self.add_error("ends", f"Let it take at most {LONGEST.days} days; halt the server for longer.")
