"""Files of articles by the page: the form, how far reading them is, and what came of each."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from annotations.article_files import MEGABYTE
from annotations.formats.article_sniffing import ArticleFormat
from annotations.formats.read_article import name_of
from bcms.models import Upload
from bcms.taking_in import LARGEST_UPLOAD, may_send_articles
from bcms.uploading import MOST_FILES, begin, report_of

MEBIBYTES = LARGEST_UPLOAD // MEGABYTE
# What stands around the files in the body of a request.
AROUND = 1 << 20
TITLES = {
    ArticleFormat.PUBMED: "PubMed XML",
    ArticleFormat.JATS: "JATS XML, as of PubMed Central",
    ArticleFormat.BIOC_XML: "BioC XML",
    ArticleFormat.BIOC_JSON: "BioC JSON",
    ArticleFormat.PUBTATOR: "PubTator",
    ArticleFormat.PUBANNOTATION: "PubAnnotation JSON",
    ArticleFormat.HTML: "HTML",
    ArticleFormat.PDF: "PDF",
    ArticleFormat.DOCX: "DOCX",
    ArticleFormat.TEXT: "plain text",
}
CHOICES = [("", "known by how each file begins"), *((form.value, title) for form, title in TITLES.items())]


class ManyFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files; each is cleaned as one."""

    widget = ManyFiles

    def clean(self, data: Any, initial: Any = None) -> Any:
        one = super().clean
        return [one(each, initial) for each in data] if data else [one(None, initial)]


class UploadForm(forms.Form):
    file = FilesField(
        label="Files",
        max_length=250,
        help_text=f"PubMed XML, JATS, BioC, PubTator, PubAnnotation, HTML, PDF, DOCX or plain text, gzipped or not; "
        f"{MEBIBYTES} MiB in all.",
        error_messages={
            "required": "Choose a file.",
            "empty": "A file is empty: look whether it is the one that you meant.",
            "max_length": "A file's name has %(length)d characters: give it a shorter one, of at most %(max)d.",
        },
    )
    format = forms.ChoiceField(label="Format", choices=CHOICES, required=False)
    name = forms.CharField(
        label="PMID, PMCID or DOI",
        max_length=250,
        required=False,
        help_text="Of the one article in the one file, where the file does not say it, such as a PDF.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        files, name = given.get("file", []), given.get("name", "")
        if len(files) > MOST_FILES:
            self.add_error("file", f"These are {len(files)} files: send at most {MOST_FILES} at a time.")
        if name and (len(files) > 1 or not name_of(name)):
            self.add_error("name", "Give it for one file only, such as 16054130, PMC3460867 or 10.1000/x.")
        return given


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Refuses what is too large before its body is read, to which the check for forgery belongs."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > LARGEST_UPLOAD + AROUND:
        return render(request, "articles/upload_too_large.html", {"most": MEBIBYTES}, status=413)
    return checked_upload(request)


@login_required
@csrf_protect
def checked_upload(request: HttpRequest) -> HttpResponse:
    if not may_send_articles(request.user):
        return render(request, "articles/upload_not_yours.html", status=403)
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if not form.is_valid():
        context = {"form": form, "uploads": Upload.objects.filter(user=request.user.pk).order_by("-pk")[:10]}
        return render(request, "articles/upload.html", context, status=422 if form.errors else 200)
    given = form.cleaned_data
    begun = begin(request.user, given["file"], given["format"], given["name"].strip())
    return redirect("article-upload-report", upload_id=begun.pk)


@login_required
@never_cache
@require_safe
def report(request: HttpRequest, upload_id: int) -> HttpResponse:
    return render(request, "articles/upload_report.html", context_of(upload_for(request, upload_id)))


@never_cache
@require_safe
def live(request: HttpRequest, upload_id: int) -> HttpResponse:
    """The part that changes with each file that is read; 204 until then."""
    context = context_of(upload_for(request, upload_id))
    if request.GET.get("v") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "articles/_upload_report.html", context)


def upload_for(request: HttpRequest, upload_id: int) -> Upload:
    found = get_object_or_404(Upload, pk=upload_id)
    if request.user.pk != found.user_id and not getattr(request.user, "is_staff", False):
        raise PermissionDenied
    return found


def context_of(upload: Upload) -> dict[str, object]:
    files = [(file, report_of(file.report)) for file in upload.files.defer("content").order_by("pk")]
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
