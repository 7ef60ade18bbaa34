"""Absolute URLs of the site's pages, for mail and messages: they never depend on the host that a request names."""

from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.urls import reverse


def build_site_url(url_name: str, *arguments: object) -> str:
    """The absolute URL of the page with this URL name and arguments."""
    return f"{settings.SITE_URL}{reverse(url_name, args=arguments)}"


def replace_origin(url: str) -> str:
    """A URL of a page of this site, with the scheme, host and port of SITE_URL."""
    site, parts = urlsplit(str(settings.SITE_URL)), urlsplit(url)
    return urlunsplit(parts._replace(scheme=site.scheme, netloc=site.netloc))
