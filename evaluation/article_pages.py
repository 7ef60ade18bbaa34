"""The articles of a phase, to be downloaded by who takes part."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.articles import articles_of
from evaluation.errors import ChallengeError
from evaluation.models import Phase
from evaluation.phase_articles import FILES, ArticleFile, given_out, refuse_articles


def phase_at(slug: str, phase: str) -> Phase:
    return get_object_or_404(Phase.objects.select_related("challenge", "corpus"), challenge__slug=slug, sort=phase)


@require_safe
def phase_articles(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """How many articles there are and in which formats, or what is to be done first."""
    found = phase_at(slug, phase)
    context = {"phase": found, "files": FILES, "number": len(articles_of(found)), "refusal": refusal(request, found)}
    return render(request, "evaluation/phase_articles.html", context)


def refusal(request: HttpRequest, phase: Phase) -> str:
    try:
        refuse_articles(request.user, phase)
    except ChallengeError as error:
        return str(error)
    return ""


@require_safe
def phase_articles_file(request: HttpRequest, slug: str, phase: str, form: str) -> HttpResponseBase:
    found = phase_at(slug, phase)
    if form not in FILES:
        raise Http404(f"There is no such format; choose one of {', '.join(FILES)}.")
    if reason := refusal(request, found):
        raise PermissionDenied(reason)
    return article_file(found, FILES[form])


def article_file(phase: Phase, form: ArticleFile) -> StreamingHttpResponse:
    """The articles of a phase as a file to be saved, sent while it is read."""
    pieces = (piece.encode("utf-8", "replace") for piece in form.write(given_out(phase)))
    response = StreamingHttpResponse(pieces, content_type=f"{form.content_type}; charset=utf-8")
    name = f"{phase.challenge.slug}-{phase.sort}.{form.suffix}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
