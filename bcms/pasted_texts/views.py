"""Paste a text, read what the chosen servers annotate in it, and delete it. Nobody but its author sees it."""

import uuid

from allauth.account.models import EmailAddress
from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.handlers.wsgi import WSGIRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bcms.pasted_texts.answers_page import build_answers_page
from bcms.pasted_texts.call_states import compute_states_version, describe_calls
from bcms.pasted_texts.forms import PastedTextForm
from servers.pasted_texts.annotation import LONGEST_PASTED_CALL
from servers.pasted_texts.models import PastedText
from servers.pasted_texts.queries import find_kept_pasted_text, list_calls_with_servers, list_kept_pasted_texts
from servers.pasted_texts.sending import (
    PastedTextRefusedError,
    TooManyOpenTextsError,
    store_and_send_pasted_text,
)
from servers.teams.permissions import get_logged_in_user_id

# settings.ACCOUNT_RATE_LIMITS
PASTE_LIMIT = "paste_text"
TOO_MANY = "You have sent as many texts in the last hour as one account may. Try again later."
NOT_CONFIRMED = "Confirm your e-mail address before you send a text: open the link in the message that was sent to it."


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
    if not EmailAddress.objects.filter(user=request.user.pk, verified=True).exists():
        form.add_error(None, NOT_CONFIRMED)
        return _render_form(request, form, status=403)
    if not ratelimit.consume(request, action=PASTE_LIMIT):
        form.add_error(None, TOO_MANY)
        return _render_form(request, form, status=429)
    slugs = [server.slug for server in form.cleaned_data["servers"]]
    try:
        pasted = store_and_send_pasted_text(request.user, form.cleaned_data["title"], form.cleaned_data["text"], slugs)
    except PastedTextRefusedError as refusal:
        form.add_error(None, str(refusal))
        return _render_form(request, form, status=429 if isinstance(refusal, TooManyOpenTextsError) else 422)
    return redirect("pasted-text", key=pasted.key)


def _render_form(request: HttpRequest, form: PastedTextForm, *, status: int) -> HttpResponse:
    context = {
        "form": form,
        "texts": list_kept_pasted_texts(get_logged_in_user_id(request.user)),
        "longest_seconds": int(LONGEST_PASTED_CALL),
    }
    return render(request, "pasted_texts/annotate.html", context, status=status)


def _get_own_text(request: HttpRequest, key: uuid.UUID) -> PastedText:
    """The text of the account that asks; Http404 for everybody else, and once it is too old."""
    pasted = find_kept_pasted_text(get_logged_in_user_id(request.user), key)
    if pasted is None:
        raise Http404("There is no such text, or it was deleted.")
    return pasted


@gzip_page
@login_required
@never_cache
@require_safe
def show_answers(request: WSGIRequest, key: uuid.UUID) -> HttpResponse:
    pasted = _get_own_text(request, key)
    page = build_answers_page(request, pasted, list_calls_with_servers(pasted))
    return render(request, "pasted_texts/answers.html", {"page": page})


@gzip_page
@never_cache
@require_safe
def poll_answers(request: WSGIRequest, key: uuid.UUID) -> HttpResponse:
    """The part of the page that changes, without the text if the reader has it; 204 if the version is current."""
    if not request.user.is_authenticated:
        return HttpResponse(status=404)
    pasted = _get_own_text(request, key)
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
    _get_own_text(request, key).delete()
    messages.success(request, "The text and its annotations were deleted.")
    return redirect("annotate")
