"""The forms of passkeys: allauth's, with stricter checks of what browsers send.

allauth accepts what was signed for a page of a subdomain, breaks on some malformed answers, stores everything that came
with a new passkey, and would let a key alone log in without fingerprint or PIN in a session that asked for less, or
against the wish of its owner. It neither compares the numbers that passkeys sign nor records failures.
"""

# allauth has no type information.
# mypy: disallow-subclassing-any=False

from typing import Any
from urllib.parse import urlsplit

from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.internal.flows import check_rate_limit
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms as webauthn
from allauth.mfa.webauthn.internal import auth
from django import forms
from django.forms.fields import InvalidJSONInput
from fido2.utils import websafe_encode
from fido2.webauthn import AuthenticationResponse, RegistrationResponse

from bcms.accounts.forms import LabelledForm
from bcms.accounts.passkeys.counters import advance_counter_unless_behind
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User

LONGEST_NAME = 100
# Of what a passkey says about itself; those that exist send less than 2 kB.
MOST_BYTES = 20_000
MOST_PASSKEYS = 20
# Faults that people are told; all others are alike.
TOLD_FAULTS = {"too_many_login_attempts", "copied_passkey", "passkey_is_second_factor"}
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class AnswerField(forms.JSONField):
    """What a browser sends of a passkey; never shown again."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except (RecursionError, forms.ValidationError):
            raise get_adapter().validation_error("incorrect_passkey") from None

    def bound_data(self, data: Any, initial: Any) -> Any:
        return InvalidJSONInput("")


def parse_own_answer(response_class: Any, answer: Any) -> Any:
    """The answer of a passkey that a page of this host asked for, else ValidationError."""
    try:
        parsed = response_class.from_dict(answer)
        host = urlsplit(parsed.response.client_data.origin).netloc
    except MALFORMED:
        raise get_adapter().validation_error("incorrect_passkey") from None
    if host != context.request.get_host():
        raise get_adapter().validation_error("incorrect_passkey")
    return parsed


def keep_needed(parsed: RegistrationResponse) -> dict[str, Any]:
    """What is stored of a new passkey: its public key."""
    response = parsed.response
    if len(response.client_data) + len(response.attestation_object) > MOST_BYTES:
        raise get_adapter().validation_error("incorrect_passkey")
    return {
        "id": parsed.id,
        "rawId": parsed.id,
        "type": "public-key",
        "response": {
            "clientDataJSON": websafe_encode(response.client_data),
            "attestationObject": websafe_encode(response.attestation_object),
        },
        "clientExtensionResults": {},
    }


class AddPasskeyForm(LabelledForm, webauthn.AddWebAuthnForm):
    labels = {"name": "Name", "passwordless": "Log in with it alone, without username and password"}
    hints = {
        "name": "To tell your passkeys apart, such as “phone” or “key ring”.",
        "passwordless": "It asks for your fingerprint, face or PIN. Leave this out for a key that cannot do so.",
    }
    credential = AnswerField()
    field_order = ("name", "passwordless", "credential")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].widget.attrs["maxlength"] = LONGEST_NAME
        self.fields["passwordless"].initial = True

    def clean_name(self) -> str:
        return str(super().clean_name())[:LONGEST_NAME]

    def clean_credential(self) -> dict[str, Any]:
        return keep_needed(parse_own_answer(RegistrationResponse, self.cleaned_data["credential"]))

    def clean(self) -> dict[str, Any]:
        passkeys = Authenticator.objects.filter(user=self.user, type=Authenticator.Type.WEBAUTHN)
        if passkeys.count() >= MOST_PASSKEYS:
            raise get_adapter().validation_error("too_many_passkeys")
        try:
            cleaned: dict[str, Any] = super().clean() or {}
        except (forms.ValidationError, *MALFORMED):
            raise get_adapter().validation_error("incorrect_passkey") from None
        if "credential" in cleaned:
            # Where allauth looks whether it can log in alone: as its owner has chosen, whatever else it could do.
            alone = bool(cleaned.get("passwordless"))
            cleaned["credential"]["clientExtensionResults"] = {"credProps": {"rk": alone}}
        return cleaned


class _OwnAnswerForm(forms.Form):
    """Checks an answer before allauth does, and its counter afterwards."""

    credential = AnswerField()
    logs_in_alone = False
    user: User | None

    def clean_credential(self) -> Authenticator:
        try:
            return self._check_answer()
        except (forms.ValidationError, *MALFORMED) as error:
            if getattr(error, "code", "") in TOLD_FAULTS:
                raise
            raise get_adapter().validation_error("incorrect_passkey") from None

    def _check_answer(self) -> Authenticator:
        try:
            parsed = parse_own_answer(AuthenticationResponse, self.cleaned_data["credential"])
        except forms.ValidationError:
            # allauth counts only attempts that it checks itself.
            if self.user is not None:
                check_rate_limit(self.user)
            raise
        # What the session asked for may be that of a second factor.
        if self.logs_in_alone and not parsed.response.authenticator_data.is_user_verified():
            raise get_adapter().validation_error("incorrect_passkey")
        passkey: Authenticator = super().clean_credential()  # type: ignore[misc]
        if self.logs_in_alone and not passkey.wrap().is_passwordless:
            raise get_adapter().validation_error("passkey_is_second_factor")
        if not advance_counter_unless_behind(passkey, parsed.response.authenticator_data.counter):
            raise get_adapter().validation_error("copied_passkey")
        return passkey


class _RecordedAnswerForm(_OwnAnswerForm):
    """Records failed log-ins and confirmations, as those by password are."""

    method = ""

    def clean_credential(self) -> Authenticator:
        try:
            return super().clean_credential()
        except forms.ValidationError as error:
            if error.code != "too_many_login_attempts":
                copied = "The passkey may have been copied." if error.code == "copied_passkey" else ""
                record_audit_event(
                    AuditAction.ACCOUNT_LOGIN_FAILED, self.method, person=self._find_account(), reason=copied
                )
            raise

    def _find_account(self) -> User | None:
        """Whose passkey it is or claims to be."""
        try:
            account: User = self.user or auth.extract_user_from_response(self.cleaned_data["credential"])
        except (forms.ValidationError, *MALFORMED):
            return None
        return account


class LoginByPasskeyForm(_RecordedAnswerForm, webauthn.LoginWebAuthnForm):
    method = "passkey"
    logs_in_alone = True


class SecondFactorByPasskeyForm(_RecordedAnswerForm, webauthn.AuthenticateWebAuthnForm):
    method = "passkey as second factor"


class PasskeyAgainForm(_RecordedAnswerForm, webauthn.ReauthenticateWebAuthnForm):
    method = "passkey to confirm"


class RenamePasskeyForm(LabelledForm, webauthn.EditWebAuthnForm):
    labels = {"name": "Name"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].widget.attrs["maxlength"] = LONGEST_NAME

    def clean_name(self) -> str:
        return str(self.cleaned_data["name"])[:LONGEST_NAME]
