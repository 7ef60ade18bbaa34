"""The start page."""

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.models import Corpus
from bcms.pages.hits import Hit, hits
from bcms.visibility import articles_seen_by
from evaluation.overview import listed_challenges
from servers.models import Server

READING = 8


@require_safe
def home(request: WSGIRequest) -> HttpResponse:
    return render(
        request,
        "home.html",
        {
            "servers": Server.objects.select_related("team").order_by("name", "pk"),
            "challenges": listed_challenges(timezone.now()),
            "reading": reading_hits(request),
        },
    )


def reading_hits(request: HttpRequest) -> list[Hit]:
    """A few articles of the corpora that are there to be read: the ones that no phase of a challenge uses."""
    corpora = Corpus.objects.filter(blind=False, phase__isnull=True)
    articles = articles_seen_by(request.user).filter(corpora__in=corpora).order_by("corpusarticle__position", "pk")
    return hits(list(articles.values_list("pk", flat=True)[:READING]))
