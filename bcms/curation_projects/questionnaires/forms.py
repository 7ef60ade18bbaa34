"""The questionnaire of an experiment as a form."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotations.curation.projects.questions import FREE_QUESTION, LONGEST_COMMENT, SCALE, SCALED_QUESTIONS

SCALE_CHOICES = [(str(number), text) for number, text in enumerate(SCALE, 1)]


class QuestionnaireForm(forms.Form):
    """Nine statements with a scale, each of which may be left out, and a comment."""

    def __init__(self, arm: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, label_suffix="")
        for question in SCALED_QUESTIONS:
            self.fields[question.name] = forms.TypedChoiceField(
                label=question.choose_statement(arm),
                choices=SCALE_CHOICES,
                coerce=int,
                empty_value=None,
                required=False,
                widget=forms.RadioSelect,
            )
        self.fields["comment"] = forms.CharField(
            label=FREE_QUESTION,
            max_length=LONGEST_COMMENT,
            required=False,
            widget=forms.Textarea(attrs={"rows": 4}),
        )

    def list_answers(self) -> list[int | None]:
        """The answers of a valid form, in the order of the questions."""
        return [self.cleaned_data[question.name] for question in SCALED_QUESTIONS]
