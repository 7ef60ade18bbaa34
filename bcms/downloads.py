"""Exports as answers by HTTP: streamed, gzipped for who accepts it, and not sent again to who has them."""

import re
import zlib
from collections.abc import Iterable, Iterator

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers

from annotations.formats.collected import AnnotatedArticle
from annotations.formats.exports import Export
from annotations.querysets import by_identifier
from bcms.api.articles import identifier_of
from bcms.exporting import Narrowing, collected, public_articles, tag_of

# What zlib calls a gzip wrapper with the largest window.
GZIP = 31
GZIP_OFFERED = re.compile(r"(?:^|,)gzip(?:;q=(?!0(?:\.0*)?(?:,|$))[0-9.]+)?(?:,|$)")


def article_file(request: HttpRequest, identifier: str, export: Export, narrowing: Narrowing) -> HttpResponseBase:
    """The answer with one article that everybody may see, 404 for any other, 304 for who has it already."""
    article = get_object_or_404(by_identifier(public_articles(), identifier))
    tag = tag_of(article, export, narrowing)
    known = get_conditional_response(request, etag=tag)
    name = f"{identifier_of(article)}.{export.suffix}"
    response = known or file_of(request, export, collected([article.pk], narrowing), name)
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "public, no-cache"
    return response


def file_of(
    request: HttpRequest, export: Export, articles: Iterable[AnnotatedArticle], name: str
) -> StreamingHttpResponse:
    """A file to be saved under a name; nothing is read for HEAD."""
    pieces = iter(()) if request.method == "HEAD" else export.write(articles)
    packs = not export.packed and accepts_gzip(request)
    response = StreamingHttpResponse(gzipped(pieces) if packs else pieces, content_type=content_type(export))
    if packs:
        response.headers["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Link"] = f'<{request.build_absolute_uri(reverse("manual"))}#exports>; rel="describedby"'
    return response


def content_type(export: Export) -> str:
    return export.media_type if export.packed else f"{export.media_type}; charset=utf-8"


def accepts_gzip(request: HttpRequest) -> bool:
    """Whether Accept-Encoding names gzip, and not to refuse it."""
    offered = request.headers.get("Accept-Encoding", "").replace(" ", "").lower()
    return GZIP_OFFERED.search(offered) is not None


def gzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=GZIP)
    for piece in pieces:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()
