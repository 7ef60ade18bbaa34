"""The page on which a curator continues a digital abstract from a file."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from bcms.curation.continuation.forms import ContinuationForm
from bcms.curation.continuation.taking_over import TakenOver, take_over_file
from bcms.curation.views import own_curation_required

MOST_LISTED = 200


@never_cache
@own_curation_required
@require_http_methods(["GET", "HEAD", "POST"])
def continue_from_file(request: HttpRequest, curation: Curation) -> HttpResponse:
    """POST adds what the file has of the article; if anything of the file was left out, the page lists it."""
    form = ContinuationForm(request.POST, request.FILES) if request.method == "POST" else ContinuationForm()
    context: dict[str, object] = {"curation": curation, "ident": format_pmid_or_opaque(curation.article), "form": form}
    if not form.is_valid():
        return render(request, "curation/file.html", context, status=422 if form.is_bound else 200)
    try:
        taken = take_over_file(curation, form.get_given_file(), request.user.pk, timezone.now())
    except CurationError as error:
        form.add_error(error.field if error.field in form.fields else None, str(error))
        return render(request, "curation/file.html", context, status=422)
    messages.success(request, describe_taken_over(taken))
    if not taken.left_out:
        return redirect(f"{reverse('curation', args=[curation.pk])}?step=interactions")
    context |= {"left_out": taken.left_out[:MOST_LISTED], "more": max(len(taken.left_out) - MOST_LISTED, 0)}
    return render(request, "curation/file.html", context)


def describe_taken_over(taken: TakenOver) -> str:
    """How much was added, as a sentence."""
    verb = "was" if taken.added == 1 else "were"
    known = f" {taken.known:,} of the file were there already." if taken.known else ""
    undo = {0: "", 1: " Undo takes it back."}.get(taken.added, " Undo takes them back as one.")
    return f"{taken.added_parts or '0 interactions'} {verb} added.{known}{undo}"
