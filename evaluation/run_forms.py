"""Upload a run; cut one."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from evaluation.runs import MEBIBYTE, MOST_BYTES, Sent


class UploadForm(forms.Form):
    """A run as its team sends it."""

    file = forms.FileField(
        label="File",
        help_text="Any format that python -m evaluation reads for this task: tab-separated values, BioCreative II XML, "
        "TREC, PubTator, BioC, PubAnnotation, GENE.eval.",
    )
    name = forms.CharField(
        max_length=200, required=False, label="Name of the run", help_text="Empty: the name of the file."
    )
    message = forms.CharField(
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What is new in it, for your team and the organizers.",
    )

    def clean_file(self) -> UploadedFile:
        file: UploadedFile = self.cleaned_data["file"]
        if (file.size or 0) > MOST_BYTES:
            raise forms.ValidationError(
                f"The file is larger than {MOST_BYTES // MEBIBYTE} MiB; leave out what is no result, or write "
                "tab-separated values."
            )
        return file

    def sent(self) -> Sent:
        data = self.cleaned_data
        return Sent(data["name"], data["message"], data["file"].name, data["file"].read())


class CutForm(forms.Form):
    """Where to cut the lists of a run."""

    by = forms.ChoiceField(choices=[("confidence", "at confidences below"), ("rank", "after rank")], label="Cut lists")
    value = forms.FloatField(min_value=0, label="Value")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        by, value = data.get("by"), data.get("value")
        if by == "confidence" and value is not None and value > 1:
            self.add_error("value", "A confidence is at most 1; write one such as 0.35.")
        if by == "rank" and value is not None and (value < 1 or value != int(value) or value > 2**31):
            self.add_error("value", "A rank is a whole number from 1; write one such as 10.")
        return data
