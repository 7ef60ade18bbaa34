"""What organizers send of authors and curators."""

from typing import Any

from django import forms

from annotations.kinds import Kind
from annotations.models import Corpus
from evaluation.by_hand.bringing_in import SORTS, HandFile
from evaluation.forms import small
from evaluation.models import Challenge, Task


class ByHandForm(forms.Form):
    sort = forms.ChoiceField(label="Made by", choices=[(sort.value, f"{sort.value}s") for sort in SORTS])
    who = forms.CharField(
        label="Called",
        max_length=100,
        help_text="Their name in tables and drawings, such as Authors. A second file under the same name is their "
        "second reading, which tells how far they agree with themselves.",
    )
    corpus = forms.ModelChoiceField(
        Corpus.objects.none(), label="Articles", empty_label=None, to_field_name="slug", help_text="Of a phase."
    )
    task = forms.ModelChoiceField(Task.objects.none(), empty_label=None, to_field_name="name")
    file = forms.FileField(
        label="File",
        help_text="In any format of a gold standard. Tab-separated: one annotation a line, the article's id, then the "
        "class or the identifier, or both of a pair.",
    )
    whole = forms.BooleanField(
        label="They read every article",
        required=False,
        help_text="Those that the file does not name have nothing to report; else they were not read and do not count.",
    )

    def __init__(self, challenge: Challenge, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        corpora: Any = self.fields["corpus"]
        tasks: Any = self.fields["task"]
        corpora.queryset = Corpus.objects.filter(phase__challenge=challenge).distinct().order_by("name", "pk")
        tasks.queryset = challenge.tasks.exclude(kind=Kind.PASSAGE).order_by("pk")

    def clean_file(self) -> Any:
        return small(self.cleaned_data["file"])

    def hand_file(self) -> HandFile:
        """What was sent, once the form is valid."""
        own = self.cleaned_data
        return HandFile(own["sort"], own["who"], own["file"].read(), own["file"].name, own["whole"])
