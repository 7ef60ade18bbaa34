"""Paste a text, read what the chosen servers annotate in it, and delete it. Nobody but its author sees it."""

import uuid
from collections.abc import Mapping

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bcms.pasted_texts.answers_page import build_answers_page
from bcms.pasted_texts.call_states import compute_states_version, describe_calls
from bcms.pasted_texts.forms import PastedTextForm
from bcms.pasted_texts.lookup import get_own_pasted_text_or_404
from bcms.pasted_texts.submission import (
    TooManyTextsError,
    UnconfirmedAddressError,
    send_text_of_confirmed_account_below_limit,
)
from servers.pasted_texts.annotation import LONGEST_PASTED_CALL
from servers.pasted_texts.queries import list_calls_with_servers, list_kept_pasted_texts
from servers.pasted_texts.sending import PastedTextRefusedError, TooManyOpenTextsError
from servers.teams.permissions import get_logged_in_user_id

# 422 for other refusals.
STATUSES: Mapping[type[Exception], int] = {
    UnconfirmedAddressError: 403,
    TooManyTextsError: 429,
    TooManyOpenTextsError: 429,
}


@sensitive_post_parameters("title", "text")
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def show_form_or_send_text(request: HttpRequest) -> HttpResponse:
    """Show the form with the servers that will get the text, or send a valid text to those that are chosen."""
    if request.method != "POST":
        return _render_form(request, PastedTextForm(user=request.user), status=200)
    form = PastedTextForm(request.POST, user=request.user)
    if not form.is_valid():
        return _render_form(request, form, status=422)
    try:
        pasted = send_text_of_confirmed_account_below_limit(request, form)
    except (UnconfirmedAddressError, TooManyTextsError, PastedTextRefusedError) as refusal:
        form.add_error(None, str(refusal))
        return _render_form(request, form, status=STATUSES.get(type(refusal), 422))
    return redirect("pasted-text", key=pasted.key)


def _render_form(request: HttpRequest, form: PastedTextForm, *, status: int) -> HttpResponse:
    context = {
        "form": form,
        "texts": list_kept_pasted_texts(get_logged_in_user_id(request.user)),
        "longest_seconds": int(LONGEST_PASTED_CALL),
    }
    return render(request, "pasted_texts/annotate.html", context, status=status)


@gzip_page
@login_required
@never_cache
@require_safe
def show_answers(request: WSGIRequest, key: uuid.UUID) -> HttpResponse:
    pasted = get_own_pasted_text_or_404(request.user, key)
    page = build_answers_page(request, pasted, list_calls_with_servers(pasted))
    return render(request, "pasted_texts/answers.html", {"page": page})


@gzip_page
@never_cache
@require_safe
def poll_answers(request: WSGIRequest, key: uuid.UUID) -> HttpResponse:
    """The part of the page that changes, without the text if the reader has it; 204 if the version is current."""
    if not request.user.is_authenticated:
        return HttpResponse(status=404)
    pasted = get_own_pasted_text_or_404(request.user, key)
    calls = list_calls_with_servers(pasted)
    statuses = describe_calls(calls, pasted.created, timezone.now())
    if request.GET.get("v", "") == compute_states_version(statuses):
        return HttpResponse(status=204)
    page = build_answers_page(request, pasted, calls)
    kept = request.GET.getlist("keep")
    text_kept = page.reading.text_signature in kept
    context = {"page": page, "kept": text_kept, "rows_kept": text_kept and page.rows_signature in kept}
    return render(request, "pasted_texts/_answers.html", context)


@login_required
@require_POST
def delete_text(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Delete the text with all answers; an answer that comes later is not stored."""
    get_own_pasted_text_or_404(request.user, key).delete()
    messages.success(request, "The text and its annotations were deleted.")
    return redirect("annotate")
