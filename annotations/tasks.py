"""Celery tasks: identifier lookups, article summaries and search indexes."""

from celery import shared_task
from django.conf import settings

from annotations.advisory_locks import try_advisory_lock
from annotations.identifiers.lookup import due_identifiers
from annotations.results import article_summaries
from annotations.search import pending_index_lists

# Advisory locks. Only one worker at a time queries outside databases, so that their rate limits are kept.
LOOKUP_LOCK = 20_100_308
SUMMARIES_LOCK = 20_100_312


@shared_task(name="annotations.tasks.ask_registries")
def ask_registries() -> str:
    """Look up identifiers in outside databases for a while, and run again if there is more to do."""
    if not settings.ASK_REGISTRIES:
        return "off"
    with try_advisory_lock(LOOKUP_LOCK) as acquired:
        if not acquired:
            return "busy"
        more = due_identifiers.look_up_due_identifiers()
    if more:
        ask_registries.delay()
    return "more" if more else "done"


@shared_task(name="annotations.tasks.update_article_summaries")
def update_article_summaries() -> str:
    """Refresh the summaries of changed articles and flush the search indexes; run again if there are more articles."""
    with try_advisory_lock(SUMMARIES_LOCK) as acquired:
        more = acquired and article_summaries.refresh_article_summaries()
        if acquired:
            pending_index_lists.flush_pending_index_lists()
    if more:
        update_article_summaries.delay()
    return "busy" if not acquired else "more" if more else "done"
