"""The form with a file to continue."""

from typing import Any

from django import forms

from annotations.digital_abstract import Origin
from bcms.curation.continuation.taking_over import BASIS_ORIGINS, LARGEST_FILE_MB, LONGEST_BASIS, GivenFile


class ContinuationForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text=(
            f"PSI-MITAB 2.5, 2.6 or 2.7, PSI-MI XML 2.5 or 3.0, or JSON as in REST; at most {LARGEST_FILE_MB} MB."
        ),
    )
    origin = forms.ChoiceField(
        label="It is from", choices=[(origin.value, label) for origin, label in BASIS_ORIGINS.items()]
    )
    basis = forms.CharField(
        label="Name of the source",
        max_length=LONGEST_BASIS,
        required=False,
        help_text="Such as IntAct. The record says so. Empty: the name of the file.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def get_given_file(self) -> GivenFile:
        """The file of a valid form."""
        data = self.cleaned_data
        return GivenFile(data["file"].name, data["file"].read(), data["basis"], Origin(data["origin"]))
