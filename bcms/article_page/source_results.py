"""The current Results of an article with their sources, and which of them the page shows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotations.entity_types import get_type_key
from annotations.results.queries import StoredResult
from annotations.schema import AnnotationData, Kind
from bcms.article_page.open_annotations.entity_types import MentionType
from bcms.article_page.server_status import AnnotationSource


@dataclass(frozen=True, slots=True)
class SourceResult:
    """One current Result with its source, and its annotations with current identifiers.

    reported: the identifiers that the server reported, by the key of each annotation where they were replaced.
    """

    source: AnnotationSource
    result: StoredResult
    annotations: Sequence[AnnotationData]
    reported: Mapping[tuple[object, ...], str] = field(default_factory=dict)


def pick_best_results(results: Iterable[SourceResult]) -> list[SourceResult]:
    """One result for each server and kind: that of its LIVE queue rather than one from a phase."""
    best: dict[tuple[int, Kind], SourceResult] = {}
    for result in sorted(results, key=lambda each: not each.source.live):
        best.setdefault((result.source.server, result.result.kind), result)
    return list(best.values())


def keep_annotations_of_type(results: Mapping[int, SourceResult], mention_type: MentionType) -> dict[int, SourceResult]:
    """The results with their mentions of this type alone, without those that have mentions of other types only.

    Annotators of other types say nothing about this one: with them, no mention would be that of all servers.
    """
    kept = {}
    for producer, result in results.items():
        keys = [get_type_key(each.type) for each in result.annotations]
        if mention_type.key in keys or not any(keys):
            of_type = [each for each, key in zip(result.annotations, keys, strict=True) if key == mention_type.key]
            kept[producer] = replace(result, annotations=of_type)
    return kept


def group_results_by_kind(results: Iterable[SourceResult]) -> dict[Kind, dict[int, SourceResult]]:
    """The results by kind, then by producer; every kind is a key."""
    by_kind: dict[Kind, dict[int, SourceResult]] = {kind: {} for kind in Kind}
    for result in results:
        by_kind[result.result.kind][result.source.producer] = result
    return by_kind
