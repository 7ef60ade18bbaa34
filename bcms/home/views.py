"""The home page."""

from django.core.handlers.wsgi import WSGIRequest
from django.db.models import Min
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.articles.models import CorpusArticle
from annotations.results.queries import list_newest_annotated_articles
from bcms.article_annotations.current_annotations import list_public_producers_of_live_queues
from bcms.home.own_work import load_own_work
from bcms.home.sample_article import load_sample_article
from bcms.search.hits import list_search_hits
from evaluation.challenges.challenge_page.overview import list_challenges_with_phase_states
from evaluation.visibility import list_visible_articles
from servers.availability.queries import list_servers_with_figures_by_name
from servers.review.visible_servers import list_listed_servers

READING_HITS = 8
# More than are listed, because some may be hidden.
NEWEST_ARTICLES = 3 * READING_HITS


@require_safe
def show_home(request: WSGIRequest) -> HttpResponse:
    articles, now = _list_reading_articles(request), timezone.now()
    hits = list_search_hits(articles)
    servers = list_servers_with_figures_by_name(list_listed_servers(request.user))
    challenges = list_challenges_with_phase_states(request.user, now, archived=False)
    work = load_own_work(request.user, servers, challenges, now) if request.user.is_authenticated else None
    own_servers = {each.listed.server.pk for each in work.servers} if work else set()
    organized = {each.listed.challenge.pk for each in work.challenges} if work else set()
    context = {
        "work": work,
        "servers": [each for each in servers if each.server.pk not in own_servers],
        "challenges": [each for each in challenges if each.challenge.pk not in organized],
        "reading": hits,
        # Whoever has work here knows what this site is.
        "sample": load_sample_article(articles, hits) if work is None or work.is_empty else None,
    }
    return render(request, "home/home.html", context)


def _list_reading_articles(request: HttpRequest) -> list[int]:
    """A few articles to read: of the corpora that staff feature or, without any, those annotated last.

    Only accepted servers count, and an article is listed once however many featured corpora it is in.
    """
    visible = list_visible_articles(request.user)
    featured = CorpusArticle.objects.filter(corpus__featured=True, corpus__blind=False, article__in=visible)
    by_position = featured.values("article").annotate(first=Min("position")).order_by("first", "article")
    articles = list(by_position.values_list("article", flat=True)[:READING_HITS])
    if not articles:
        newest = list_newest_annotated_articles(list_public_producers_of_live_queues(), NEWEST_ARTICLES)
        shown = set(visible.filter(pk__in=newest).values_list("pk", flat=True))
        articles = [article for article in newest if article in shown][:READING_HITS]
    return articles
