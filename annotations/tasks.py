"""Celery tasks: identifier lookups, article summaries, search indexes and annotations of changed texts."""

from celery import shared_task
from django.conf import settings

from annotations.advisory_locks import try_advisory_lock
from annotations.identifiers.lookup import due_identifiers
from annotations.results import annotated_terms, article_summaries, producers
from annotations.results.changed_texts import moving
from annotations.search import pending_index_lists

# Advisory locks. Only one worker at a time queries outside databases, so that their rate limits are kept.
LOOKUP_LOCK = 20_100_308
SUMMARIES_LOCK = 20_100_312
MOVING_LOCK = 20_100_319
TERMS_LOCK = 20_100_320


@shared_task(name="annotations.tasks.look_up_due_identifiers_requeueing_unless_busy")
def look_up_due_identifiers_requeueing_unless_busy() -> str:
    """Look up identifiers in outside databases for a while, and run again if there is more to do."""
    if not settings.ASK_REGISTRIES:
        return "off"
    with try_advisory_lock(LOOKUP_LOCK) as acquired:
        if not acquired:
            return "busy"
        more = due_identifiers.queue_and_look_up_due_identifiers()
    if more:
        look_up_due_identifiers_requeueing_unless_busy.delay()
    return "more" if more else "done"


@shared_task(name="annotations.tasks.update_summaries_flushing_indexes_requeueing_unless_busy")
def update_summaries_flushing_indexes_requeueing_unless_busy() -> str:
    """Refresh the summaries of changed articles and flush the search indexes; run again if there are more articles.

    Articles whose annotations by a producer were made public or hidden count as changed.
    """
    with try_advisory_lock(SUMMARIES_LOCK) as acquired:
        if acquired:
            producers.raise_article_versions_of_changed_producers()
        more = acquired and article_summaries.update_summaries_returning_whether_more_remain()
        if acquired:
            pending_index_lists.flush_pending_gin_lists_counting_pages()
    if more:
        update_summaries_flushing_indexes_requeueing_unless_busy.delay()
    return "busy" if not acquired else "more" if more else "done"


@shared_task(name="annotations.tasks.move_annotations_of_replaced_texts_requeueing_unless_busy")
def move_annotations_of_replaced_texts_requeueing_unless_busy() -> str:
    """Move annotations to the changed texts of their articles; run again if there are more."""
    with try_advisory_lock(MOVING_LOCK) as acquired:
        more = acquired and moving.move_annotations_of_replaced_texts()
    if more:
        move_annotations_of_replaced_texts_requeueing_unless_busy.delay()
    return "busy" if not acquired else "more" if more else "done"


@shared_task(name="annotations.tasks.count_articles_of_annotated_terms_unless_busy")
def count_articles_of_annotated_terms_unless_busy() -> str:
    """Count the articles that have each type and entity, which searches suggest."""
    with try_advisory_lock(TERMS_LOCK) as acquired:
        if acquired:
            annotated_terms.count_articles_of_annotated_terms()
    return "done" if acquired else "busy"
