"""Absolute URLs of the site's pages, for mail and messages that are written without a request."""

from django.conf import settings
from django.urls import reverse


def build_site_url(url_name: str, *arguments: object) -> str:
    """The absolute URL of the page with this URL name and arguments."""
    return f"{settings.SITE_URL}{reverse(url_name, args=arguments)}"
