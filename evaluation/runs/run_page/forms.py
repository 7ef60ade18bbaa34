"""The form to cut the lists of a run."""

from typing import Any

from django import forms


class CutForm(forms.Form):
    """The confidence or the rank at which to cut the lists of a run."""

    by = forms.ChoiceField(choices=[("confidence", "at confidences below"), ("rank", "after rank")], label="Cut lists")
    value = forms.FloatField(min_value=0, label="Value")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        criterion, value = data.get("by"), data.get("value")
        if criterion == "confidence" and value is not None and value > 1:
            self.add_error("value", "A confidence is at most 1; enter a value such as 0.35.")
        if criterion == "rank" and value is not None and (value < 1 or value != int(value) or value > 2**31):
            self.add_error("value", "A rank is a whole number from 1; enter a value such as 10.")
        return data
