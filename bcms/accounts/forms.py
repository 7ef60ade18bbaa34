"""The forms of allauth with our labels and hints, and the form for a new token."""

# allauth has no type information.
# mypy: disallow-subclassing-any=False

from collections.abc import Mapping
from typing import Any, ClassVar

from allauth.account import forms as account
from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.mfa.base import forms as factor
from allauth.mfa.models import Authenticator
from allauth.mfa.totp import forms as totp
from django import forms
from django.contrib.auth.models import User as Account
from django.db import transaction

from bcms.accounts import unconfirmed_accounts
from bcms.accounts.address_confirmation import can_reset_password_by_address, discard_connections_of_unused_account
from bcms.accounts.scopes import SELECTABLE_SCOPES
from bcms.lib.forms.text_fields import OneLineField
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event

PASSWORD_HINT = "At least 10 characters; several words in a row are easy to remember."


class LabelledForm(forms.Form):
    """A form with labels and hints of its own, without the placeholders of allauth, which repeat the labels."""

    labels: ClassVar[Mapping[str, str]] = {}
    hints: ClassVar[Mapping[str, str]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = self.labels.get(name, field.label)
            field.help_text = self.hints.get(name, "")


class LoginForm(LabelledForm, account.LoginForm):
    labels = {"login": "Username or e-mail address", "password": "Password"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].widget.attrs["autocomplete"] = "username"


class SignupForm(LabelledForm, account.SignupForm):
    labels = {"username": "Username", "email": "E-mail address", "password1": "Password"}
    hints = {
        "username": "Visible to the members of your teams. Letters of one script, digits and . + - _",
        "email": "You will receive a link to confirm it.",
        "password1": PASSWORD_HINT,
    }

    def validate_unique_email(self, value: str) -> str:
        """Delete an unconfirmed account with this address when an invitation has proved who owns it."""
        if get_adapter().is_email_verified(context.request, value):
            unconfirmed_accounts.delete_unconfirmed_unused_account(value)
        email: str = super().validate_unique_email(value)
        return email


class AddEmailForm(LabelledForm, account.AddEmailForm):
    labels = {"email": "E-mail address"}


class ResetPasswordForm(LabelledForm, account.ResetPasswordForm):
    labels = {"email": "E-mail address"}
    users: list[Any]

    def clean_email(self) -> str:
        """The address. Accounts that it may not reset are unknown, and the answer is the same."""
        email: str = super().clean_email()
        self.users = [user for user in self.users if can_reset_password_by_address(user, email)]
        return email


class ResetPasswordKeyForm(LabelledForm, account.ResetPasswordKeyForm):
    labels = {"password1": "New password", "password2": "New password again"}
    hints = {"password1": PASSWORD_HINT}

    @transaction.atomic
    def save(self) -> None:
        """Who reads the mailbox need not be who made the account, and who could still log in by a provider."""
        discard_connections_of_unused_account(self.user)
        super().save()


class SetPasswordForm(LabelledForm, account.SetPasswordForm):
    labels = {"password1": "New password", "password2": "New password again"}
    hints = {"password1": PASSWORD_HINT}


class ChangePasswordForm(LabelledForm, account.ChangePasswordForm):
    labels = {"oldpassword": "Current password", "password1": "New password", "password2": "New password again"}
    hints = {"password1": PASSWORD_HINT}

    def clean_oldpassword(self) -> str:
        """Record a wrong password: somebody may have found an open session."""
        try:
            password: str = super().clean_oldpassword()
        except forms.ValidationError:
            record_audit_event(AuditAction.ACCOUNT_LOGIN_FAILED, "password to confirm", person=self.user)
            raise
        return password


class ReauthenticateForm(LabelledForm, account.ReauthenticateForm):
    labels = {"password": "Password"}


class ActivateSecondFactorForm(LabelledForm, totp.ActivateTOTPForm):
    labels = {"code": "Six digits"}


class _CodeForm(LabelledForm):
    """Records wrong codes; allauth checks them."""

    labels = {"code": "Code"}
    method = ""
    user: Account

    def _emit_authentication_failed(self, authenticator: Authenticator) -> None:
        """Record the failed log-in or confirmation: somebody knows the password, or has found an open session."""
        record_audit_event(AuditAction.ACCOUNT_LOGIN_FAILED, self.method, person=self.user)
        super()._emit_authentication_failed(authenticator)  # type: ignore[misc]


class SecondFactorForm(_CodeForm, factor.AuthenticateForm):
    method = "code as second factor"


class SecondFactorAgainForm(_CodeForm, factor.ReauthenticateForm):
    method = "code to confirm"


class ClosingForm(forms.Form):
    username = forms.CharField(label="Your user name", max_length=150, help_text="Type it to close the account.")

    def __init__(self, expected_name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.expected_name = expected_name

    def clean_username(self) -> str:
        name = str(self.cleaned_data["username"])
        if name != self.expected_name:
            raise forms.ValidationError(f"This is not the user name of the account. Type {self.expected_name}.")
        return name


class TokenForm(forms.Form):
    name = OneLineField(
        label="Used by",
        max_length=100,
        error_messages={"required": "Name the program that will use the token, so that you can find it to revoke it."},
    )
    scopes = forms.MultipleChoiceField(
        label="Permissions besides reading",
        choices=[(scope.value, f"{scope.value}: {scope.label}") for scope in SELECTABLE_SCOPES],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="The token never permits more than your account does.",
    )
    days = forms.TypedChoiceField(
        label="Expires",
        choices=[(30, "in 30 days"), (90, "in 90 days"), (365, "in a year"), ("", "never")],
        coerce=int,
        empty_value=None,
        required=False,
        initial=365,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
