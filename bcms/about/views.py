"""Who runs this site and how to cite it, its privacy, terms and accessibility, and whether it works now."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from bcms.about.site_status import list_part_states


@require_safe
def show_about_page(request: HttpRequest) -> HttpResponse:
    return render(request, "about/about.html", {"site_url": settings.SITE_URL, "today": timezone.now()})


@require_safe
def show_privacy(request: HttpRequest) -> HttpResponse:
    return render(request, "about/privacy.html")


@require_safe
def show_terms(request: HttpRequest) -> HttpResponse:
    return render(request, "about/terms.html")


@require_safe
def show_accessibility(request: HttpRequest) -> HttpResponse:
    return render(request, "about/accessibility.html")


@never_cache
@require_safe
def show_status(request: HttpRequest) -> HttpResponse:
    parts = list_part_states()
    context = {"parts": parts, "faults": sum(not part.works for part in parts), "now": timezone.now()}
    return render(request, "about/status.html", context)
