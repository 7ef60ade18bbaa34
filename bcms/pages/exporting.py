"""Downloads of an article, as its page offers them."""

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from annotations.formats.exports import EXPORTS
from bcms.downloads import article_file
from bcms.exporting import Narrowing


@require_safe
def export(request: HttpRequest, ident: str, slug: str) -> HttpResponseBase:
    """What everybody may know of the article, in the format that the address names."""
    if slug not in EXPORTS:
        raise Http404
    return article_file(request, ident, EXPORTS[slug], Narrowing())
