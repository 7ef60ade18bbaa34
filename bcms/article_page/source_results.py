"""The current Results of an article with their sources, and which of them the page shows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from annotations.results.queries import StoredResult
from annotations.schema import AnnotationData, Kind
from bcms.article_page.collation.loaded_annotations import LoadedResult
from bcms.article_page.server_status import AnnotationSource


@dataclass(frozen=True, slots=True)
class SourceResult:
    """One current Result with its source and its annotations."""

    source: AnnotationSource
    result: StoredResult
    loaded: LoadedResult

    @property
    def annotations(self) -> Sequence[AnnotationData]:
        return self.loaded.annotations

    def with_annotations(self, annotations: Sequence[AnnotationData]) -> "SourceResult":
        """The same with some of its annotations."""
        return replace(self, loaded=replace(self.loaded, annotations=annotations))


def pick_best_results(results: Iterable[SourceResult]) -> list[SourceResult]:
    """One result for each server and kind: that of its LIVE queue rather than one from a phase."""
    best: dict[tuple[int, Kind], SourceResult] = {}
    for result in sorted(results, key=lambda each: not each.source.live):
        best.setdefault((result.source.server, result.result.kind), result)
    return list(best.values())


def group_results_by_kind(results: Iterable[SourceResult]) -> dict[Kind, dict[int, SourceResult]]:
    """The results by kind, then by producer; every kind is a key."""
    by_kind: dict[Kind, dict[int, SourceResult]] = {kind: {} for kind in Kind}
    for result in results:
        by_kind[result.result.kind][result.source.producer] = result
    return by_kind
