"""The form with which a reviewer accepts or declines a server."""

from collections.abc import Mapping
from typing import Any

from django import forms

from bcms.lib.forms.text_fields import ShownTextField
from servers.review.models import LONGEST_NOTE
from servers.review.states import ReviewState


def _make_state_field(label_by_state: Mapping[ReviewState, str]) -> forms.ChoiceField:
    """A choice between review states; the error names their values, which REST has, too."""
    hint = f"Choose {' or '.join(state.value for state in label_by_state)}."
    return forms.ChoiceField(
        choices=[(state.value, label) for state, label in label_by_state.items()],
        error_messages={"required": hint, "invalid_choice": hint},
    )


class ReviewForm(forms.Form):
    """A decision and a note to the team, which a declined team needs to know what to change."""

    missing_note = "Tell the team why the server is declined, and what to change."
    decision = _make_state_field({ReviewState.ACCEPTED: "Accept", ReviewState.DECLINED: "Decline"})
    note = ShownTextField(
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
            self.add_error("note", self.missing_note)
        return cleaned


class VisibilityForm(forms.Form):
    """The choice of a team: to keep its server private, or to have it reviewed."""

    review = _make_state_field({ReviewState.PRIVATE: "Keep private", ReviewState.UNREVIEWED: "Ask for a review"})
