"""The results of an article that a reader may see, with their state, broken rules and replies."""

import zlib
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.http import Http404

from annotations.articles.models import Article, OlderText
from annotations.articles.text_versions import get_unsaved_copy_with_older_text
from annotations.results.models import Producer, Reply, Result
from annotations.schema import KIND_LABELS, Kind
from servers.calls.models import Attempt, Queue
from servers.calls.secret_masking import MASK, decode_printable_and_mask_secrets
from servers.calls.states import QueueMode
from servers.registry.models import Server


@dataclass(frozen=True, slots=True)
class ResultDetails:
    """One result of one producer for one kind, with number annotations; queue is None unless a server made it."""

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
        return KIND_LABELS[Kind(self.result.kind)]

    @property
    def older_text(self) -> bool:
        return self.result.text_version != self.article.text_version

    @property
    def currency(self) -> str:
        """Whether the article's page shows it, as text."""
        if self.result.superseded:
            return "replaced"
        return "on an older text" if self.older_text else "current"


def filter_results_with_annotation_counts(article: Article, producers: QuerySet[Producer]) -> QuerySet[Result]:
    """The article's Results by these producers, each with its number of annotations."""
    results = Result.objects.filter(article=article, producer__in=producers)
    return results.select_related("producer__queue__server").annotate(number=Count("annotations"))


def build_result_details(result: Result, article: Article) -> ResultDetails:
    queue = getattr(result.producer, "queue", None)
    return ResultDetails(result, article, queue, getattr(result, "number", 0))


def get_result_of_producers(article: Article, result_id: int, producers: QuerySet[Producer]) -> ResultDetails:
    """The article's result with this id by one of the producers; Http404 if there is none."""
    result = filter_results_with_annotation_counts(article, producers).filter(pk=result_id).first()
    if result is None:
        raise Http404(
            "This article has no such result, or you do not have permission to view it. For results of unreviewed "
            "servers and challenges, add unreviewed=1 to the address."
        )
    return build_result_details(result, article)


def find_article_with_text_of_result(article: Article, result: Result) -> Article | None:
    """The article as the result annotated it, None if that text is not kept: 1 query for an older text."""
    if result.text_version == article.text_version:
        return article
    try:
        return get_unsaved_copy_with_older_text(article, result.text_version)
    except OlderText.DoesNotExist:
        return None


def find_result_reply(result: Result) -> Reply | None:
    return Reply.objects.filter(pk=result.reply_id).first() if result.reply_id else None


def format_masked_reply(reply: Reply, server: Server | None, max_bytes: int = 0) -> str:
    """The first max_bytes bytes of a reply (all for 0) as text, with likely secrets and the server's keys masked."""
    text = decode_printable_and_mask_secrets(zlib.decompressobj().decompress(bytes(reply.body), max_bytes))
    for key in (server.api_key, server.secret_key) if server else ():
        text = text.replace(key, MASK) if key else text
    return text


def list_broken_rules(result: Result) -> list[dict[str, str]]:
    """The rules that the answer broke, as recorded for its attempt: code, where, message and mend of each."""
    if result.call is None:
        return []
    attempt = Attempt.objects.filter(call=result.call, started__lte=result.received).order_by("-number").first()
    return list(attempt.broken_rules) if attempt else []
