"""Reviewers publish or decline the records that curators propose."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_http_methods, require_safe

from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.curation.models import Curation
from annotations.curation.publishing import decline_proposed_curation, publish_proposed_curation
from annotations.curation.session import load_digital_abstract
from annotations.identifiers.queries import find_psi_mi_terms
from bcms.curation.record_view import build_record_view
from bcms.curation.review.mail import mail_review_to_curator
from bcms.lib.text import join_line_breaks
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
    return render(request, "curation/review_list.html", {"curations": _list_proposed().order_by("proposed", "pk")})


@_reviewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def review_curation(request: HttpRequest, pk: int) -> HttpResponse:
    """The proposed record with its article; POST publishes or declines it."""
    if request.method == "POST":
        return _decide(request, get_object_or_404(Curation, pk=pk))
    return _render_proposal(request, get_object_or_404(_list_proposed(), pk=pk))


def _list_proposed() -> QuerySet[Curation]:
    return Curation.objects.filter(proposed__isnull=False).select_related("article", "curator__producer")


def _render_proposal(
    request: HttpRequest, curation: Curation, error: Exception | None = None, status: int = 200
) -> HttpResponse:
    """The record as it is now. error: why nothing was decided; what was typed is shown then."""
    ident = format_pmid_or_opaque(curation.article)
    abstract, url = load_digital_abstract(curation), reverse("article", args=[ident])
    record = build_record_view(curation.article, abstract, url, find_psi_mi_terms())
    context = {"curation": curation, "record": record, "ident": ident, "error": error}
    return render(request, "curation/review.html", context, status=status)


def _decide(request: HttpRequest, curation: Curation) -> HttpResponse:
    reviewer = cast(AbstractBaseUser, request.user)
    reason = join_line_breaks(request.POST.get("reason", ""))
    is_published = request.POST.get("decision") == "publish"
    proposed = _read_time(request.POST.get("proposed", ""))
    try:
        if is_published:
            check_record_not_sealed(curation)
            publish_proposed_curation(curation.pk, proposed, reviewer.pk, timezone.now())
        else:
            decline_proposed_curation(curation.pk, proposed, reason)
    except (CurationError, ChallengeError) as error:
        current = _list_proposed().filter(pk=curation.pk).first()
        if current is not None:
            return _render_proposal(request, current, error, 409 if isinstance(error, StaleDecisionError) else 422)
        messages.error(request, str(error))
        return redirect("curation-review-list")
    mail_review_to_curator(curation, "" if is_published else reason)
    messages.success(request, "Published with the article." if is_published else "Declined. Its curator is notified.")
    return redirect("curation-review-list")


def _read_time(text: str) -> datetime | None:
    try:
        return parse_datetime(text)
    except ValueError:
        return None
