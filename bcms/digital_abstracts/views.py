"""The page of the published curations, which are a data set of their own, and the one to withdraw a record."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotations.curation.errors import CurationError
from annotations.curation.published_records import find_published_abstract
from annotations.formats.exports import EXPORTS
from bcms.curation.access import get_article_to_curate_or_404
from bcms.digital_abstracts.curations_data_set import load_curations_size
from bcms.digital_abstracts.published_abstracts import get_licence, get_licence_url, list_abstract_formats
from bcms.digital_abstracts.withdrawal import check_may_withdraw, withdraw_abstract_for_reason


@require_safe
def show_curations_data_set(request: HttpRequest) -> HttpResponse:
    context = {
        "size": load_curations_size(),
        "licence": get_licence(),
        "licence_url": get_licence_url(),
        "abstract_formats": list_abstract_formats(of_one_article=False).values(),
        "exports": EXPORTS.values(),
    }
    return render(request, "data_sets/curations.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw_abstract(request: HttpRequest, ident: str) -> HttpResponse:
    """Ask why the published digital abstract of an article is withdrawn, and withdraw it."""
    article = get_article_to_curate_or_404(request.user, ident)
    published = find_published_abstract(article)
    if published is None:
        raise Http404("This article has no published digital abstract.")
    check_may_withdraw(request.user, published)
    context: dict[str, object] = {"article": article, "ident": ident}
    if request.method == "POST":
        reason = request.POST.get("reason", "")
        try:
            user = cast(AbstractBaseUser, request.user)
            withdraw_abstract_for_reason(article, published, reason, user, timezone.now())
        except CurationError as error:
            return render(request, "curation/withdraw.html", context | {"error": error, "reason": reason}, status=422)
        messages.success(request, "The digital abstract is withdrawn.")
        return redirect("article", ident)
    return render(request, "curation/withdraw.html", context)
