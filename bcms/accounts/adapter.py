"""What django-allauth says and does in our words."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.urls import reverse

WRONG_LOGIN = "No account has this name and this password: check both, or choose a new password by e-mail."


class AccountAdapter(DefaultAccountAdapter):
    error_messages: dict[str, Any] = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": WRONG_LOGIN,
        "email_password_mismatch": WRONG_LOGIN,
        "invalid_login": WRONG_LOGIN,
        "too_many_login_attempts": "Too many log-ins failed: wait five minutes, or choose a new password by e-mail.",
        "username_taken": "Somebody has this user name: choose another one.",
        "duplicate_email": "This address is on your account already.",
        "max_email_addresses": "An account has at most %d addresses: remove one first.",
        "enter_current_password": "This is not your present password: type it again.",
        "incorrect_password": "This is not your password: type it again.",
        "incorrect_code": "This code is wrong or no longer valid: type the one that your app shows now.",
        "rate_limited": "Too many tries: wait a minute, then try again.",
        "unverified_primary_email": "Confirm the address first, by the link in the mail that was sent to it.",
    }

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")
