"""The form that plans maintenance. It must be planned in advance, so that it cannot hide a downtime afterwards."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from servers.availability.models import Maintenance

LONGEST_MAINTENANCE = timedelta(days=14)
LATEST_START = timedelta(days=365)
# Accepts the current minute, which has begun when the form is sent.
GRACE_PERIOD = timedelta(minutes=2)
DATETIME_FORMAT = "%Y-%m-%dT%H:%M"


class UtcField(forms.DateTimeField):
    """A time in UTC to the minute, regardless of the user's time zone."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=DATETIME_FORMAT)

    def to_python(self, value: Any) -> Any:
        moment = super().to_python(value)
        return moment.replace(tzinfo=UTC) if isinstance(moment, datetime) else moment


class MaintenanceForm(forms.ModelForm[Maintenance]):
    invalid_time = "Enter a date and time such as 2026-03-02T14:30."
    starts = UtcField(label="Starts (UTC)", error_messages={"invalid": invalid_time, "required": invalid_time})
    ends = UtcField(label="Ends (UTC)", error_messages={"invalid": invalid_time, "required": invalid_time})

    class Meta:
        model = Maintenance
        fields = ["starts", "ends", "reason"]
        help_texts = {"reason": "Shown publicly."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        starts, ends = cleaned.get("starts"), cleaned.get("ends")
        if starts and ends:
            self.check_period(starts, ends, timezone.now())
        return cleaned

    def check_period(self, starts: datetime, ends: datetime, now: datetime) -> None:
        """Add an error for each limit that the planned period breaks."""
        if starts < now - GRACE_PERIOD:
            self.add_error("starts", "This time has passed. Maintenance must be planned before it starts.")
        if starts > now + LATEST_START:
            self.add_error("starts", f"Maintenance can be planned at most {LATEST_START.days} days in advance.")
        if ends <= starts:
            self.add_error("ends", "The end must be after the start.")
        elif ends - starts > LONGEST_MAINTENANCE:
            self.add_error(
                "ends",
                f"Maintenance can last at most {LONGEST_MAINTENANCE.days} days. Stop the server for longer periods.",
            )
