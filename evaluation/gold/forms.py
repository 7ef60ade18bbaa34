"""The form to upload a gold standard."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from annotations.schema import Kind
from bcms.lib.forms.text_fields import OneLineField
from evaluation.challenges.forms import PhaseChoiceField, clean_file_of_at_most_20_mb
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.gold.alternatives import AlternativesFile


class TaskSelect(forms.Select):
    """Tasks of gene mentions are marked, so that pages offer alternatives for these alone."""

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option: dict[str, Any] = super().create_option(name, value, *args, **kwargs)
        if value.instance.has_gene_mentions:
            option["attrs"]["data-gene-mentions"] = ""
        return option


class GoldForm(forms.Form):
    task = forms.ModelChoiceField(Task.objects.none(), empty_label=None)
    phase = forms.ModelChoiceField(Phase.objects.none(), empty_label=None)
    file = forms.FileField(
        label="Gold standard",
        help_text="The format is detected. The file replaces an earlier one of the task and phase.",
    )
    alternatives = forms.FileField(
        label="Accepted alternatives",
        required=False,
        help_text="Only for gene mentions: spans that are accepted instead of a gene that they overlap, as in "
        "ALTGENE.eval of BioCreative II. The formats are the same.",
    )
    source = OneLineField(
        max_length=300, required=False, help_text="Where the gold standard comes from. Leave empty for the file name."
    )

    def __init__(self, challenge: Challenge, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Passages are judged on the site instead (evaluation/pooling).
        tasks = challenge.tasks.exclude(kind=Kind.PASSAGE).order_by("pk")
        self.fields["task"] = forms.ModelChoiceField(tasks, empty_label=None, widget=TaskSelect)
        self.fields["phase"] = PhaseChoiceField(challenge.phases.order_by("pk"), empty_label=None)

    def clean_file(self) -> "UploadedFile[Any] | None":
        return clean_file_of_at_most_20_mb(self.cleaned_data["file"])

    def clean_alternatives(self) -> "UploadedFile[Any] | None":
        return clean_file_of_at_most_20_mb(self.cleaned_data["alternatives"])

    def get_alternatives_file(self) -> AlternativesFile | None:
        """The uploaded file of alternatives, None without one. The form must be valid."""
        file = self.cleaned_data["alternatives"]
        return AlternativesFile(file.read(), file.name) if file else None
