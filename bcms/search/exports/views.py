"""Downloads of an article, linked from its page."""

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from annotations.formats.exports import DOWNLOADS
from bcms.search.exports.download_responses import build_public_article_download_or_304
from bcms.search.exports.exported_articles import ExportFilter
from servers.review.reader_choice import includes_unreviewed_on_page


@require_safe
def download_public_article_export(request: HttpRequest, ident: str, slug: str) -> HttpResponseBase:
    """Download the article with its public annotations in the format of this slug."""
    if slug not in DOWNLOADS:
        raise Http404
    export_filter = ExportFilter(unreviewed=includes_unreviewed_on_page(request))
    return build_public_article_download_or_304(request, ident, DOWNLOADS[slug], export_filter)
