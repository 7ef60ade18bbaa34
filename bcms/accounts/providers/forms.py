"""The form of a new account for somebody who has logged in at a provider: without a password."""

# allauth has no type information.
# mypy: disallow-subclassing-any=False

from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.socialaccount import forms as social

from bcms.accounts import unconfirmed_accounts
from bcms.accounts.forms import LabelledForm


class ProviderSignupForm(LabelledForm, social.SignupForm):
    """An address that has an account already never joins it: an e-mail tells its owner how to connect."""

    labels = {"username": "Username", "email": "E-mail address"}
    hints = {
        "username": "Visible to the members of your teams. Letters of one script, digits and . + - _",
        "email": "You will receive a link to confirm it.",
    }

    def validate_unique_email(self, value: str) -> str:
        """Delete an unconfirmed account with this address when an invitation has proved who owns it."""
        if get_adapter().is_email_verified(context.request, value):
            unconfirmed_accounts.delete_unconfirmed_unused_account(value)
        email: str = super().validate_unique_email(value)
        return email
