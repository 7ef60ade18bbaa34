"""HTTP responses with exports: streamed, gzipped if the client accepts it, and with ETags for single articles."""

import re
import zlib
from collections.abc import Iterable, Iterator

from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers

from annotations.articles.queries import filter_articles_by_pmid_or_opaque, format_pmid_or_opaque
from annotations.articles.versions import annotate_version
from annotations.curation.abstract_files import AbstractFileFormat
from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.exports import ExportFileFormat
from bcms.search.exports.exported_articles import (
    ExportFilter,
    compute_export_etag,
    iter_public_articles_for_export,
    list_public_articles,
)

# zlib's wbits for a gzip header and the largest window.
GZIP_WINDOW_BITS = 31
GZIP_OFFERED = re.compile(r"(?:^|,)gzip(?:;q=(?!0(?:\.0*)?(?:,|$))[0-9.]+)?(?:,|$)")


def build_public_article_download_or_304(
    request: HttpRequest, pmid_or_opaque_id: str, export_format: ExportFileFormat, export_filter: ExportFilter
) -> HttpResponseBase:
    """The file of one public article; Http404 for any other article, 304 if the client has the current file."""
    article = get_object_or_404(
        filter_articles_by_pmid_or_opaque(annotate_version(list_public_articles()), pmid_or_opaque_id)
    )
    etag = compute_export_etag(article, export_format, export_filter)
    response = get_conditional_response(request, etag=etag) or build_export_download_gzipped_if_accepted(
        request,
        export_format,
        iter_public_articles_for_export([article.pk], export_filter),
        f"{format_pmid_or_opaque(article)}.{export_format.suffix}",
    )
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "public, no-cache"
    return response


def build_export_download_gzipped_if_accepted(
    request: HttpRequest, export_format: ExportFileFormat, articles: Iterable[AnnotatedArticle], file_name: str
) -> StreamingHttpResponse:
    """The articles as a file to save under this name; a HEAD request reads none of them."""
    page_url = f"{settings.SITE_URL}{request.get_full_path()}"
    chunks = iter(()) if request.method == "HEAD" else export_format.write(articles, page_url)
    response = build_file_response(request, export_format, chunks, file_name)
    response.headers["Link"] += _link_to_left_out(request, export_format)
    return response


def build_file_response(
    request: HttpRequest, file_format: ExportFileFormat | AbstractFileFormat, chunks: Iterable[bytes], file_name: str
) -> StreamingHttpResponse:
    """A stream of the file to save under this name, gzipped if the client accepts it and the format is not packed."""
    gzips = not file_format.packed and _accepts_gzip(request)
    response = StreamingHttpResponse(
        iter_gzipped(chunks) if gzips else chunks, content_type=_format_content_type(file_format)
    )
    if gzips:
        response.headers["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    response.headers["Content-Disposition"] = f'attachment; filename="{file_name}"'
    manual = request.build_absolute_uri(reverse("manual-page", args=["api"]))
    response.headers["Link"] = f'<{manual}#exports>; rel="describedby"'
    return response


def _link_to_left_out(request: HttpRequest, export_format: ExportFileFormat) -> str:
    """For the header Link: the same download with the annotations that the format leaves out."""
    match = request.resolver_match
    if match is None or not export_format.left_out_slug:
        return ""
    path = reverse(match.view_name, kwargs={**match.kwargs, "slug": export_format.left_out_slug})
    query = request.META.get("QUERY_STRING", "")
    address = request.build_absolute_uri(f"{path}?{query}" if query else path)
    return f', <{address}>; rel="related"; title="Annotations that are left out"'


def _format_content_type(file_format: ExportFileFormat | AbstractFileFormat) -> str:
    return file_format.media_type if file_format.packed else f"{file_format.media_type}; charset=utf-8"


def _accepts_gzip(request: HttpRequest) -> bool:
    """Whether Accept-Encoding offers gzip with a quality above 0."""
    offered = request.headers.get("Accept-Encoding", "").replace(" ", "").lower()
    return GZIP_OFFERED.search(offered) is not None


def iter_gzipped(chunks: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(wbits=GZIP_WINDOW_BITS)
    for chunk in chunks:
        if compressed := compressor.compress(chunk):
            yield compressed
    yield compressor.flush()
