"""The page that compares two servers on one article."""

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from bcms.article_annotations.article_lookup import find_visible_article
from bcms.article_page.comparison.comparison import build_comparison
from bcms.article_page.views import redirect_or_offer_to_request_article


@gzip_page
@require_safe
def compare_two_servers_on_article(request: WSGIRequest, ident: str) -> HttpResponse:
    article = find_visible_article(request, ident)
    if article is None:
        return redirect_or_offer_to_request_article(request, ident)
    page = build_comparison(request, article, ident)
    response = render(request, "article_page/comparison.html", {"page": page})
    # The account decides which servers there are.
    patch_vary_headers(response, ["Cookie"])
    patch_cache_control(response, private=True)
    return response
