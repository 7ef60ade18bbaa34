"""The pages on which organizers set up a challenge from one file: upload, what was found in it, and the progress."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from bcms.corpus_files.forms import CorpusFileForm, SetUpForm, list_free_phase_types
from bcms.corpus_files.models import CorpusFile
from bcms.corpus_files.processing import confirm_corpus_file, replace_corpus_file
from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.models import Challenge

REPLACED = "Another file was uploaded, or this one was set up, in the meantime. This is the current state."


@organizer_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload_corpus_file(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = CorpusFileForm(request.POST, request.FILES) if request.method == "POST" else CorpusFileForm()
    form.label_suffix = ""
    is_phase_free = bool(list_free_phase_types(challenge))
    if is_phase_free and form.is_valid():
        replace_corpus_file(challenge, form.cleaned_data["file"], cast(AbstractBaseUser, request.user))
        return redirect("challenge-corpus-file-set-up", challenge.slug)
    context = {"form": form, "challenge": challenge, "is_phase_free": is_phase_free, "file": _find_file(challenge)}
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
        form = SetUpForm(file, request.POST or None)
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
        "is_phase_free": form is not None and form.is_phase_free,
        "waiting": file.state in ("reading", "setting up"),
        "go": reverse("challenge-organize", args=[file.challenge.slug]) if file.state == "finished" else "",
        "age": (timezone.now() - file.uploaded).total_seconds(),
    }
    wrong = request.method == "POST" and form is not None and (form.errors or faults or file.refusal)
    return render(request, template, context, status=422 if wrong else 200)
