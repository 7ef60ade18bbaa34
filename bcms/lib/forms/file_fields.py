"""Form fields for files."""

from typing import Any

from django import forms


class MultipleFileInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class MultipleFileField(forms.FileField):
    """A field for several files; each is validated by FileField."""

    widget = MultipleFileInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        clean_file = super().clean
        return [clean_file(file, initial) for file in data] if data else [clean_file(None, initial)]
