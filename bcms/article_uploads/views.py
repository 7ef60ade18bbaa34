"""The pages for uploading article files: the form, the progress, and the report on each file."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from bcms.article_uploads.article_import import can_upload_as_staff_or_organizer
from bcms.article_uploads.forms import FORMAT_CHOICES, ArticleUploadForm
from bcms.article_uploads.models import ArticleUpload
from bcms.article_uploads.upload_processing import parse_file_report, store_upload_and_process_or_enqueue
from evaluation.challenges.deletion.corpus_deletion import list_own_corpora
from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.models import Challenge
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.setup.blind_uploads import check_corpus_takes_uploads, find_challenge_of_corpus
from evaluation.errors import ChallengeError
from evaluation.visibility import is_staff


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload_article_files(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated or not can_upload_as_staff_or_organizer(request.user):
        return render(request, "article_uploads/upload_not_yours.html", status=403)
    form = ArticleUploadForm(request.POST, request.FILES) if request.method == "POST" else ArticleUploadForm()
    if not form.is_valid():
        uploads = ArticleUpload.objects.filter(user=request.user.pk, corpus=None).order_by("-pk")
        return _render_upload_form(request, form, uploads)
    values = form.cleaned_data
    upload = store_upload_and_process_or_enqueue(request.user, values["file"], values["format"], values["name"].strip())
    return redirect("article-upload-report", upload_id=upload.pk)


@organizer_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload_blind_article_files(request: HttpRequest, challenge: Challenge, corpus: str) -> HttpResponse:
    """The form for files whose articles go straight into a blind corpus of the challenge."""
    blind_corpus = get_object_or_404(list_own_corpora(challenge), slug=corpus)
    try:
        check_corpus_takes_uploads(blind_corpus)
    except ChallengeError as error:
        messages.error(request, str(error))
        return redirect("challenge-organize", challenge.slug)
    form = ArticleUploadForm(request.POST, request.FILES) if request.method == "POST" else ArticleUploadForm()
    if not form.is_valid():
        uploads = blind_corpus.article_uploads.order_by("-pk")
        return _render_upload_form(request, form, uploads, challenge=challenge, corpus=blind_corpus)
    values = form.cleaned_data
    user = cast(AbstractBaseUser, request.user)
    upload = store_upload_and_process_or_enqueue(
        user, values["file"], values["format"], values["name"].strip(), blind_corpus
    )
    return redirect("article-upload-report", upload_id=upload.pk)


def _render_upload_form(
    request: HttpRequest, form: ArticleUploadForm, uploads: QuerySet[ArticleUpload], **context: object
) -> HttpResponse:
    context |= {"form": form, "uploads": uploads[:10]}
    return render(request, "article_uploads/upload.html", context, status=422 if form.errors else 200)


@login_required
@never_cache
@require_safe
def show_upload_report(request: HttpRequest, upload_id: int) -> HttpResponse:
    return render(
        request, "article_uploads/upload_report.html", _build_upload_context(_get_own_upload(request, upload_id))
    )


@never_cache
@require_safe
def poll_upload_report(request: HttpRequest, upload_id: int) -> HttpResponse:
    """The part of the page that changes with each file that is read; 204 if the reader has the current version."""
    context = _build_upload_context(_get_own_upload(request, upload_id))
    if request.GET.get("v") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "article_uploads/_upload_report.html", context)


def _get_own_upload(request: HttpRequest, upload_id: int) -> ArticleUpload:
    """The upload, if it is the user's own or the user is an administrator; Http404 or PermissionDenied otherwise.

    An upload to a blind corpus belongs to the organizers of its challenge.
    """
    upload = get_object_or_404(ArticleUpload.objects.select_related("corpus"), pk=upload_id)
    if upload.corpus is None:
        allowed = request.user.pk == upload.user_id or is_staff(request.user)
    else:
        challenge = find_challenge_of_corpus(upload.corpus)
        allowed = is_staff(request.user) or (challenge is not None and can_organize(request.user, challenge))
    if not allowed:
        raise PermissionDenied
    return upload


def _build_upload_context(upload: ArticleUpload) -> dict[str, object]:
    files = [(file, parse_file_report(file.report)) for file in upload.files.defer("content").order_by("pk")]
    format_titles = dict(FORMAT_CHOICES)
    read = sum(file.read is not None for file, _ in files)
    size = sum(file.size for file, _ in files)
    read_size = sum(file.size for file, _ in files if file.read is not None)
    return {
        "upload": upload,
        "challenge": find_challenge_of_corpus(upload.corpus) if upload.corpus else None,
        "files": [(file, report, format_titles[file.format]) for file, report in files],
        "read": read,
        "percent": 100 * read_size // size if size else 0,
        "reading": next((file for file, _ in files if file.read is None), None),
        "faulty": any(report.all_faults for _, report in files),
        "age": (timezone.now() - upload.created).total_seconds(),
        "version": "finished" if upload.finished else f"read-{read}",
    }
