"""The form with which a reviewer accepts or declines a server."""

from typing import Any

from django import forms

from servers.review.models import LONGEST_NOTE
from servers.review.states import ReviewState


class ReviewForm(forms.Form):
    """A decision and a note to the team, which a declined team needs to know what to change."""

    decision = forms.ChoiceField(
        choices=[(ReviewState.ACCEPTED.value, "Accept"), (ReviewState.DECLINED.value, "Decline")],
        error_messages={
            "required": "Choose accepted or declined.",
            "invalid_choice": "Choose accepted or declined.",
        },
    )
    note = forms.CharField(
        label="Note to the team",
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Sent to the team and shown on its page of the server. Needed if you decline the server.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("decision") == ReviewState.DECLINED and not cleaned.get("note"):
            self.add_error("note", "Tell the team why the server is declined, and what to change.")
        return cleaned


class VisibilityForm(forms.Form):
    """The choice of a team: to keep its server private, or to have it reviewed."""

    review = forms.ChoiceField(
        choices=[(ReviewState.PRIVATE.value, "Keep private"), (ReviewState.UNREVIEWED.value, "Ask for a review")],
        error_messages={
            "required": "Choose private or unreviewed.",
            "invalid_choice": "Choose private or unreviewed.",
        },
    )
