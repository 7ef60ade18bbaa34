"""The page on which organizers upload a gold standard."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from annotations.formats.errors import FormatError, RefusedFileError
from evaluation.challenges.form_pages import organizer_required, render_form_page_or_422
from evaluation.challenges.models import Challenge
from evaluation.errors import ChallengeError
from evaluation.gold.forms import GoldForm
from evaluation.gold.memory_uploads import MemoryOnlyUploadHandler
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.uploads.file_check import MAX_LISTED_WARNINGS


@csrf_exempt
@require_http_methods(["GET", "POST"])
def upload_gold(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Set the upload handler before anything reads the request, so before the CSRF check of _store_uploaded_gold.

    Files are kept in memory, as that of a test is sealed before anything is written to disk.
    """
    request.upload_handlers = [MemoryOnlyUploadHandler(request)]
    return _store_uploaded_gold(request, slug)


@csrf_protect
@organizer_required
def _store_uploaded_gold(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """Show the form, or store the uploaded file; a file with errors is refused with all of them."""
    form = GoldForm(challenge, request.POST or None, request.FILES or None)
    faults: tuple[FormatError, ...] = ()
    warnings: list[FormatError] = []
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            file, alternatives = data["file"], form.get_alternatives_file()
            gold = store_gold_sealed_or_open(
                data["task"], data["phase"], file.read(), file.name, alternatives, data["source"], warnings
            )
        except RefusedFileError as error:
            faults = error.faults
        except ChallengeError as error:
            form.add_error(None, str(error))
        else:
            state = "sealed" if gold.producer_id is None else "stored"
            messages.success(
                request, f"The gold standard of {data['task']} in the {data['phase'].sort} phase is {state}."
            )
            if not warnings:
                return redirect("challenge-organize", challenge.slug)
            # Warnings quote the file, so nothing may keep them for the next page.
            form = GoldForm(challenge)
    context: dict[str, Any] = {"challenge": challenge, "faults": faults, "warnings": warnings[:MAX_LISTED_WARNINGS]}
    return render_form_page_or_422(request, form, "Upload a gold standard", "evaluation/gold/form.html", **context)
