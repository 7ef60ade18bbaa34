"""The forms that create a challenge from a definition, or as a copy of another challenge."""

from typing import Any

from django import forms

from bcms.article_uploads.article_import import MEBIBYTES
from bcms.lib.forms.text_fields import OneLineField
from evaluation.challenges.setup.forms import ChallengeForm


class _NamesForm(forms.Form):
    name = OneLineField(max_length=200)
    slug = forms.SlugField(max_length=50, label="Name in URLs", help_text=ChallengeForm.Meta.help_texts["slug"])


class CopyForm(_NamesForm):
    """The names of the copy."""


class DefinitionFileForm(_NamesForm):
    """A file with a definition, or an archive. The names are in it, unless others are entered here."""

    field_order = ("file", "name", "slug")
    file = forms.FileField(
        label="Definition or archive",
        max_length=250,
        help_text="A definition in YAML or JSON, at most 256 KiB, or the archive of a challenge (zip), at most "
        f"{MEBIBYTES} MiB. Organizers can download both of their challenges.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("name", "slug"):
            self.fields[name].required = False
            self.fields[name].help_text = "Leave empty for the one in the file."

    def list_changes(self) -> dict[str, str]:
        """The names that were entered."""
        return {name: self.cleaned_data[name] for name in ("name", "slug") if self.cleaned_data[name]}
