"""The article page: the text at once, the annotations as the servers send them."""

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers, patch_cache_control, patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST, require_safe

from annotations.articles.models import ArticleRequest
from annotations.articles.queries import format_pmid_or_opaque
from annotations.formats.exports import EXPORTS
from bcms.article_annotations.article_lookup import find_article_of_merged_snapshot, find_visible_article
from bcms.article_page.live_version import find_current_page_version
from bcms.article_page.page import ArticlePage, build_current_article_page, build_current_or_older_article_page
from bcms.article_page.page_citations import build_page_citations
from bcms.article_page.reader_choice import (
    REMEMBER_PARAMETER,
    keep_url_filters_if_asked,
    read_kept_filters_unless_url_has_any,
)
from bcms.article_page.records.kept_records import can_be_kept, find_or_load_records
from bcms.article_requests.annotation_start import start_rate_limited_annotation
from bcms.article_requests.request_queue import (
    find_article_by_first_given_id,
    find_open_request,
    format_pmid_pmcid_or_doi,
    parse_article_name_or_empty,
)
from evaluation.visibility import list_visible_articles
from servers.review.reader_choice import includes_unreviewed_on_page


def redirect_or_offer_to_request_article(request: HttpRequest, ident: str) -> HttpResponse:
    """Redirect to the article with this PMCID, DOI or former id in a test, or to the open request for it.

    Otherwise offer to fetch it.
    """
    name = parse_article_name_or_empty(ident)
    if not name and (article := find_article_of_merged_snapshot(ident)):
        return redirect("article", ident=format_pmid_or_opaque(article))
    if (name.pmcid or name.doi) and (
        article := find_article_by_first_given_id(list_visible_articles(request.user), name)
    ):
        return redirect("article", ident=format_pmid_or_opaque(article))
    if name and (open_request := find_open_request(name)):
        return redirect("article-request", request_id=open_request.pk)
    label = str(ArticleRequest(ident=format_pmid_pmcid_or_doi(name)))
    context = {"ident": ident, "name": name, "called": label}
    return render(request, "article_requests/unknown.html", context, status=404)


@gzip_page
@require_safe
def show_article(request: WSGIRequest, ident: str) -> HttpResponse:
    article = find_visible_article(request, ident)
    if article is None:
        return redirect_or_offer_to_request_article(request, ident)
    if REMEMBER_PARAMETER in request.GET:
        return _keep_filters_and_redirect(request)
    if kept_filters := read_kept_filters_unless_url_has_any(request).list_filter_pairs():
        return _redirect_to_url_with_filters(request, kept_filters)
    page = build_current_or_older_article_page(request, article, ident)
    exports = [] if article.blind or page.present_version else list(EXPORTS.values())
    context = {"page": page, "exports": exports, "citations": build_page_citations(page, timezone.now().date())}
    response = render(request, "article_page/article.html", context)
    # The account decides what the page shows, and the cookie with the reader's filters whether it redirects.
    patch_vary_headers(response, ["Cookie"])
    patch_cache_control(response, private=True)
    return response


def _keep_filters_and_redirect(request: WSGIRequest) -> HttpResponse:
    """Keep the filters of the URL for other articles, and redirect to the URL that can be shared."""
    query = request.GET.copy()
    del query[REMEMBER_PARAMETER]
    response = redirect(f"{request.path}?{query.urlencode()}")
    keep_url_filters_if_asked(request, response)
    return response


def _redirect_to_url_with_filters(request: WSGIRequest, filters: list[tuple[str, str]]) -> HttpResponse:
    """Redirect to the URL that says which filters apply, so that a copy of it shows the same to everybody."""
    query = request.GET.copy()
    for name, value in filters:
        query.appendlist(name, value)
    response = redirect(f"{request.path}?{query.urlencode()}")
    patch_vary_headers(response, ["Cookie"])
    add_never_cache_headers(response)
    return response


@require_safe
def redirect_doi_to_article_or_open_request_else_offer(request: WSGIRequest, doi: str) -> HttpResponse:
    return redirect_or_offer_to_request_article(request, doi)


@gzip_page
@never_cache
@require_safe
def poll_article(request: WSGIRequest, ident: str) -> HttpResponse:
    """The part of the page that changes, or 204 if the reader has the current version.

    A reader whose marked text is current gets the rest only, without the list if its rows are current, too.
    """
    response = _render_changes(request, ident)
    keep_url_filters_if_asked(request, response)
    return response


def _render_changes(request: WSGIRequest, ident: str) -> HttpResponse:
    version, with_unreviewed = request.GET.get("v", ""), includes_unreviewed_on_page(request)
    if version and version == find_current_page_version(request.user, ident, with_unreviewed=with_unreviewed):
        return HttpResponse(status=204)
    # Without a version, the reader has chosen something, and what the database holds is seldom another than before.
    page = _build_page(request, ident, may_be_kept=not version)
    if page is None:
        return HttpResponse(status=404)
    kept = request.GET.getlist("keep")
    text_kept = page.reading.text_signature in kept
    context = {
        "page": page,
        "citations": build_page_citations(page, timezone.now().date()),
        "kept": text_kept,
        "rows_kept": text_kept and page.rows_signature in kept,
    }
    return render(request, "article_page/_article.html", context)


def _build_page(request: WSGIRequest, ident: str, *, may_be_kept: bool) -> ArticlePage | None:
    """The page of an article, None if the reader may see no such article.

    may_be_kept: the same records may be needed again soon, or are kept already.
    """
    if may_be_kept and can_be_kept(request):
        records = find_or_load_records(request, ident)
        return build_current_article_page(request, records, ident) if records else None
    article = find_visible_article(request, ident)
    return build_current_or_older_article_page(request, article, ident) if article else None


@require_POST
def ask_missing_servers_or_skip_blind_article(request: WSGIRequest, ident: str) -> HttpResponse:
    """Ask the servers that were not asked yet; a second request while a call is open adds none.

    TooManyRequests, which becomes a page, above the limits of a visitor.
    """
    article = find_visible_article(request, ident)
    if article is None:
        return redirect_or_offer_to_request_article(request, ident)
    start_rate_limited_annotation(request, article, request.user)
    return redirect("article", ident=ident)
