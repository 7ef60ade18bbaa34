"""The page of an uploaded archive: the progress, then the draft, or what is wrong with the archive."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotations.formats.errors import FormatError
from evaluation.archives.models import DraftArchive
from evaluation.challenges.permissions import can_create_challenge
from evaluation.visibility import list_visible_challenges
from servers.teams.permissions import User


def get_own_draft_archive_or_404(user: User, pk: int) -> DraftArchive:
    """Only who uploaded it knows of it, without the draft once others organize it: it may have another name."""
    archive = get_object_or_404(DraftArchive.objects.defer("content"), pk=pk, user=user.pk)
    if archive.challenge_id is not None:
        archive.challenge = list_visible_challenges(user).filter(pk=archive.challenge_id).first()
    return archive


def list_draft_archive_faults(archive: DraftArchive) -> list[FormatError]:
    return [FormatError(archive.name, *fault) for fault in archive.faults]


@login_required
@never_cache
@require_safe
def show_draft_archive(request: HttpRequest, pk: int) -> HttpResponse:
    return _render_archive(request, pk, "draft_archives/draft_archive.html")


@login_required
@never_cache
@require_safe
def poll_draft_archive(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that changes; 204 if the reader has the current version."""
    if request.GET.get("v") == get_own_draft_archive_or_404(request.user, pk).state:
        return HttpResponse(status=204)
    return _render_archive(request, pk, "draft_archives/_draft_archive.html")


def _render_archive(request: HttpRequest, pk: int, template: str) -> HttpResponse:
    archive = get_own_draft_archive_or_404(request.user, pk)
    context = {
        "archive": archive,
        "faults": list_draft_archive_faults(archive),
        "challenge": archive.challenge,
        "age": (timezone.now() - archive.uploaded).total_seconds(),
        "may_create": can_create_challenge(request.user),
        "again": reverse("challenge-new-from-file"),
    }
    return render(request, template, context)
