"""The form to import annotations of authors and curators."""

from typing import Any

from django import forms

from annotations.articles.models import Corpus
from annotations.schema import Kind
from bcms.lib.forms.text_fields import OneLineField
from evaluation.challenges.forms import clean_file_of_at_most_20_mb
from evaluation.challenges.models import Challenge, Task
from evaluation.manual_annotations.file_import import MANUAL_PRODUCER_TYPES, ManualAnnotationFile


class ManualAnnotationForm(forms.Form):
    sort = forms.ChoiceField(
        label="Made by",
        choices=[(producer_type.value, f"{producer_type.value}s") for producer_type in MANUAL_PRODUCER_TYPES],
    )
    who = OneLineField(
        label="Name",
        max_length=100,
        help_text="Shown in tables and charts, such as Authors. A second file under the same name is their second "
        "reading, which measures how consistent they are.",
    )
    corpus = forms.ModelChoiceField(
        Corpus.objects.none(),
        label="Articles",
        empty_label=None,
        to_field_name="slug",
        help_text="The corpus of a phase.",
    )
    task = forms.ModelChoiceField(Task.objects.none(), empty_label=None, to_field_name="name")
    file = forms.FileField(
        label="File",
        help_text="Any gold standard format. Tab-separated: one annotation per line, the article's id, then the class, "
        "the identifier, or both identifiers of a pair. For tasks of any types: annotated text, such as PubTator, BioC "
        "or PubAnnotation, and for labels also tab-separated values.",
    )
    whole = forms.BooleanField(
        label="They read every article",
        required=False,
        help_text="Articles not in the file have no results. Otherwise they were not read and do not count.",
    )

    def __init__(self, challenge: Challenge, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        corpora: Any = self.fields["corpus"]
        tasks: Any = self.fields["task"]
        corpora.queryset = Corpus.objects.filter(phase__challenge=challenge).distinct().order_by("name", "pk")
        tasks.queryset = challenge.tasks.exclude(kind=Kind.PASSAGE).order_by("pk")

    def clean_file(self) -> Any:
        return clean_file_of_at_most_20_mb(self.cleaned_data["file"])

    def get_manual_file(self) -> ManualAnnotationFile:
        """The file of a valid form."""
        data = self.cleaned_data
        return ManualAnnotationFile(data["sort"], data["who"], data["file"].read(), data["file"].name, data["whole"])
