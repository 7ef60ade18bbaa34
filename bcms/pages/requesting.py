"""An article that is not here yet: a visitor asks for it, sees since when it is fetched, and then the article."""

from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotations.models import ArticleRequest
from bcms.api.articles import identifier_of
from bcms.requesting import MOST_OPEN, TooManyOpenError, known_by, name_in, open_request, request_article
from bcms.visibility import articles_seen_by

# How often one visitor may ask (settings.ACCOUNT_RATE_LIMITS), each with the seconds after which it is allowed again.
LIMITS = (("fetch_article", 60), ("fetch_article_hourly", 3600))
# When far too many wait: about as long as these take.
LATER = 300


@require_POST
def ask_for_article(request: HttpRequest) -> HttpResponse:
    """Ask for the article of a PMID, PMCID or DOI; one that is here is shown, and one that is fetched is waited for."""
    name = name_in(request.POST.get("ident", ""))
    if not name:
        return render(request, "articles/unknown.html", {"ident": request.POST.get("ident", "")[:100]}, status=422)
    if found := known_by(articles_seen_by(request.user), name):
        return redirect("article", ident=identifier_of(found))
    wanted = open_request(name)
    if wanted is None:
        for action, seconds in LIMITS:
            if not ratelimit.consume(request, action=action):
                return refused(request, 429, seconds)
        try:
            wanted = request_article(name)
        except TooManyOpenError:
            return refused(request, 503, LATER)
    return redirect("article-request", request_id=wanted.pk)


def refused(request: HttpRequest, status: int, seconds: int) -> HttpResponse:
    context = {"busy": status == 503, "minutes": seconds // 60, "most": MOST_OPEN}
    reply = render(request, "articles/too_many.html", context, status=status)
    reply.headers["Retry-After"] = str(seconds)
    return reply


@never_cache
@require_safe
def requested(request: HttpRequest, request_id: int) -> HttpResponse:
    """Waits for the article, then leads to it; where it came without its full text, it says why before."""
    wanted = with_article(request_id)
    if wanted.article and not wanted.problem:
        return redirect("article", ident=identifier_of(wanted.article))
    return render(request, "articles/requested.html", context_of(wanted))


@never_cache
@require_safe
def live(request: HttpRequest, request_id: int) -> HttpResponse:
    """The part that changes once, when the article is here or will not come; 204 until then."""
    wanted = with_article(request_id)
    if request.GET.get("v") == version_of(wanted):
        return HttpResponse(status=204)
    return render(request, "articles/_requested.html", context_of(wanted))


def with_article(request_id: int) -> ArticleRequest:
    """The request and what its article is called: 1 query."""
    rows = ArticleRequest.objects.select_related("article")
    fields = ("ident", "asked", "finished", "problem", "article__pmid", "article__opaque")
    return get_object_or_404(rows.only(*fields), pk=request_id)


def version_of(wanted: ArticleRequest) -> str:
    return "waits" if wanted.finished is None else "answered"


def context_of(wanted: ArticleRequest) -> dict[str, object]:
    return {
        "wanted": wanted,
        "version": version_of(wanted),
        "age": (timezone.now() - wanted.asked).total_seconds(),
        "shown_at": reverse("article", args=[identifier_of(wanted.article)]) if wanted.article else "",
    }
