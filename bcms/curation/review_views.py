"""Reviewers publish or decline the records that curators propose."""

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.publishing import decline_proposed_curation, publish_proposed_curation
from annotations.curation.session import load_digital_abstract
from annotations.identifiers.queries import find_psi_mi_terms
from bcms.curation.record_view import build_record_view
from bcms.curation.review_mail import mail_review_to_curator
from evaluation.curation.sealing import check_record_not_sealed
from evaluation.errors import ChallengeError
from servers.review.decisions import check_may_review


def _reviewer_required(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """PermissionDenied for everybody but reviewers."""

    @wraps(view)
    @login_required
    def guarded(request: HttpRequest, **parameters: int) -> HttpResponse:
        check_may_review(request.user)
        return view(request, **parameters)

    return guarded


@_reviewer_required
@require_safe
def show_proposed_curations(request: HttpRequest) -> HttpResponse:
    """What waits for reviewers, the oldest proposal first."""
    rows = Curation.objects.filter(proposed__isnull=False).select_related("article", "curator__producer")
    return render(request, "curation/review_list.html", {"curations": rows.order_by("proposed", "pk")})


@_reviewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def review_curation(request: HttpRequest, pk: int) -> HttpResponse:
    """The proposed record with its article; POST publishes or declines it."""
    proposed = Curation.objects.filter(proposed__isnull=False).select_related("article", "curator__producer")
    curation = get_object_or_404(proposed, pk=pk)
    if request.method == "POST":
        return _decide(request, curation)
    ident = format_pmid_or_opaque(curation.article)
    abstract, url = load_digital_abstract(curation), reverse("article", args=[ident])
    record = build_record_view(curation.article, abstract, url, find_psi_mi_terms())
    return render(request, "curation/review.html", {"curation": curation, "record": record, "ident": ident})


def _decide(request: HttpRequest, curation: Curation) -> HttpResponse:
    reviewer = cast(AbstractBaseUser, request.user)
    reason = request.POST.get("reason", "")
    is_published = request.POST.get("decision") == "publish"
    try:
        if is_published:
            check_record_not_sealed(curation)
            publish_proposed_curation(curation.pk, reviewer.pk, timezone.now())
        else:
            decline_proposed_curation(curation.pk, reason)
    except (CurationError, ChallengeError) as error:
        messages.error(request, str(error))
        return redirect("curation-review", curation.pk)
    mail_review_to_curator(curation, "" if is_published else reason)
    messages.success(request, "Published with the article." if is_published else "Declined. Its curator is notified.")
    return redirect("curation-review-list")
