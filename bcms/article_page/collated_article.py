"""An article with the annotations of all visible producers collated, ready for its template."""

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from annotations.articles.models import Article
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.queries import add_stored_or_copied_successor_entries, find_named_entries
from annotations.results.classification_balance import compute_classification_balance
from annotations.results.heat_map import MarkedRange
from annotations.results.queries import StoredResult, load_annotations_by_result_id
from annotations.schema import KIND_LABELS, AnnotationData, Kind
from bcms.article_annotations.current_annotations import (
    collect_named_identifiers,
    replace_outdated_identifiers_keeping_reported,
)
from bcms.article_page.entry_names import EntryNames
from bcms.article_page.marked_text import NO_HIGHLIGHT, Highlight, build_marked_passages
from bcms.article_page.mention_links import MentionLinks
from bcms.article_page.reader_choice import (
    FIRST_KINDS,
    LISTED_KINDS,
    ReaderChoice,
)
from bcms.article_page.server_status import AnnotationSource
from bcms.article_page.template_data import AnnotationKindTab, BalanceBar, MarkedPassage, VoteLine
from evaluation.analyses.calibration_curves import CalibrationKnots


@dataclass(frozen=True, slots=True)
class SourceResult:
    """One current Result with its source, and its annotations with current identifiers.

    reported: the identifiers that the server reported, by the key of each annotation where they were replaced.
    """

    source: AnnotationSource
    result: StoredResult
    annotations: Sequence[AnnotationData]
    reported: Mapping[tuple[object, ...], str] = field(default_factory=dict)


def _pick_best_results(results: Iterable[SourceResult]) -> list[SourceResult]:
    """One result for each server and kind: that of its LIVE queue rather than one from a phase."""
    best: dict[tuple[int, Kind], SourceResult] = {}
    for result in sorted(results, key=lambda each: not each.source.live):
        best.setdefault((result.source.server, result.result.kind), result)
    return list(best.values())


def _group_results_by_kind(results: Iterable[SourceResult]) -> dict[Kind, dict[int, SourceResult]]:
    """The results by kind, then by producer; every kind is a key."""
    by_kind: dict[Kind, dict[int, SourceResult]] = {kind: {} for kind in Kind}
    for result in results:
        by_kind[result.result.kind][result.source.producer] = result
    return by_kind


