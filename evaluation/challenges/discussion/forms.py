"""Forms of the discussion of a challenge."""

from django import forms

from bcms.lib.forms.text_fields import OneLineField, ShownTextField
from evaluation.challenges.setup.forms import MARKDOWN_HELP

LONGEST_POST = 20_000


class PostForm(forms.Form):
    text = ShownTextField(
        max_length=LONGEST_POST, label="Your post", help_text=MARKDOWN_HELP, widget=forms.Textarea(attrs={"rows": 6})
    )


class ThreadForm(PostForm):
    title = OneLineField(max_length=200, label="Title", help_text="Say in a few words what it is about.")
    field_order = ("title", "text")


class HidingForm(forms.Form):
    reason = OneLineField(max_length=500, label="Reason", help_text="Shown to readers in place of the post.")
