"""Form fields for text that others read: no character in it is invisible."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError


class OneLineField(forms.CharField):
    """A name, title or reason: one printable line, with one space for each white space.

    Such lines stand in mails and feeds, where a line break would let their author write what looks like the site's
    own words.
    """

    def clean(self, value: Any) -> str:
        line = " ".join(super().clean(value).split())
        if not line.isprintable():
            raise ValidationError("The text contains an invisible character. Type it again.")
        return line


class ShownTextField(forms.CharField):
    """A text of several lines, without control characters other than tabs and line breaks."""

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        if any(not (character.isprintable() or character in "\t\n\r") and ord(character) < 160 for character in text):
            raise ValidationError("The text contains a control character. Type or copy it again.")
        return text
