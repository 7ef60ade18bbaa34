"""Who runs this site and how to cite it, its privacy, terms and accessibility, and whether it works now."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from bcms.about.site_status import list_part_states
from bcms.lib.sealing import compute_public_key_sha256
from evaluation.archives.signatures import encode_public_key_as_pem


@require_safe
def show_about_page(request: HttpRequest) -> HttpResponse:
    key = settings.NANOPUB_KEY
    signer = compute_public_key_sha256(key.public_key()) if key else ""
    context = {"site_url": settings.SITE_URL, "today": timezone.now(), "signer": signer}
    return render(request, "about/about.html", context)


@require_safe
def download_signing_key(request: HttpRequest) -> HttpResponse:
    """The public key with which the archives of this site are checked."""
    if settings.NANOPUB_KEY is None:
        raise Http404("This site has no key, so it signs nothing.")
    pem = encode_public_key_as_pem(settings.NANOPUB_KEY.public_key())
    return HttpResponse(pem, content_type="application/x-pem-file")


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
