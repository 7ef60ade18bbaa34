"""Keywords that author and publisher may use: the official symbols of what servers found in a manuscript."""

from collections import defaultdict

from annotations.articles.models import Article
from annotations.schema import Kind
from bcms.article_annotations.current_annotations import (
    list_public_producers_of_live_queues,
    load_producer_annotations_and_reported_entries,
)

MOST_KEYWORDS = 20
ENTITY_KINDS = (Kind.NORMALIZATION, Kind.ENTITY)


def list_keywords(article: Article) -> list[str]:
    """The symbols, or else the names, of entities of the article; those that most servers found come first. Entities
    without an entry of a database have none. 4 queries."""
    results, entries = load_producer_annotations_and_reported_entries(article, list_public_producers_of_live_queues())
    found: dict[str, set[int]] = defaultdict(set)
    for result in results:
        for annotation in result.annotations if result.result.kind in ENTITY_KINDS else ():
            entry = entries.get((annotation.database, annotation.identifier))
            if entry is not None and (entry.symbol or entry.name):
                found[entry.symbol or entry.name].add(result.producer.pk)
    return sorted(found, key=lambda keyword: (-len(found[keyword]), keyword.upper()))[:MOST_KEYWORDS]
