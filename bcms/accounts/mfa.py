"""The second factor in our words."""

from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from django.contrib.auth.base_user import AbstractBaseUser


class MFAAdapter(DefaultMFAAdapter):
    error_messages: dict[str, Any] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is wrong or no longer valid: type the one that your app shows now.",
        "cannot_generate_recovery_codes": "Recovery codes belong to a second factor: set that up first.",
    }

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        """What the app shows beside the code, next to the issuer."""
        return user.get_username()
