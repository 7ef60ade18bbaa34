"""allauth's view of the providers of LOGIN_PROVIDERS: there are no others, and no addresses are taken from them."""

# allauth has no type information.
# mypy: disallow-subclassing-any=False

from typing import Any, NoReturn

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User as Account
from django.http import HttpRequest

from bcms.accounts.providers.configuration import LoginProvider
from bcms.lib.text import clip_text_replacing_unprintable

LONGEST_NAME = 100


def find_provider(*, provider_id: str = "", issuer: str = "") -> LoginProvider | None:
    """The provider with this id, or this issuer."""
    found = (each for each in settings.LOGIN_PROVIDERS if provider_id == each.id or issuer == each.issuer)
    return next(found, None)


def describe_connection(connection: SocialAccount) -> str:
    """The name of its provider; the address of the provider if the settings have it no more."""
    provider = find_provider(issuer=connection.provider)
    return provider.name if provider else str(connection.provider)


class OpenIDProvider(OpenIDConnectProvider):
    """What is taken from verified claims. A connection belongs to the issuer, whatever id or name the settings give it.

    allauth would take parameters of its requests from the visitor's address, and would store all claims.
    """

    @classmethod
    def build(cls, request: HttpRequest, provider: LoginProvider) -> "OpenIDProvider":
        app = SocialApp(
            provider=cls.id,
            provider_id=provider.issuer,
            name=provider.name,
            client_id=provider.client_id,
        )
        return cls(request, app=app)

    def redirect_from_request(self, request: HttpRequest) -> NoReturn:
        raise NotImplementedError("bcms.accounts.providers.views begins log-ins.")

    def verify_token(self, request: HttpRequest, token: Any) -> NoReturn:
        raise NotImplementedError("bcms.accounts.providers.id_tokens verifies tokens.")

    def extract_uid(self, data: dict[str, Any]) -> str:
        return str(data["sub"])

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"name": _choose_person_name(data)}

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        """The address for the form of a new account, which has to be confirmed there like any other."""
        address = data.get("email")
        is_offered = data.get("email_verified") is True and isinstance(address, str) and address.isprintable()
        return {"email": address} if is_offered else {}

    def extract_email_addresses(self, data: dict[str, Any]) -> list[Any]:
        return []

    def cleanup_email_addresses(self, email: str | None, addresses: list[Any], email_verified: bool = False) -> Any:
        """The address without a row of its own: only what is typed into the form becomes an address of the account."""
        return super().cleanup_email_addresses(email, [], False)

    def serialize(self) -> dict[str, Any]:
        """For the session; two providers can have given this site the same client id."""
        return {"id": self.sub_id}


def _choose_person_name(claims: dict[str, Any]) -> str:
    """The name by which the person recognizes the connection; "" if the provider tells none."""
    parts = [claims.get(name) for name in ("given_name", "family_name")]
    full = " ".join(part for part in parts if isinstance(part, str))
    named = next((text for text in (claims.get("name"), full) if isinstance(text, str) and text.strip()), "")
    return clip_text_replacing_unprintable(named.strip(), LONGEST_NAME)


class ProviderAdapter(DefaultSocialAccountAdapter):
    error_messages: dict[str, Any] = {
        **DefaultSocialAccountAdapter.error_messages,
        "email_taken": "This address has an account. Log in to it, and connect %s under Account.",
    }

    def list_apps(self, request: HttpRequest, provider: str | None = None, client_id: str | None = None) -> list[Any]:
        """Those of the settings. allauth would ask the database, too, where nobody would look for them."""
        return [
            OpenIDProvider.build(request, each).app
            for each in settings.LOGIN_PROVIDERS
            if provider in (None, each.issuer, OpenIDProvider.id) and client_id in (None, each.client_id)
        ]

    def get_provider(self, request: HttpRequest, provider: str, client_id: str | None = None) -> OpenIDProvider:
        (app, *_) = self.list_apps(request, provider=provider, client_id=client_id) or [None]
        if app is None:
            raise SocialApp.DoesNotExist
        return OpenIDProvider(request, app=app)

    def get_requests_session(self) -> NoReturn:
        raise NotImplementedError("bcms.accounts.providers.metadata.fetch_json asks providers.")

    def can_authenticate_by_email(self, login: SocialLogin, email: str) -> bool:
        return False

    def is_email_verified(self, provider: Any, email: str) -> bool:
        return False

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> AbstractBaseUser:
        """Only the address: the site does not ask for names of people."""
        user: Account = sociallogin.user
        user.email = data.get("email", "")
        return user
