"""The page that shows what became of a file that was uploaded just now."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from evaluation.runs.uploads.models import Upload


def redirect_to_run_or_upload(request: HttpRequest, upload: Upload) -> HttpResponse:
    """To the run if the file is stored as one, else to the upload, with its faults or its state."""
    if upload.run is None:
        return redirect("upload", upload.pk)
    messages.success(request, f"{upload.source}: stored as a run.")
    return redirect("run", upload.run.pk)
