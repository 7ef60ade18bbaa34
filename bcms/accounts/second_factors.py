"""Which second factors an account has. Recovery codes are none: they replace one that was lost."""

from allauth.mfa.models import Authenticator
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser


def has_second_factor(user: AbstractBaseUser | AnonymousUser) -> bool:
    factors = Authenticator.objects.filter(user=user.pk)
    return bool(factors.exclude(type=Authenticator.Type.RECOVERY_CODES).exists())


def get_confirmation_page_name(user: AbstractBaseUser | AnonymousUser) -> str:
    """The name of the page that asks again: for a code of an app, or for a passkey where there is no app."""
    app = Authenticator.objects.filter(user=user.pk, type=Authenticator.Type.TOTP)
    return "mfa_reauthenticate" if app.exists() else "mfa_reauthenticate_webauthn"
