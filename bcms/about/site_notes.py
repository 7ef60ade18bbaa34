"""What every page says at its foot: who runs this site, how to reach them, and where the rest is written."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from bcms.lib.version import VERSION


@dataclass(frozen=True, slots=True)
class SiteNotes:
    """operator, contact, source: "" where the site's settings do not name them. privacy, terms: addresses of pages."""

    operator: str
    contact: str
    source: str
    privacy: str
    terms: str
    version: str = VERSION


def make_site_notes() -> SiteNotes:
    return SiteNotes(
        operator=settings.OPERATOR,
        contact=settings.CONTACT_EMAIL,
        source=settings.SOURCE_URL,
        privacy=settings.PRIVACY_URL or reverse("privacy"),
        terms=settings.TERMS_URL or reverse("terms"),
    )


def add_site_notes(request: HttpRequest) -> dict[str, SiteNotes]:
    """Context of every page."""
    return {"site": make_site_notes()}
