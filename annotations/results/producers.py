"""Creating and publishing producers."""

from django.db import connection
from django.db.models import QuerySet

from annotations.results.models import Producer

LONGEST_PRODUCER_NAME = 200


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
