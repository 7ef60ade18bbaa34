"""The home page."""

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.articles.models import Corpus
from bcms.search.hits import SearchHit, list_search_hits
from evaluation.challenges.challenge_page.overview import list_challenges_with_phase_states
from evaluation.visibility import list_visible_articles
from servers.registry.models import Server

READING_HITS = 8


@require_safe
def show_home(request: WSGIRequest) -> HttpResponse:
    return render(
        request,
        "home/home.html",
        {
            "servers": Server.objects.select_related("team").order_by("name", "pk"),
            "challenges": list_challenges_with_phase_states(request.user, timezone.now(), archived=False),
            "reading": _list_reading_hits(request),
        },
    )


def _list_reading_hits(request: HttpRequest) -> list[SearchHit]:
    """A few articles to read, from public corpora that no phase of a challenge uses."""
    corpora = Corpus.objects.filter(blind=False, phase__isnull=True)
    articles = list_visible_articles(request.user).filter(corpora__in=corpora).order_by("corpusarticle__position", "pk")
    return list_search_hits(list(articles.values_list("pk", flat=True)[:READING_HITS]))
