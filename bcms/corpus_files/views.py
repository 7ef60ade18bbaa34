"""The pages on which organizers set up a challenge from one file: upload, what was found in it, and the progress."""

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from bcms.corpus_files.forms import CorpusFileForm, SetUpForm
from bcms.corpus_files.models import CorpusFile
from bcms.corpus_files.processing import confirm_corpus_file, replace_corpus_file
from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.models import Challenge
from evaluation.gold.memory_uploads import MemoryOnlyUploadHandler

REPLACED = "Another file was uploaded, or this one was set up, in the meantime. This is the current state."


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload_corpus_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Keep the file in memory, as that of a test is sealed before anything is written to disk.

    The upload handler is set before anything reads the request, so before the CSRF check of _store_corpus_file.
    """
    request.upload_handlers = [MemoryOnlyUploadHandler(request)]
    return _store_corpus_file(request, slug)


@csrf_protect
@organizer_required
def _store_corpus_file(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = CorpusFileForm(challenge, request.POST or None, request.FILES or None)
    if form.is_phase_free and form.is_valid():
        file, purpose = form.cleaned_data["file"], form.cleaned_data["purpose"]
        replace_corpus_file(challenge, file, purpose, cast(AbstractBaseUser, request.user))
        return redirect("challenge-corpus-file-set-up", challenge.slug)
    context = {
        "form": form,
        "challenge": challenge,
        "file": _find_file(challenge),
        "has_key": settings.GOLD_PUBLIC_KEY is not None,
    }
    return render(request, "corpus_files/upload.html", context, status=422 if request.method == "POST" else 200)


@organizer_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_corpus_file_or_show_progress(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """The proposal as a form, with what is wrong if it could not be set up; while a worker has the file, the progress.

    Without a file, the page to upload one.
    """
    file = _find_file(challenge)
    if file is None:
        return redirect("challenge-corpus-file", challenge.slug)
    form = None
    if file.state == "proposed":
        form = SetUpForm(file, request.POST if request.method == "POST" else None)
        if request.method == "POST" and request.POST.get("uploaded") != file.uploaded.isoformat():
            form = SetUpForm(file)
            messages.warning(request, REPLACED)
        elif request.method == "POST" and form.is_valid():
            if not confirm_corpus_file(file, form.build_plan(), cast(AbstractBaseUser, request.user)):
                messages.warning(request, REPLACED)
                return redirect("challenge-corpus-file-set-up", challenge.slug)
            file.refresh_from_db()
    if file.state in ("finished", "setting up") and request.method == "POST":
        if not _has_confirmed(request, file):
            messages.warning(request, REPLACED)
            return redirect("challenge-corpus-file-set-up", challenge.slug)
        return _redirect_when_set_up(request, file)
    return _render_file(request, file, "corpus_files/corpus_file.html", form)


def _has_confirmed(request: HttpRequest, file: CorpusFile) -> bool:
    """Whether the file is set up as this reader has confirmed it, if perhaps by pressing the button twice."""
    return request.POST.get("uploaded") == file.uploaded.isoformat() and file.user_id == request.user.pk


def _redirect_when_set_up(request: HttpRequest, file: CorpusFile) -> HttpResponse:
    if file.state == "finished":
        messages.success(request, f"The challenge is set up from {file.name}. Check the rules, then list it.")
        return redirect("challenge-organize", file.challenge.slug)
    return redirect("challenge-corpus-file-set-up", file.challenge.slug)


@organizer_required
@never_cache
@require_safe
def poll_corpus_file(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """The part of the page that changes; 204 if the reader has the current version."""
    file = get_object_or_404(CorpusFile.objects.defer("content").select_related("challenge"), pk=challenge.pk)
    if request.GET.get("v") == _build_version(file):
        return HttpResponse(status=204)
    return _render_file(
        request, file, "corpus_files/_corpus_file.html", SetUpForm(file) if file.state == "proposed" else None
    )


def _find_file(challenge: Challenge) -> CorpusFile | None:
    return CorpusFile.objects.defer("content").select_related("challenge").filter(pk=challenge.pk).first()


def _build_version(file: CorpusFile) -> str:
    return f"{file.state}-{file.uploaded.timestamp():.6f}-{file.tries}".replace(" ", "-")


def _render_file(request: HttpRequest, file: CorpusFile, template: str, form: SetUpForm | None) -> HttpResponse:
    faults = file.list_faults()
    context = {
        "challenge": file.challenge,
        "file": file,
        "proposal": file.get_proposal() if file.proposal else None,
        "form": form,
        "faults": faults,
        "version": _build_version(file),
        "is_phase_free": form is not None and bool(form.phases),
        "waiting": file.state in ("reading", "setting up"),
        "go": reverse("challenge-organize", args=[file.challenge.slug]) if file.state == "finished" else "",
        "age": (timezone.now() - file.uploaded).total_seconds(),
    }
    wrong = form is not None and form.is_bound and (not form.is_valid() or faults or file.refusal)
    return render(request, template, context, status=422 if wrong else 200)
