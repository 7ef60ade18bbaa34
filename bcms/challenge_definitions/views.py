"""Pages that create a challenge from a file or as a copy, and the file that defines a challenge."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe
from rest_framework.exceptions import ValidationError

from annotations.formats.errors import RefusedFileError
from bcms.challenge_definitions.copying import copy_challenge
from bcms.challenge_definitions.creation import create_challenge_from_file
from bcms.challenge_definitions.export import format_definition_yaml
from bcms.challenge_definitions.forms import CopyForm, DefinitionFileForm
from bcms.draft_archives.archive_reader import is_zip_archive
from bcms.draft_archives.processing import store_draft_archive
from bcms.lib.rest.problems import iter_validation_faults
from evaluation.challenges.form_pages import organizer_required, render_form_page_or_422
from evaluation.challenges.models import Challenge
from evaluation.challenges.permissions import can_create_challenge
from evaluation.errors import ChallengeError
from evaluation.gold.memory_uploads import MemoryOnlyUploadHandler

DEFINITION_TEMPLATE = "challenge_definitions/definition.html"


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def add_challenge_from_file(request: HttpRequest) -> HttpResponseBase:
    """Keep the file in memory, as an archive is sealed before anything is written to disk.

    The upload handler is set before anything reads the request, so before the CSRF check of _create_or_store_file.
    """
    request.upload_handlers = [MemoryOnlyUploadHandler(request)]
    return _create_or_store_file(request)


@csrf_protect
@login_required
def _create_or_store_file(request: HttpRequest) -> HttpResponse:
    """Create the challenge of a definition at once, and leave an archive to a worker."""
    if not can_create_challenge(request.user):
        raise PermissionDenied
    form = DefinitionFileForm(request.POST, request.FILES) if request.method == "POST" else DefinitionFileForm()
    faults = []
    if form.is_bound and form.is_valid():
        file, changes = form.cleaned_data["file"], form.list_changes()
        content = file.read()
        try:
            if is_zip_archive(content):
                user = cast(AbstractBaseUser, request.user)
                archive = store_draft_archive(content, file.name, user, changes)
                return redirect("challenge-draft-archive", archive.pk)
            challenge = create_challenge_from_file(content, file.name, request.user, changes)
        except RefusedFileError as error:
            faults = list(error.faults)
        except ChallengeError as error:
            form.add_error("file", str(error))
        else:
            messages.success(request, f"{challenge} was created as a draft.")
            return redirect("challenge-organize", challenge.slug)
    return render_form_page_or_422(
        request, form, "New challenge from a file", DEFINITION_TEMPLATE, does="Create challenge", faults=faults
    )


@organizer_required
@require_http_methods(["GET", "HEAD", "POST"])
def add_copy_of_challenge(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    if not can_create_challenge(request.user):
        raise PermissionDenied
    names = {"name": f"{challenge.name[:193]} (copy)", "slug": f"{challenge.slug[:45]}-copy"}
    form = CopyForm(request.POST) if request.method == "POST" else CopyForm(initial=names)
    if form.is_bound and form.is_valid():
        try:
            copied = copy_challenge(challenge, organizer=request.user, **form.cleaned_data)
        except ValidationError as error:
            for fault in iter_validation_faults(error.detail):
                if fault.loc in form.fields:
                    form.add_error(fault.loc, fault.message)
                else:
                    form.add_error(None, f"Correct this in {challenge} first. {fault.loc}: {fault.message}")
        else:
            messages.success(request, "The challenge was copied as a draft. Enter the dates of its phases.")
            for sort in copied.left_out:
                messages.warning(
                    request, f"The {sort} phase was not copied: only this challenge can use its corpus. Add a phase."
                )
            for sort in copied.unmasked:
                messages.warning(
                    request,
                    f"{challenge} hid the names of teams in the {sort} phase until a date that has passed. Enter "
                    "another date in its rules, or the copy shows them from the beginning.",
                )
            for sentence in copied.picture_faults:
                messages.warning(request, f"Correct the description: {sentence}")
            return redirect("challenge-organize", copied.challenge.slug)
    return render_form_page_or_422(
        request, form, "Copy this challenge", "challenge_definitions/copy.html", challenge=challenge, does="Copy"
    )


@organizer_required
@require_safe
def download_definition(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    response = HttpResponse(format_definition_yaml(challenge), content_type="application/yaml; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{challenge.slug}.yaml"'
    return response
