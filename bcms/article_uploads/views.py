"""The pages for uploading article files: the form, the progress, and the report on each file."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from bcms.article_uploads.article_import import can_upload_as_staff_or_organizer
from bcms.article_uploads.forms import ArticleUploadForm
from bcms.article_uploads.models import ArticleUpload
from bcms.article_uploads.upload_processing import parse_file_report, store_upload_and_process_or_enqueue


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload_article_files(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated or not can_upload_as_staff_or_organizer(request.user):
        return render(request, "article_uploads/upload_not_yours.html", status=403)
    form = ArticleUploadForm(request.POST, request.FILES) if request.method == "POST" else ArticleUploadForm()
    if not form.is_valid():
        context = {"form": form, "uploads": ArticleUpload.objects.filter(user=request.user.pk).order_by("-pk")[:10]}
        return render(request, "article_uploads/upload.html", context, status=422 if form.errors else 200)
    values = form.cleaned_data
    upload = store_upload_and_process_or_enqueue(request.user, values["file"], values["format"], values["name"].strip())
    return redirect("article-upload-report", upload_id=upload.pk)


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
    """The upload, if it is the user's own or the user is an administrator; Http404 or PermissionDenied otherwise."""
    upload = get_object_or_404(ArticleUpload, pk=upload_id)
    if request.user.pk != upload.user_id and not getattr(request.user, "is_staff", False):
        raise PermissionDenied
    return upload


def _build_upload_context(upload: ArticleUpload) -> dict[str, object]:
    files = [(file, parse_file_report(file.report)) for file in upload.files.defer("content").order_by("pk")]
    read = sum(file.read is not None for file, _ in files)
    size = sum(file.size for file, _ in files)
    read_size = sum(file.size for file, _ in files if file.read is not None)
    return {
        "upload": upload,
        "files": files,
        "read": read,
        "percent": 100 * read_size // size if size else 0,
        "reading": next((file for file, _ in files if file.read is None), None),
        "faulty": any(report.all_faults for _, report in files),
        "age": (timezone.now() - upload.created).total_seconds(),
        "version": "finished" if upload.finished else f"read-{read}",
    }
