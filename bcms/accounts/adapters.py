"""Adapters for django-allauth: error messages, redirects and labels."""

# allauth has no type information.
# mypy: disallow-subclassing-any=False

from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.models import User as Account
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from bcms.accounts.providers.reauthentication import has_confirmed_recently, has_only_providers
from bcms.accounts.sessions import end_sessions
from bcms.accounts.user_names import find_user_name_fault, is_user_name_taken, normalize_user_name
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.notifications.site_links import replace_origin
from servers.teams.people import find_account_by_login

# The messages about a new second factor, about a passkey that may have been lost, and about connections with providers.
CHANGES_ENDING_SESSIONS = {
    *("mfa/email/totp_activated", "mfa/email/webauthn_added", "mfa/email/webauthn_removed"),
    *("socialaccount/email/connection_added", "socialaccount/email/connection_removed"),
}
REAUTHENTICATION_METHODS = {
    "reauthenticate": "Use your password",
    "mfa_reauthenticate": "Use your authenticator app or a recovery code",
    "mfa_reauthenticate:webauthn": "Use a passkey",
}
WRONG_LOGIN = "The username or password is wrong: check both, or reset your password by e-mail."


class AccountAdapter(DefaultAccountAdapter):
    error_messages: dict[str, Any] = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": WRONG_LOGIN,
        "email_password_mismatch": WRONG_LOGIN,
        "invalid_login": WRONG_LOGIN,
        "too_many_login_attempts": "Too many failed logins: wait five minutes, or reset your password by e-mail.",
        "username_taken": "This username is taken, or looks like one that is: choose another one.",
        "duplicate_email": "Your account already has this address.",
        "max_email_addresses": "An account can have at most %d addresses: remove one first.",
        "enter_current_password": "This is not your current password: enter it again.",
        "incorrect_password": "This is not your password: enter it again.",
        "incorrect_code": "This code is wrong or has expired: enter the one that your app shows now.",
        "rate_limited": "Too many attempts: wait a minute, then try again.",
        "unverified_primary_email": "Confirm the address first: follow the link in the message that was sent to it.",
    }

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """The name in the form in which it is stored; ValidationError if it is not allowed or taken."""
        name: str = super().clean_username(normalize_user_name(username), shallow)
        fault = find_user_name_fault(name)
        if fault:
            raise ValidationError(fault)
        if not shallow and is_user_name_taken(name):
            raise self.validation_error("username_taken")
        return name

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send mail whose links lead to SITE_URL, whatever host the request named."""
        links = {name: replace_origin(value) for name, value in context.items() if name.endswith("_url")}
        host = urlsplit(settings.SITE_URL).netloc
        site = {"current_site": SimpleNamespace(name=host, domain=host)}
        super().send_mail(template_prefix, email, {**context, **links, **site})

    def login(self, request: HttpRequest, user: AbstractBaseUser) -> None:
        super().login(request, user)
        record_audit_event(AuditAction.ACCOUNT_LOGGED_IN, actor=user, person=user)

    def logout(self, request: HttpRequest) -> None:
        if request.user.is_authenticated:
            record_audit_event(AuditAction.ACCOUNT_LOGGED_OUT, actor=request.user, person=request.user)
        super().logout(request)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Record whose account was tried, never the name as it was typed: people type passwords there."""
        typed = credentials.get("email") or credentials.get("username") or ""
        tried = "password to confirm" if request.user.is_authenticated else ""
        record_audit_event(AuditAction.ACCOUNT_LOGIN_FAILED, tried, person=find_account_by_login(typed))
        super().authentication_failed(request, **credentials)

    def respond_user_inactive(self, request: HttpRequest, user: AbstractBaseUser) -> HttpResponse:
        """Record that somebody has the password, passkey or log-in at a provider of a blocked account."""
        record_audit_event(AuditAction.ACCOUNT_LOGIN_FAILED, "blocked account", person=user)
        response: HttpResponse = super().respond_user_inactive(request, user)
        return response

    @transaction.atomic
    def set_password(self, user: AbstractBaseUser, password: str) -> None:
        super().set_password(user, password)
        record_audit_event(AuditAction.ACCOUNT_PASSWORD_CHANGED, person=user)

    @transaction.atomic
    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        confirmed: bool = super().confirm_email(request, email_address)
        if confirmed:
            record_audit_event(AuditAction.ACCOUNT_ADDRESS_CONFIRMED, person=email_address.user)
        return confirmed

    def send_notification_mail(
        self,
        template_prefix: str,
        user: AbstractBaseUser,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """allauth notifies people of every change of their addresses, password and second factor; record those, too.

        A new second factor, a removed passkey and a change of connections end the other sessions: a thief of the
        password, of the passkey or of the log-in at a provider may have one of them.
        """
        change = template_prefix.rpartition("/")[2].replace("_", " ")
        if template_prefix in CHANGES_ENDING_SESSIONS:
            end_sessions(Account.objects.get(pk=user.pk), kept_key=self.request.session.session_key)
        record_audit_event(AuditAction.ACCOUNT_SECURITY_CHANGED, after={"change": change}, person=user)
        super().send_notification_mail(template_prefix, user, context, email)

    def get_reauthentication_methods(self, user: AbstractBaseUser | AnonymousUser) -> list[dict[str, Any]]:
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if user.is_authenticated and not methods:
            return [{"id": "provider", "description": "Log in again", "url": reverse("provider-confirm-choice")}]
        return [each | {"description": REAUTHENTICATION_METHODS[each["id"]]} for each in methods]

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """allauth asks this of who is logged in, and then takes those who have only providers for confirmed."""
        required: bool = super().is_reauthentication_required(app=app, **kwargs)
        if required and has_only_providers(self.request.user) and not has_confirmed_recently(self.request):
            raise ReauthenticationRequired
        return required

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")


class MFAAdapter(DefaultMFAAdapter):
    error_messages: dict[str, Any] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is wrong or has expired: enter the one that your app shows now.",
        "incorrect_passkey": "This passkey does not belong to an account here, or it took too long: try again.",
        "passkey_is_second_factor": "This passkey does not log in alone: log in with your password first.",
        "copied_passkey": "This passkey may have been copied: log in another way, remove it, and add a new one.",
        "too_many_passkeys": "An account can have at most 20 passkeys: remove one first.",
        "cannot_generate_recovery_codes": "Recovery codes require a second factor: set one up first.",
    }

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """The host without its port, to which browsers bind a passkey, and the name that they show."""
        host = urlsplit(f"//{context.request.get_host()}").hostname or ""
        return {"id": host, "name": settings.MFA_TOTP_ISSUER}

    def generate_authenticator_name(self, user: AbstractBaseUser, type: Authenticator.Type) -> str:
        number = Authenticator.objects.filter(user_id=user.pk, type=type).count()
        return f"Passkey {number + 1}"

    def _get_user_identifier(self, user: AbstractBaseUser) -> str:
        """The name that browsers show for the account when they offer a passkey."""
        return user.get_username()

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        """The name that the authenticator app shows for the account."""
        return user.get_username()
