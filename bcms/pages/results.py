"""Where an annotation comes from: everything that is kept of one answer of one producer."""

import zlib
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotations.kinds import LABELS, Kind
from annotations.models import Article, Reply, Result
from annotations.older_texts import kept_versions
from bcms.pages.article import find, unknown
from bcms.visibility import producers_seen_by
from servers.masking import MASK, shown
from servers.models import Attempt, Queue, Server
from servers.states import QueueMode

SHOWN_BYTES = 64 * 1024
MOST_RESULTS = 500


@dataclass(frozen=True, slots=True)
class ShownResult:
    """One answer of one producer in one kind; of a server's, its queue too. number annotations are in it."""

    result: Result
    article: Article
    queue: Queue | None
    number: int

    @property
    def server(self) -> Server | None:
        return self.queue.server if self.queue else None

    @property
    def producer(self) -> str:
        if self.queue is None:
            return self.result.producer.name
        return (
            self.queue.server.name if self.queue.mode == QueueMode.LIVE else f"{self.queue.server.name} ({self.mode})"
        )

    @property
    def mode(self) -> str:
        return str(self.queue.mode) if self.queue else self.result.producer.sort

    @property
    def kind(self) -> str:
        return LABELS[Kind(self.result.kind)]

    @property
    def older_text(self) -> bool:
        return self.result.text_version != self.article.text_version

    @property
    def standing(self) -> str:
        """Whether the article's page shows it, in words."""
        if self.result.superseded:
            return "replaced"
        return "on an older text" if self.older_text else "current"


def results_seen(request: HttpRequest, article: Article) -> QuerySet[Result]:
    """The article's Results that this reader may see, without their replies."""
    seen = Result.objects.filter(article=article, producer__in=producers_seen_by(request.user))
    return seen.select_related("producer__queue__server").annotate(number=Count("annotations"))


def shown_result(result: Result, article: Article) -> ShownResult:
    queue = getattr(result.producer, "queue", None)
    return ShownResult(result, article, queue, getattr(result, "number", 0))


def one_of(request: HttpRequest, article: Article, result_id: int) -> ShownResult:
    found = results_seen(request, article).filter(pk=result_id).first()
    if found is None:
        raise Http404("There is no such answer, or it is not yours to see.")
    return shown_result(found, article)


@require_safe
def results(request: HttpRequest, ident: str) -> HttpResponse:
    """Every answer that is kept of an article, the newest first, those on older texts and replaced ones too."""
    article = find(request, ident)
    if article is None:
        return unknown(request, ident)
    rows = results_seen(request, article).order_by("-received", "-pk")[: MOST_RESULTS + 1]
    found = [shown_result(row, article) for row in rows]
    context = {"article": article, "ident": ident, "rows": found[:MOST_RESULTS], "more": len(found) > MOST_RESULTS}
    return render(request, "articles/results.html", context)


@require_safe
def result(request: HttpRequest, ident: str, result_id: int) -> HttpResponse:
    article = find(request, ident)
    if article is None:
        return unknown(request, ident)
    row = one_of(request, article, result_id)
    reply = reply_of(row.result)
    context = {
        "article": article,
        "ident": ident,
        "row": row,
        "reply": reply,
        "reply_text": reply_text(reply, row.server, SHOWN_BYTES) if reply else "",
        "more_bytes": max(0, reply.size - SHOWN_BYTES) if reply else 0,
        "broken_rules": broken_rules(row.result),
        "text_kept": row.older_text and row.result.text_version in kept_versions(article),
    }
    return render(request, "articles/result.html", context)


@require_safe
def reply(request: HttpRequest, ident: str, result_id: int) -> HttpResponse:
    """The whole reply as a text to keep, with secrets masked; never as what it says that it is."""
    article = find(request, ident)
    if article is None:
        return unknown(request, ident)
    row = one_of(request, article, result_id)
    found = reply_of(row.result)
    if found is None:
        raise Http404("No reply was kept of this answer.")
    response = HttpResponse(reply_text(found, row.server), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="reply-{row.result.pk}.txt"'
    return response


def reply_of(result: Result) -> Reply | None:
    return Reply.objects.filter(pk=result.reply_id).first() if result.reply_id else None


def reply_text(reply: Reply, server: Server | None, most: int = 0) -> str:
    """The first bytes of a reply (all for 0) as text; what looks like a secret is masked, the server's own keys too."""
    text = shown(zlib.decompressobj().decompress(bytes(reply.body), most))
    for key in (server.api_key, server.secret_key) if server else ():
        text = text.replace(key, MASK) if key else text
    return text


def broken_rules(result: Result) -> list[dict[str, str]]:
    """The rules that the answer broke, as the attempt that brought it keeps them."""
    if result.call is None:
        return []
    attempt = Attempt.objects.filter(call=result.call, started__lte=result.received).order_by("-number").first()
    return list(attempt.broken_rules) if attempt else []
