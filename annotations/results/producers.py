"""Creating, publishing and hiding producers."""

from collections.abc import Collection

from django.db import connection, transaction
from django.db.models import QuerySet

from annotations.articles.versions import raise_article_versions
from annotations.data_sets.models import DataSet
from annotations.results.models import Producer

LONGEST_PRODUCER_NAME = 200
# Articles per transaction when the versions of a producer's articles are raised.
RAISED_BATCH = 1000
SOURCE_HIDDEN = "It is no longer published, because a producer that it is made from is no longer public."


def get_or_create_author_or_gold_producer(name: str, producer_type: str) -> Producer:
    """The producer with this name and type, AUTHOR or GOLD. A new one is public only if it is an author."""
    name = name[:LONGEST_PRODUCER_NAME]
    known = Producer.objects.filter(name=name, sort=producer_type).order_by("pk").first()
    public = producer_type == Producer.Type.AUTHOR
    return known or Producer.objects.create(name=name, sort=producer_type, public=public)


RAISE_VERSIONS_OF_PRODUCERS = """
    UPDATE annotations_article SET version = version + 1 WHERE id IN (
        SELECT id FROM annotations_article WHERE id IN (
            SELECT article_id FROM annotations_result WHERE producer_id = ANY(%s) AND superseded IS NULL)
        ORDER BY id FOR NO KEY UPDATE)
"""


def publish_producers_raising_article_versions(producers: QuerySet[Producer]) -> None:
    """Make producers public, and raise the versions of their articles, so that pages and lists are updated."""
    published = list(producers.filter(public=False).values_list("pk", flat=True))
    Producer.objects.filter(pk__in=published).update(public=True)
    with connection.cursor() as cursor:
        cursor.execute(RAISE_VERSIONS_OF_PRODUCERS, [published])


LIST_NEXT_ARTICLES_OF_PRODUCER = """
    SELECT DISTINCT article_id FROM annotations_result
    WHERE producer_id = %s AND article_id > %s AND superseded IS NULL ORDER BY article_id LIMIT %s
"""


@transaction.atomic
def set_producers_public_or_hidden(producers: QuerySet[Producer], *, public: bool) -> None:
    """Make the annotations of producers public, or hide them, at once.

    A worker then raises the versions of their articles, so that what is stored about these is computed anew. The caller
    prevents that Results of the producers are stored in the meantime. A data set that is made from a producer is hidden
    with it.
    """
    changed = list(producers.exclude(public=public).order_by("pk").values_list("pk", flat=True))
    Producer.objects.filter(pk__in=changed).update(public=public, raised_to=0)
    if not public:
        _unpublish_data_sets(changed)


def _unpublish_data_sets(source_keys: Collection[int]) -> None:
    """Hide the published data sets that are made from any of these producers.

    The producers are hidden already, and publishing locks them, so that no data set is published meanwhile.
    """
    made_from = DataSet.sources.through.objects.filter(producer__in=source_keys)
    published = DataSet.objects.filter(published__isnull=False, pk__in=made_from.values("dataset"))
    data_sets = list(published.select_for_update(of=("self",), no_key=True).order_by("pk"))
    DataSet.objects.filter(pk__in=[each.pk for each in data_sets]).update(published=None, problem=SOURCE_HIDDEN)
    producers = Producer.objects.filter(pk__in=[each.producer_id for each in data_sets])
    producers.update(public=False, raised_to=0)


def raise_article_versions_of_changed_producers() -> int:
    """Raise the versions of the articles of producers that were made public or hidden; returns of how many articles.

    Each batch is one transaction with the position that it has reached, so that another worker can continue.
    """
    total = 0
    while (number := _raise_next_article_versions()) is not None:
        total += number
    return total


@transaction.atomic
def _raise_next_article_versions() -> int | None:
    """Raise the versions of one producer's next articles and return their number; None if nothing is left to do."""
    changed = Producer.objects.select_for_update(no_key=True, skip_locked=True).filter(raised_to__isnull=False)
    producer = changed.order_by("pk").first()
    if producer is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute(LIST_NEXT_ARTICLES_OF_PRODUCER, [producer.pk, producer.raised_to, RAISED_BATCH])
        articles = [article for (article,) in cursor.fetchall()]
    raise_article_versions(articles)
    reached = articles[-1] if len(articles) == RAISED_BATCH else None
    Producer.objects.filter(pk=producer.pk).update(raised_to=reached)
    return len(articles)
