"""The stored limit on the articles of a server's next request. The caller holds the server's lease."""

from servers.calls.batches.batch_decisions import BatchLimit, grow_after_answered_request, halve_after_failed_batch
from servers.registry.models import Server


def get_batch_limit(server: Server) -> BatchLimit:
    return BatchLimit(server.batch_limit, server.batch_answers)


def halve_batch_limit(server: Server, article_count: int) -> None:
    """Let the next request carry half as many articles, after one with so many failed as a whole."""
    limit = halve_after_failed_batch(article_count)
    server.batch_limit, server.batch_answers = limit.articles, limit.answers
    halve_batch_limit_of_server(server.pk, article_count)


def halve_batch_limit_of_server(server_id: int, article_count: int) -> None:
    """Let the next request of a server carry half as many articles; a server that is read already is not changed."""
    limit = halve_after_failed_batch(article_count)
    Server.objects.filter(pk=server_id).update(batch_limit=limit.articles, batch_answers=limit.answers)


def grow_batch_limit_if_due(server: Server, article_count: int) -> None:
    """Record that a request with so many articles was answered: no query unless the server's requests are limited."""
    limit = grow_after_answered_request(get_batch_limit(server), server.articles_per_request, article_count)
    if limit != get_batch_limit(server):
        server.batch_limit, server.batch_answers = limit.articles, limit.answers
        Server.objects.filter(pk=server.pk).update(batch_limit=limit.articles, batch_answers=limit.answers)
