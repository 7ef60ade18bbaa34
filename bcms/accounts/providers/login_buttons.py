"""The providers for the buttons of pages."""

from django.conf import settings
from django.http import HttpRequest

from bcms.accounts.providers.configuration import LoginProvider


def add_login_providers(request: HttpRequest) -> dict[str, tuple[LoginProvider, ...]]:
    """Context of every page; no queries."""
    return {"login_providers": settings.LOGIN_PROVIDERS}
