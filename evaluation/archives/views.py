"""Pages of a challenge's archive for organizers: request it, see its progress, download it."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from bcms.lib.rest.limits import claim_file_slot_while_streaming
from evaluation.archives import jobs
from evaluation.archives.models import ChallengeArchive
from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.models import Challenge


def _find_latest_archive(challenge: Challenge) -> ChallengeArchive | None:
    return ChallengeArchive.objects.filter(challenge=challenge).select_related("by").first()


def _format_archive_version(archive: ChallengeArchive | None) -> str:
    """A string that changes whenever the page would look different."""
    return f"{archive.pk}-{archive.begun}-{archive.done}-{bool(archive.finished)}" if archive else "none"


def _build_archive_context(challenge: Challenge, archive: ChallengeArchive | None) -> dict[str, object]:
    return {"challenge": challenge, "archive": archive, "version": _format_archive_version(archive)}


@never_cache
@organizer_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_archive_or_enqueue_discarding_finished_one(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    if request.method == "POST":
        jobs.enqueue_archive_discarding_finished_one(challenge, request.user)
        return redirect("challenge-archive", challenge.slug)
    return render(
        request, "evaluation/archives/archive.html", _build_archive_context(challenge, _find_latest_archive(challenge))
    )


@never_cache
@organizer_required
@require_safe
def poll_archive(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """The changing part of the page; 204 while its version equals the parameter `v`."""
    archive = _find_latest_archive(challenge)
    if request.GET.get("v") == _format_archive_version(archive):
        return HttpResponse(status=204)
    return render(request, "evaluation/archives/_archive.html", _build_archive_context(challenge, archive))


@never_cache
@organizer_required
@require_safe
def download_archive(request: HttpRequest, challenge: Challenge) -> StreamingHttpResponse:
    return stream_finished_archive_or_404(challenge)


def stream_finished_archive_or_404(challenge: Challenge) -> StreamingHttpResponse:
    """Stream the latest finished archive. Raises Http404 if there is none."""
    archive = ChallengeArchive.objects.filter(challenge=challenge, finished__isnull=False, failed=False).first()
    if archive is None:
        raise Http404("There is no finished archive yet; request it on the challenge's page for organizers.")
    headers = {
        "Content-Disposition": f'attachment; filename="{challenge.slug}.zip"',
        "Content-Length": str(archive.size),
    }
    return claim_file_slot_while_streaming(
        StreamingHttpResponse(jobs.iter_archive_pieces(archive), content_type="application/zip", headers=headers)
    )
