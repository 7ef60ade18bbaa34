"""The forms of allauth with labels and hints of ours."""

from typing import Any

from allauth.account import forms as allauth_forms
from django import forms


def without_placeholders(form: forms.Form) -> None:
    """Labels say what a field is; allauth says it twice."""
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)


class LoginForm(allauth_forms.LoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        without_placeholders(self)
        self.fields["login"].label = "Username or e-mail address"
        self.fields["login"].widget.attrs["autocomplete"] = "username"
        self.fields["password"].help_text = ""


class SignupForm(allauth_forms.SignupForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        without_placeholders(self)
        self.fields["username"].label = "Username"
        self.fields["username"].help_text = "Other members of your teams see it."
        self.fields["email"].label = "E-mail address"
        self.fields["email"].help_text = "A link is sent to it, by which you confirm that it is yours."
        self.fields["password1"].help_text = "At least 10 characters; a few words in a row are easy to keep in mind."
