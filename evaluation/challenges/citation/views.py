"""Download how to cite a challenge."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evaluation.challenges.citation.formats import format_bibtex, format_citation_file
from evaluation.challenges.lookup import get_challenge_or_404

# {form in the URL: (writer, content type, name of the file after the slug)}
CITATION_FORMS = {
    "bibtex": (format_bibtex, "application/x-bibtex", "bib"),
    "cff": (format_citation_file, "application/yaml", "CITATION.cff"),
}


@require_safe
def download_citation(request: HttpRequest, slug: str, form: str) -> HttpResponse:
    challenge = get_challenge_or_404(request.user, slug)
    if form not in CITATION_FORMS:
        raise Http404(f"Unknown format. Choose one of {', '.join(CITATION_FORMS)}.")
    write, content_type, suffix = CITATION_FORMS[form]
    response = HttpResponse(write(challenge), content_type=f"{content_type}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{challenge.slug}.{suffix}"'
    return response
