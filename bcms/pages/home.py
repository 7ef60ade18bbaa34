"""The start page, and the search for articles."""

import re
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.core.handlers.wsgi import WSGIRequest
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.models import Article, Corpus
from annotations.pmids import LONGEST_PMID
from annotations.querysets import (
    FOUND,
    FOUND_END,
    MOST_FOUND,
    by_identifier,
    matching,
    newest_matching,
    number_of_servers,
    with_highlights,
)
from bcms.visibility import articles_seen_by, producers_seen_by
from evaluation.overview import listed_challenges
from servers.models import Server

PAGE_SIZE = 20
READING = 8
LONGEST_QUERY = 200


@dataclass(frozen=True, slots=True)
class Hit:
    """One article in a list; title in parts, (words, whether they were searched for)."""

    ident: str
    title: list[tuple[str, bool]]
    journal: str
    year: int | None
    servers: int


@require_safe
def home(request: WSGIRequest) -> HttpResponse:
    return render(
        request,
        "home.html",
        {
            "servers": Server.objects.select_related("team").order_by("name"),
            "challenges": listed_challenges(timezone.now()),
            "reading": reading_hits(request),
        },
    )


def reading_hits(request: HttpRequest) -> list[Hit]:
    """A few articles of the corpora that are there to be read: the ones that no phase of a challenge uses."""
    corpora = Corpus.objects.filter(blind=False, phase__isnull=True)
    articles = articles_seen_by(request.user).filter(corpora__in=corpora).order_by("corpusarticle__position")
    return hits(list(articles[:READING]))


@require_safe
def search(request: WSGIRequest) -> HttpResponse:
    words = query_of(request)
    seen = articles_seen_by(request.user)
    is_number = words.isascii() and words.isdigit() and len(words) <= LONGEST_PMID
    if is_number and by_identifier(seen, words).exists():
        return redirect("article", ident=words)
    listed = newest_matching(seen, words) if words else seen.order_by("-pmid").values_list("pk", flat=True)
    page = Paginator(listed, PAGE_SIZE).get_page(request.GET.get("page"))
    found = with_highlights(matching(seen, words), words) if words else seen
    ids = list(page)
    articles = sorted(found.filter(pk__in=ids), key=lambda article: ids.index(article.pk))
    context = {"words": words, "is_number": is_number, "page": page, "hits": hits(articles), "most": MOST_FOUND}
    return render(request, "articles/search.html", context)


def query_of(request: HttpRequest) -> str:
    """The words searched for; PostgreSQL takes no NUL, and nobody types more than a few words."""
    words = request.GET.get("q", "").replace("\x00", "").strip()[:LONGEST_QUERY]
    number = re.fullmatch(r"pmid[: ]*([0-9]+)", words, re.ASCII | re.IGNORECASE)
    return number[1] if number else words


def hits(articles: list[Article]) -> list[Hit]:
    everybody = producers_seen_by(AnonymousUser())
    servers = number_of_servers([article.pk for article in articles], everybody)
    return [
        Hit(
            ident=str(article.pmid or article.opaque),
            title=parts(getattr(article, "highlighted", article.title)),
            journal=article.journal,
            year=article.year,
            servers=servers.get(article.pk, 0),
        )
        for article in articles
    ]


def parts(title: str) -> list[tuple[str, bool]]:
    """Split a title at the marks around what was found."""
    pieces = [piece.partition(FOUND_END) for piece in title.split(FOUND)]
    split = [(pieces[0][0], False)]
    for found, _, rest in pieces[1:]:
        split += [(found, True), (rest, False)]
    return [(words, found) for words, found in split if words]
