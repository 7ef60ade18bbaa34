"""Form fields and checks that the forms of several topics share."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from bcms.lib.forms.model_forms import ModelChoiceField
from evaluation.challenges.models import Phase
from servers.teams.people import find_confirmed_person

MAX_GOLD_FILE_BYTES = 20 * 1024 * 1024


def clean_file_of_at_most_20_mb(file: "UploadedFile[Any] | None") -> "UploadedFile[Any] | None":
    """The file if it is not larger than MAX_GOLD_FILE_BYTES; ValidationError otherwise."""
    if file and (file.size or 0) > MAX_GOLD_FILE_BYTES:
        raise forms.ValidationError("The file is larger than 20 MB. Check that it is the right file.")
    return file


class UtcDateTimeField(forms.DateTimeField):
    """A date and a time in UTC, which need not be given."""

    def __init__(self, help_text: str) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(required=False, widget=widget, help_text=help_text)


OPENING_HELP = "In UTC. Leave empty to open it now."
CLOSING_HELP = "In UTC. After that, nobody can enter or load articles. Leave empty for no end."


class PersonField(forms.CharField):
    """A text field whose value becomes the active user with that user name or confirmed e-mail address."""

    def __init__(self) -> None:
        super().__init__(max_length=254, label="User name or e-mail address")

    def clean(self, value: Any) -> Any:
        name = super().clean(value)
        person = find_confirmed_person(name)
        if person is None:
            raise forms.ValidationError(
                f"No account has the user name or confirmed e-mail address {name}. Check the spelling, or ask them to "
                "sign up and to confirm their address."
            )
        return person


class PhaseChoiceField(ModelChoiceField[Phase]):
    """A choice between phases of one challenge, labelled training, development or test."""

    def label_from_instance(self, obj: Phase) -> str:
        return obj.sort
