"""The form of an announcement."""

from django import forms

from bcms.lib.forms.model_forms import ModelForm
from bcms.lib.forms.text_fields import OneLineField, ShownTextField
from evaluation.challenges.announcements.models import Announcement
from evaluation.challenges.setup.forms import MARKDOWN_HELP


class AnnouncementForm(ModelForm[Announcement]):
    class Meta:
        model = Announcement
        fields = ["title", "text", "audience"]
        field_classes = {"title": OneLineField, "text": ShownTextField}
        labels = {"audience": "Mail to"}
        widgets = {"text": forms.Textarea(attrs={"rows": 10}), "audience": forms.RadioSelect}
        help_texts = {
            "text": MARKDOWN_HELP,
            "audience": "Everybody can read it on the page of the challenge and in its feed.",
        }
