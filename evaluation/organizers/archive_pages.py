"""The archive of a challenge, for its organizers: ask for it, see how far it is, download it."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from evaluation.archives import making
from evaluation.archives.models import ChallengeArchive
from evaluation.models import Challenge
from evaluation.organizing import organizers_only


def latest(challenge: Challenge) -> ChallengeArchive | None:
    return ChallengeArchive.objects.filter(challenge=challenge).select_related("by").first()


def version_of(archive: ChallengeArchive | None) -> str:
    """Another word whenever the page would look different."""
    return f"{archive.pk}-{archive.begun}-{archive.done}-{bool(archive.finished)}" if archive else "none"


def context_of(challenge: Challenge, archive: ChallengeArchive | None) -> dict[str, object]:
    return {"challenge": challenge, "archive": archive, "version": version_of(archive)}


@never_cache
@organizers_only
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    if request.method == "POST":
        making.ask(challenge, request.user)
        return redirect("challenge-archive", challenge.slug)
    return render(request, "evaluation/archive.html", context_of(challenge, latest(challenge)))


@never_cache
@organizers_only
@require_safe
def live(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """The part of the page that changes; 204 while its version is that of ?v=."""
    archive = latest(challenge)
    if request.GET.get("v") == version_of(archive):
        return HttpResponse(status=204)
    return render(request, "evaluation/_archive.html", context_of(challenge, archive))


@never_cache
@organizers_only
@require_safe
def file(request: HttpRequest, challenge: Challenge) -> StreamingHttpResponse:
    return archive_file(challenge)


def archive_file(challenge: Challenge) -> StreamingHttpResponse:
    """The archive as it was made last. Http404 when there is none."""
    archive = ChallengeArchive.objects.filter(challenge=challenge, finished__isnull=False, failed=False).first()
    if archive is None:
        raise Http404("The archive is not made yet: ask for it on the challenge's page for organizers.")
    headers = {
        "Content-Disposition": f'attachment; filename="{challenge.slug}.zip"',
        "Content-Length": str(archive.size),
    }
    return StreamingHttpResponse(making.content_of(archive), content_type="application/zip", headers=headers)
