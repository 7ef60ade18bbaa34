"""The pages by which a visitor requests an article that is not here yet, and waits for it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotations.articles.models import ArticleRequest
from annotations.articles.queries import format_pmid_or_opaque
from bcms.article_requests.request_queue import (
    BUSY_SECONDS,
    MOST_OPEN_REQUESTS,
    TooManyOpenRequestsError,
    VisitorLimitError,
    find_article_by_first_given_id,
    find_open_request,
    get_article_request,
    open_rate_limited_article_request,
    parse_article_name_or_empty,
)
from evaluation.visibility import list_visible_articles


@require_POST
def open_rate_limited_request_unless_article_exists(request: HttpRequest) -> HttpResponse:
    """Request the article with a PMID, PMCID or DOI; redirect to the article or to the open request if there is one."""
    name = parse_article_name_or_empty(request.POST.get("ident", ""))
    if not name:
        return render(
            request, "article_requests/unknown.html", {"ident": request.POST.get("ident", "")[:100]}, status=422
        )
    if article := find_article_by_first_given_id(list_visible_articles(request.user), name):
        return redirect("article", ident=format_pmid_or_opaque(article))
    try:
        article_request = find_open_request(name) or open_rate_limited_article_request(request, name)
    except VisitorLimitError as error:
        return _render_request_refusal(request, 429, error.seconds)
    except TooManyOpenRequestsError:
        return _render_request_refusal(request, 503, BUSY_SECONDS)
    return redirect("article-request", request_id=article_request.pk)


def _render_request_refusal(request: HttpRequest, status: int, seconds: int) -> HttpResponse:
    context = {"busy": status == 503, "minutes": seconds // 60, "most": MOST_OPEN_REQUESTS}
    response = render(request, "article_requests/too_many.html", context, status=status)
    response.headers["Retry-After"] = str(seconds)
    return response


@never_cache
@require_safe
def show_article_request_until_fetched(request: HttpRequest, request_id: int) -> HttpResponse:
    """Show the state of a request; redirect to the article once it is complete."""
    article_request = get_article_request(request_id)
    if article_request.article and not article_request.problem:
        return redirect("article", ident=format_pmid_or_opaque(article_request.article))
    return render(request, "article_requests/request_status.html", _build_request_context(article_request))


@never_cache
@require_safe
def poll_article_request(request: HttpRequest, request_id: int) -> HttpResponse:
    """The part of the page that changes when the request is finished; 204 until then."""
    article_request = get_article_request(request_id)
    if request.GET.get("v") == _compute_request_version(article_request):
        return HttpResponse(status=204)
    return render(request, "article_requests/_request_status.html", _build_request_context(article_request))


def _compute_request_version(article_request: ArticleRequest) -> str:
    return "waits" if article_request.finished is None else "answered"


def _build_request_context(article_request: ArticleRequest) -> dict[str, object]:
    article = article_request.article
    return {
        "wanted": article_request,
        "version": _compute_request_version(article_request),
        "age": (timezone.now() - article_request.asked).total_seconds(),
        "shown_at": reverse("article", args=[format_pmid_or_opaque(article)]) if article else "",
    }
