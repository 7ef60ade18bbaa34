"""The form that plans maintenance."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.utils import timezone

from servers.availability.maintenance import iter_maintenance_period_faults
from servers.availability.models import Maintenance

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
            for field, message in iter_maintenance_period_faults(starts, ends, timezone.now()):
                self.add_error(field, message)
        return cleaned
