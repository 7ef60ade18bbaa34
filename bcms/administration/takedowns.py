"""Take an article down, which hides it from everybody but administrators, and show it again."""

from django.db import transaction

from annotations.articles.models import Article, ArticleTakedown
from annotations.articles.versions import raise_article_versions
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.calls.queues.missed_articles import remove_missed_calls_for_article
from servers.teams.permissions import User


@transaction.atomic
def take_article_down(article: Article, reason: str, administrator: User) -> bool:
    """Hide an article with its annotations, on every page and in every format. False if it was hidden before."""
    _, new = ArticleTakedown.objects.get_or_create(
        article=article, defaults={"reason": reason, "by_id": administrator.pk}
    )
    if new:
        raise_article_versions([article.pk])
        remove_missed_calls_for_article(article)
        record_audit_event(AuditAction.ARTICLE_HIDDEN, article, reason=reason, actor=administrator)
    return new


@transaction.atomic
def show_article_again(article: Article, reason: str, administrator: User) -> bool:
    """Undo a takedown. False if the article is not hidden."""
    number, _ = ArticleTakedown.objects.filter(article=article).delete()
    if number:
        raise_article_versions([article.pk])
        record_audit_event(AuditAction.ARTICLE_SHOWN, article, reason=reason, actor=administrator)
    return bool(number)
