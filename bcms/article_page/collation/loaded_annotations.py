"""The annotations of Results as a page shows them; those of long texts are kept for the next request.

A text of a hundred pages has tens of thousands of annotations, and a page with it is asked for with every word that a
reader chooses. What is kept can be read by many threads, and nothing in it changes.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cachetools import LRUCache
from django.conf import settings
from django.db import connection

from annotations.articles.models import Article
from annotations.entity_types import get_type_key
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.loaded_namespaces import TABLE_STATE, find_unchecked_entities
from annotations.identifiers.queries import add_stored_or_copied_successor_entries, find_named_entries
from annotations.results.queries import StoredResult, load_annotations_by_result_id
from annotations.schema import SEVEN_KINDS, AnnotationData, Kind
from bcms.article_annotations.current_annotations import (
    collect_named_identifiers,
    replace_outdated_identifiers_keeping_reported,
)
from bcms.article_page.collation.collated_annotations import AnnotationsByProducer, CollatedAnnotations
from bcms.article_page.entry_names import EntryNames
from bcms.article_page.open_annotations.entity_types import MentionType
from bcms.article_page.text.text_portions import PORTION_CHARACTERS
from bcms.visitor_pages.changes import SUM_OF_CHANGES

# Of what was shown last; with all that is computed from them, about 100 MB.
MOST_KEPT_ANNOTATIONS = 60_000
# A text takes memory, too, also one without annotations: as much of it as one annotation takes.
CHARACTERS_PER_ANNOTATION = 200
# By other servers or types, of one text.
MOST_COLLATIONS = 4
# Rises when annotations of producers that are not public are changed in place.
SUM_OF_RENEWALS = "SELECT sum(renewed) FROM annotations_producer WHERE id = ANY(%s)"
# What the names of entries depend on, and the annotations beside the ids of their Results.
STATE = f"SELECT ({SUM_OF_CHANGES} WHERE NOT of_boards), {TABLE_STATE}, ({SUM_OF_RENEWALS})"


@dataclass(frozen=True, slots=True)
class LoadedResult:
    """The annotations of a Result with current identifiers.

    reported: the identifiers that the server reported, by the key of each annotation where they were replaced.
    """

    annotations: Sequence[AnnotationData] = ()
    reported: Mapping[tuple[object, ...], str] = field(default_factory=dict)


class LoadedAnnotations:
    """The annotations of an article by the id of their Result, with the names of what they mention."""

    def __init__(self, article: Article, results: Mapping[int, LoadedResult], names: EntryNames) -> None:
        self.results = results
        self.names = names
        self._article = article
        self._collations: LRUCache[object, CollatedAnnotations] = LRUCache(MOST_COLLATIONS)
        self._lock = threading.Lock()

    def estimate_size(self) -> int:
        """How much memory is taken, in annotations."""
        annotations = sum(len(result.annotations) for result in self.results.values())
        return annotations + len(self._article.text) // CHARACTERS_PER_ANNOTATION

    def collate(self, shown: Sequence[StoredResult], mention_type: MentionType | None = None) -> CollatedAnnotations:
        """Those of these Results, at most one for each kind and producer; with a type, only its mentions."""
        key = (*(result.id for result in shown), mention_type and mention_type.key)
        with self._lock:
            if key not in self._collations:
                self._collations[key] = self._make_collation(shown, mention_type)
            return self._collations[key]

    def _make_collation(self, shown: Iterable[StoredResult], mention_type: MentionType | None) -> CollatedAnnotations:
        by_kind: dict[Kind, dict[int, Sequence[AnnotationData]]] = {kind: {} for kind in Kind}
        for result in shown:
            by_kind[result.kind][result.producer] = self.results[result.id].annotations
        if mention_type:
            by_kind[Kind.MENTION] = _keep_annotations_of_type(by_kind[Kind.MENTION], mention_type)
        return CollatedAnnotations(self._article, by_kind, self.names)


def _keep_annotations_of_type(
    mentions: AnnotationsByProducer, mention_type: MentionType
) -> dict[int, Sequence[AnnotationData]]:
    """The mentions of this type alone, without the producers that have mentions of other types only.

    Annotators of other types say nothing about this one: with them, no mention would be that of all servers.
    """
    kept: dict[int, Sequence[AnnotationData]] = {}
    for producer, annotations in mentions.items():
        keys = [get_type_key(each.type) for each in annotations]
        if mention_type.key in keys or not any(keys):
            kept[producer] = [each for each, key in zip(annotations, keys, strict=True) if key == mention_type.key]
    return kept


# By article with its counted version, ids of Results and STATE.
_kept: LRUCache[tuple[object, ...], LoadedAnnotations] = LRUCache(
    MOST_KEPT_ANNOTATIONS, LoadedAnnotations.estimate_size
)
_lock = threading.Lock()


def load_annotations_or_find_kept(article: Article, results: Sequence[StoredResult]) -> LoadedAnnotations:
    """The annotations of these Results on the article: 4 queries, or 1 if those of a long text are kept."""
    if len(article.text) < 2 * PORTION_CHARACTERS:
        return _load_annotations(article, results)
    versions = article.counted_version, article.text_version
    key = (article.pk, *versions, *(result.id for result in results), *_read_state(results))
    with _lock:
        kept = _kept.get(key)
    if kept is None:
        kept = _load_annotations(article, results)
        if kept.estimate_size() <= MOST_KEPT_ANNOTATIONS:
            with _lock:
                _kept[key] = kept
    return kept


def forget_annotations() -> None:
    with _lock:
        _kept.clear()


def _read_state(results: Iterable[StoredResult]) -> tuple[object, ...]:
    producers = sorted({result.producer for result in results})
    with connection.cursor() as cursor:
        cursor.execute(STATE, [settings.REGISTRY_DAYS, producers])
        state: tuple[object, ...] = cursor.fetchone()
    return state


def _load_annotations(article: Article, results: Sequence[StoredResult]) -> LoadedAnnotations:
    return load_names_of_annotations(article, results, load_annotations_by_result_id(results))


def load_names_of_annotations(
    article: Article,
    results: Iterable[StoredResult],
    annotations_by_result: Mapping[int, Sequence[AnnotationData]],
) -> LoadedAnnotations:
    """The annotations of these Results, by the id of each, with current identifiers and names: at most 3 queries."""
    entries = add_stored_or_copied_successor_entries(
        find_named_entries(collect_named_identifiers(annotations_by_result))
    )
    loaded = {
        result.id: _replace_outdated_identifiers(annotations_by_result.get(result.id, ()), entries)
        for result in results
    }
    taxa = {a.taxon for annotations in annotations_by_result.values() for a in annotations if a.taxon}
    taxa |= {entry.taxon for entry in entries.values() if entry.taxon}
    organisms = find_named_entries(("ncbitaxon", str(taxon)) for taxon in taxa)
    return LoadedAnnotations(article, loaded, _build_entry_names(loaded.values(), entries, organisms))


def _build_entry_names(
    results: Iterable[LoadedResult],
    entries: Mapping[tuple[str, str], NamedEntry],
    organisms: Mapping[tuple[str, str], NamedEntry],
) -> EntryNames:
    """The names, and which identifiers of links, entities and relations are not checked: 1 query if there are any."""
    linked = {
        entity_id
        for result in results
        for annotation in result.annotations
        if annotation.identifiers or annotation.kind not in SEVEN_KINDS
        for entity_id in annotation.iter_entity_ids()
    }
    unchecked = find_unchecked_entities(linked)
    return EntryNames(entries, organisms, frozenset(unchecked), frozenset(linked - unchecked))


def _replace_outdated_identifiers(
    annotations: Sequence[AnnotationData], entries: Mapping[tuple[str, str], NamedEntry]
) -> LoadedResult:
    if not any(entry.current != entry.identifier for entry in entries.values()):
        return LoadedResult(annotations)
    resolved = replace_outdated_identifiers_keeping_reported(annotations, entries)
    return LoadedResult(
        [each.annotation for each in resolved],
        {each.annotation.key: " and ".join(each.reported) for each in resolved if each.reported},
    )