class CollatedArticle:
    """Collates once; each part is computed when the template asks for it."""

    def __init__(
        self,
        article: Article,
        results: Iterable[SourceResult],
        entries: Mapping[tuple[str, str], NamedEntry],
        organisms: Mapping[tuple[str, str], NamedEntry],
        choice: ReaderChoice,
        curves: Mapping[tuple[str, Kind], CalibrationKnots],
        known_slugs: Collection[str],
    ) -> None:
        """curves: the calibration curves by slug of the server and kind. known_slugs: the servers to choose from."""
        self.article = article
        self.curves = curves
        self.choice = choice
        self.source_results = _pick_best_results(results)
        self.entry_names = EntryNames(entries, organisms)
        self.slugs = [slug for slug in choice.filters.servers if slug in known_slugs]
        self.server_count = len(known_slugs)
        self.unfiltered_results_by_kind = _group_results_by_kind(self.source_results)
        # The results that the page shows: those of the chosen servers, of all if none is chosen.
        chosen = [result for result in self.source_results if result.source.slug in self.slugs]
        self.results_by_kind = _group_results_by_kind(chosen) if self.slugs else self.unfiltered_results_by_kind

    def count_servers(self, kind: Kind) -> int:
        """The number of servers that annotated this kind, including those without any annotation."""
        return len(self.results_by_kind[kind])

    def iter_annotations(self, kind: Kind) -> Iterator[tuple[int, AnnotationData]]:
        """All annotations of one kind, each with its producer."""
        for producer, result in self.results_by_kind[kind].items():
            for annotation in result.annotations:
                yield producer, annotation

    @cached_property
    def numbers(self) -> dict[Kind, int]:
        """The number of annotations of each kind, for the kinds that any server annotated."""
        return {kind: self.count_annotations(kind) for kind in LISTED_KINDS if self.unfiltered_results_by_kind[kind]}

    def count_annotations(self, kind: Kind) -> int:
        """The number of different mentions, genes, pairs of genes and so on.

        Unverified ones count only if none is verified.
        """
        if kind == Kind.MENTION:
            return len(self.mention_links.spans)
        annotations = [annotation for _, annotation in self.iter_annotations(kind)]
        verified = [annotation for annotation in annotations if self.entry_names.is_verified(annotation)]
        return len({self.entry_names.get_group_key(annotation) for annotation in verified or annotations})

    @cached_property
    def kind(self) -> Kind:
        """The kind whose list is open."""
        if self.choice.kind:
            return self.choice.kind
        return next((kind for kind in (*FIRST_KINDS, *LISTED_KINDS) if self.numbers.get(kind)), Kind.NORMALIZATION)

    @cached_property
    def tabs(self) -> list[AnnotationKindTab]:
        kinds = [kind for kind in LISTED_KINDS if kind in self.numbers or kind == self.kind]
        return [AnnotationKindTab(kind, KIND_LABELS[kind], self.numbers.get(kind, 0)) for kind in kinds]

    # The text with its heat map

    @property
    def looked(self) -> int:
        """The number of servers whose mentions are marked in the text."""
        return self.count_servers(Kind.MENTION)

    @property
    def text_signature(self) -> str:
        """A checksum that changes whenever the marked text does, apart from the reader's choice."""
        state = (
            self.article.pk,
            self.article.text_version,
            sorted(result.result.id for result in self.results_by_kind[Kind.MENTION].values()),
        )
        return f"{zlib.crc32(repr(state).encode()):08x}"

    @cached_property
    def passages(self) -> Sequence[MarkedPassage]:
        spans = {
            producer: [(a.start, a.end) for a in result.annotations if a.start is not None and a.end is not None]
            for producer, result in self.results_by_kind[Kind.MENTION].items()
        }
        return build_marked_passages(self.article.text, self.article.passages, spans, self.highlight)

    @cached_property
    def mention_links(self) -> MentionLinks:
        mentions = self.iter_annotations(Kind.MENTION)
        spans = ((a.start, a.end) for _, a in mentions if a.start is not None and a.end is not None)
        reported = {(a.database, a.identifier) for _, a in self.iter_annotations(Kind.NORMALIZATION)}
        return MentionLinks(
            self.article.text, spans, [entry for key, entry in self.entry_names.entries.items() if key in reported]
        )

    # The reader's choice

    @cached_property
    def chosen_span(self) -> MarkedRange | None:
        span = self.choice.mention
        return span if span and self.mention_links.has_span(span) else None

    @cached_property
    def highlight(self) -> Highlight:
        """The marks that stand out in the text."""
        span = self.chosen_span
        return Highlight(self.mention_links.find_equivalent_names(span), span) if span else NO_HIGHLIGHT

    @cached_property
    def chosen_entries(self) -> set[tuple[str, str]]:
        """The (database, identifier) of each entry that the chosen mention may refer to."""
        if self.chosen_span is None:
            return set()
        entries = self.mention_links.entries_by_name[self.mention_links.get_name_key(self.chosen_span)]
        return {(entry.database, entry.identifier) for entry in entries}

    def is_chosen(self, annotation: AnnotationData) -> bool:
        if self.chosen_span is None:
            return False
        if annotation.kind == Kind.MENTION:
            return (annotation.start, annotation.end) == self.chosen_span
        identifiers = (annotation.identifier, annotation.partner)
        return any((annotation.database, identifier) in self.chosen_entries for identifier in identifiers if identifier)

    # The votes

    def format_reported_identifiers(self, producer: int, annotation: AnnotationData) -> str:
        """The identifiers that the server reported, empty if they are still current."""
        reported = self.results_by_kind[annotation.kind][producer].reported.get(annotation.key)
        return f"as {reported}" if reported else ""

    def build_vote_line(self, producer: int, annotation: AnnotationData, answer: str = "") -> VoteLine:
        kind, confidence = annotation.kind, annotation.confidence
        source, result = self.results_by_kind[kind][producer].source, self.results_by_kind[kind][producer].result
        curve = self.curves.get((source.slug, kind))
        return VoteLine(
            source,
            confidence,
            annotation.rank,
            result.received,
            result.duration,
            result.id,
            answer,
            calibrated=curve.calibrate(confidence) if curve and confidence is not None else None,
            version=result.stated_version,
        )

    @cached_property
    def bar(self) -> BalanceBar | None:
        """The servers' yes or no on the article; None if no server classified it."""
        classifications = [
            (producer, result.annotations[0])
            for producer, result in self.results_by_kind[Kind.CLASSIFICATION].items()
            if result.annotations
        ]
        balance = compute_classification_balance(annotation for _, annotation in classifications)
        if balance is None:
            return None
        return BalanceBar(
            balance,
            [
                self.build_vote_line(producer, annotation, "yes" if annotation.relevant else "no")
                for producer, annotation in classifications
            ],
        )


def load_collated_article(
    article: Article,
    sources: list[AnnotationSource],
    results: list[StoredResult],
    choice: ReaderChoice,
    curve_by_slug_and_kind: Mapping[tuple[str, Kind], CalibrationKnots],
) -> CollatedArticle:
    """Read the annotations of the results, and the entries and organisms that they name."""
    by_producer = {source.producer: source for source in sources}
    annotations_by_result = load_annotations_by_result_id(results)
    entries = add_stored_or_copied_successor_entries(
        find_named_entries(collect_named_identifiers(annotations_by_result))
    )
    source_results = [
        SourceResult(
            by_producer[result.producer],
            result,
            *_resolve_result_identifiers(annotations_by_result.get(result.id, ()), entries),
        )
        for result in results
    ]
    taxa = {a.taxon for annotations in annotations_by_result.values() for a in annotations if a.taxon}
    taxa |= {entry.taxon for entry in entries.values() if entry.taxon}
    organisms = find_named_entries(("ncbitaxon", str(taxon)) for taxon in taxa)
    known_slugs = {source.slug for source in sources}
    return CollatedArticle(article, source_results, entries, organisms, choice, curve_by_slug_and_kind, known_slugs)


def _resolve_result_identifiers(
    annotations: Sequence[AnnotationData], entries: Mapping[tuple[str, str], NamedEntry]
) -> tuple[list[AnnotationData], dict[tuple[object, ...], str]]:
    """The annotations with current identifiers, and the reported identifiers by key of those that this changed."""
    if not any(entry.current != entry.identifier for entry in entries.values()):
        return list(annotations), {}
    resolved = replace_outdated_identifiers_keeping_reported(annotations, entries)
    return [each.annotation for each in resolved], {
        each.annotation.key: " and ".join(each.reported) for each in resolved if each.reported
    }


def list_annotating_producers(reading: CollatedArticle) -> set[int]:
    """The producers of at least one annotation."""
    return {result.source.producer for result in reading.source_results if result.annotations}
