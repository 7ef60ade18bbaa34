"""A second question before what cannot be undone: the POST is answered with a page, whose form sends it again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

UNDONE = "This cannot be undone."


@dataclass(frozen=True, slots=True)
class ConfirmationQuestion:
    """What is about to happen.

    heading: ends with a question mark; consequences: sentences; button: its text; back: URL of the page to return to;
    typed: the name that has to be typed, empty if ticking a box is enough. hidden: what the request had sent and its
    confirmation sends again, by name.
    """

    heading: str
    consequences: Sequence[str]
    button: str
    back: str
    typed: str = ""
    hidden: Mapping[str, str] = field(default_factory=dict)


class _ConfirmationForm(forms.Form):
    confirm = forms.BooleanField(
        label="I understand that this cannot be undone",
        error_messages={"required": "Tick the box to go on, or go back."},
    )

    def __init__(self, question: ConfirmationQuestion, data: Any = None) -> None:
        super().__init__(data, label_suffix="")
        self.typed = question.typed
        if question.typed:
            self.fields["name"] = forms.CharField(
                label=f"Type {question.typed} to confirm",
                widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}),
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.typed and cleaned.get("name", self.typed) != self.typed:
            self.add_error("name", f"This is not {self.typed}. Type the name exactly as shown.")
        return cleaned


def ask_unless_confirmed(request: HttpRequest, question: ConfirmationQuestion) -> HttpResponse | None:
    """None if the request has the confirmation; else the page that asks for it, with status 422 if it is wrong."""
    sent = "confirm" in request.POST or "name" in request.POST or "asked" in request.POST
    form = _ConfirmationForm(question, request.POST if sent else None)
    if form.is_valid():
        return None
    return render(request, "confirmation.html", {"form": form, "question": question}, status=422 if sent else 200)
