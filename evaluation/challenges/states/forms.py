"""The form that changes the state of a challenge."""

from typing import Any

from django import forms

from evaluation.challenges.models import ChallengeState


class ChallengeStateForm(forms.Form):
    state = forms.ChoiceField(choices=ChallengeState.choices, label="State")

    def clean_state(self) -> Any:
        return ChallengeState(self.cleaned_data["state"])
