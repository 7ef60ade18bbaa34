"""The forms of allauth with labels and hints of ours."""

from collections.abc import Mapping
from typing import Any, ClassVar

from allauth.account import forms as account
from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.mfa.base import forms as factor
from allauth.mfa.totp import forms as totp
from django import forms

from bcms.accounts import unconfirmed

PASSWORD_HINT = "At least 10 characters; a few words in a row are easy to keep in mind."


class Worded(forms.Form):
    """Labels say what a field is; allauth says it once more in its placeholders."""

    labels: ClassVar[Mapping[str, str]] = {}
    hints: ClassVar[Mapping[str, str]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = self.labels.get(name, field.label)
            field.help_text = self.hints.get(name, "")


class LoginForm(Worded, account.LoginForm):
    labels = {"login": "Username or e-mail address", "password": "Password"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].widget.attrs["autocomplete"] = "username"


class SignupForm(Worded, account.SignupForm):
    labels = {"username": "Username", "email": "E-mail address", "password1": "Password"}
    hints = {
        "username": "Other members of your teams see it.",
        "email": "A link is sent to it, by which you confirm that it is yours.",
        "password1": PASSWORD_HINT,
    }

    def validate_unique_email(self, value: str) -> str:
        """Who came by an invitation owns the address, whoever signed up with it before and never confirmed it."""
        if get_adapter().is_email_verified(context.request, value):
            unconfirmed.forget(value)
        return super().validate_unique_email(value)


class AddEmailForm(Worded, account.AddEmailForm):
    labels = {"email": "E-mail address"}


class ResetPasswordForm(Worded, account.ResetPasswordForm):
    labels = {"email": "E-mail address"}


class ResetPasswordKeyForm(Worded, account.ResetPasswordKeyForm):
    labels = {"password1": "New password", "password2": "New password again"}
    hints = {"password1": PASSWORD_HINT}


class SetPasswordForm(Worded, account.SetPasswordForm):
    labels = {"password1": "New password", "password2": "New password again"}
    hints = {"password1": PASSWORD_HINT}


class ChangePasswordForm(Worded, account.ChangePasswordForm):
    labels = {"oldpassword": "Present password", "password1": "New password", "password2": "New password again"}
    hints = {"password1": PASSWORD_HINT}


class ReauthenticateForm(Worded, account.ReauthenticateForm):
    labels = {"password": "Password"}


class ActivateForm(Worded, totp.ActivateTOTPForm):
    labels = {"code": "Six digits"}


class CodeForm(Worded, factor.AuthenticateForm):
    labels = {"code": "Code"}


class CodeAgainForm(Worded, factor.ReauthenticateForm):
    labels = {"code": "Code"}
