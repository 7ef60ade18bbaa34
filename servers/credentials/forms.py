"""The form for the credentials of calls. Secrets are only entered, never shown."""

import base64
import re
from typing import Any

from django import forms
from django.conf import settings

from bcms.lib.http.messages import format_url_origin
from servers.credentials.models import CallCredentials
from servers.credentials.sealed_headers import seal_header
from servers.credentials.storage import replace_credentials
from servers.registry.models import Server

HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}", re.ASCII)
HEADER_VALUE = re.compile(r"[\x20-\x7e]*", re.ASCII)
# Headers that the request itself has, or that proxies act upon.
RESERVED_HEADERS = frozenset(
    {
        *("accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect"),
        *("forwarded", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "via"),
        *("webhook-id", "webhook-signature", "webhook-timestamp"),
    }
)
AUTHORIZATION = "Authorization"


class CredentialsForm(forms.Form):
    scheme = forms.ChoiceField(label="Kind of credentials", choices=CallCredentials.Scheme.choices)
    user_name = forms.CharField(
        label="User name", max_length=200, required=False, help_text="For a user name and password only."
    )
    header = forms.CharField(
        label="Name of the header",
        max_length=100,
        required=False,
        help_text="For a header of your own only, for example X-Api-Key.",
    )
    secret = forms.CharField(
        label="Password, token or value of the header",
        max_length=4000,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="It is encrypted at once and never shown again.",
        error_messages={"required": "Enter the password, token or value of the header."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean_user_name(self) -> str:
        name = str(self.cleaned_data["user_name"])
        if self.cleaned_data.get("scheme") == CallCredentials.Scheme.BASIC and (not name or ":" in name):
            raise forms.ValidationError("Enter the user name, which cannot contain a colon.")
        return name

    def clean_header(self) -> str:
        if self.cleaned_data.get("scheme") != CallCredentials.Scheme.HEADER:
            return AUTHORIZATION
        name = str(self.cleaned_data["header"])
        if not HEADER_NAME.fullmatch(name):
            raise forms.ValidationError("Enter the name of the header in letters, digits and hyphens, like X-Api-Key.")
        if name.lower() in RESERVED_HEADERS:
            raise forms.ValidationError(f"Calls have the header {name} already. Choose another one.")
        return name

    def clean_secret(self) -> str:
        secret = str(self.cleaned_data["secret"])
        is_basic = self.cleaned_data.get("scheme") == CallCredentials.Scheme.BASIC
        if not is_basic and (not HEADER_VALUE.fullmatch(secret) or secret != secret.strip()):
            raise forms.ValidationError(
                "A header can only have printable ASCII characters, without spaces at its ends. Copy the value again."
            )
        return secret

    def store(self, server: Server) -> CallCredentials:
        data: dict[str, Any] = self.cleaned_data
        return replace_credentials(server, data["scheme"], data["header"], self._build_header_value())

    def _build_header_value(self) -> str:
        data = self.cleaned_data
        match data["scheme"]:
            case CallCredentials.Scheme.BASIC:
                return "Basic " + base64.b64encode(f"{data['user_name']}:{data['secret']}".encode()).decode()
            case CallCredentials.Scheme.BEARER:
                return f"Bearer {data['secret']}"
            case _:
                return str(data["secret"])


class TrialCredentialsForm(CredentialsForm):
    """Credentials for one test call before the server is registered, or none."""

    prefix = "credentials"
    secret_field = "credentials-secret"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["scheme"] = forms.ChoiceField(
            label="Kind of credentials", choices=[("", "None"), *CallCredentials.Scheme.choices], required=False
        )
        self.fields["secret"].required = False
        self.fields["secret"].help_text = "It is encrypted at once, used for this test call only, and never shown."

    def clean_secret(self) -> str:
        scheme = self.cleaned_data.get("scheme")
        if bool(self.cleaned_data["secret"]) != bool(scheme) and "scheme" not in self.errors:
            raise forms.ValidationError(
                "Enter the password, token or value of the header." if scheme else "Choose the kind of credentials."
            )
        return super().clean_secret()

    def clean_scheme(self) -> str:
        scheme = str(self.cleaned_data["scheme"])
        if scheme and settings.CREDENTIALS_PUBLIC_KEY is None:
            raise forms.ValidationError("This site has no key to encrypt credentials. Ask its administrators for one.")
        return scheme

    def seal_for_url(self, url: str) -> bytes:
        """The sealed header for the origin of the URL, b"" without credentials."""
        if not self.cleaned_data["scheme"]:
            return b""
        return seal_header(format_url_origin(url), self.cleaned_data["header"], self._build_header_value())
