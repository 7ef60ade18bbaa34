"""The form with which a reviewer accepts or declines what a challenge has published."""

from django import forms

from bcms.lib.forms.text_fields import ShownTextField
from bcms.server_page.review.forms import ReviewForm
from servers.audit.trail import LONGEST_REASON


class ChallengeReviewForm(ReviewForm):
    """A decision and a note to the organizers, which is needed to decline."""

    missing_note = "Tell the organizers why the challenge is declined."
    note = ShownTextField(
        label="Note to the organizers",
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Mailed to the organizers. Needed if you decline the challenge.",
    )
