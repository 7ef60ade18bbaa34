"""An article with the annotations of all visible producers collated, ready for its template."""

import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property

from annotations.articles.models import Article
from annotations.entity_types import get_type_key
from annotations.results.classification_balance import compute_classification_balance
from annotations.results.collation import AnnotationGroup
from annotations.results.heat_map import MentionParts
from annotations.results.models import CARRIED_TEXT
from annotations.results.queries import StoredResult
from annotations.schema import KIND_LABELS, AnnotationData, Kind
from bcms.article_page.collation.loaded_annotations import LoadedAnnotations, load_annotations_or_find_kept
from bcms.article_page.mention_links import MentionLinks
from bcms.article_page.open_annotations.entity_types import list_types_of_legend
from bcms.article_page.reader_choice import (
    FIRST_KINDS,
    LISTED_KINDS,
    ReaderChoice,
)
from bcms.article_page.server_status import AnnotationSource
from bcms.article_page.source_results import SourceResult, group_results_by_kind, pick_best_results
from bcms.article_page.template_data import AnnotationKindTab, BalanceBar, MarkedPassage, VoteLine
from bcms.article_page.text.marked_text import NO_HIGHLIGHT, Highlight
from bcms.article_page.text.text_portions import TextPortions, choose_portions
from evaluation.analyses.calibration_curves import CalibrationKnots


class CollatedArticle:
    """What a reader sees of the annotations; each part is computed when the template asks for it.

    collated: the annotations that the reader has chosen, as they are for everybody.
    """

    def __init__(
        self,
        article: Article,
        sources: Sequence[AnnotationSource],
        results: Sequence[StoredResult],
        loaded: LoadedAnnotations,
        choice: ReaderChoice,
        curves: Mapping[tuple[str, Kind], CalibrationKnots],
    ) -> None:
        """sources: the servers to choose from. curves: the calibration curves by slug of the server and kind."""
        self.article = article
        self.curves = curves
        self.choice = choice
        by_producer = {source.producer: source for source in sources}
        self.source_results = pick_best_results(
            SourceResult(by_producer[result.producer], result, loaded.results[result.id]) for result in results
        )
        self.entry_names = loaded.names
        known_slugs = {source.slug for source in sources}
        self.slugs = [slug for slug in choice.filters.servers if slug in known_slugs]
        self.server_count = len(known_slugs)
        self.unfiltered_results_by_kind = group_results_by_kind(self.source_results)
        # The results that the page shows: those of the chosen servers, of all if none is chosen.
        chosen = [each for each in self.source_results if not self.slugs or each.source.slug in self.slugs]
        self.results_by_kind = group_results_by_kind(chosen) if self.slugs else self.unfiltered_results_by_kind
        self.collated = loaded.collate([each.result for each in chosen])
        # The types of mentions to choose from, and the chosen one; its mentions are the only ones to show.
        self.mention_types = self.collated.mention_types
        key = get_type_key(choice.entity_type)
        self.chosen_type = next((each for each in self.mention_types if each.key == key), None)
        self.legend_types = list_types_of_legend(self.mention_types, self.chosen_type)
        if self.chosen_type:
            self.collated = loaded.collate([each.result for each in chosen], self.chosen_type)
            self.results_by_kind = {**self.results_by_kind, Kind.MENTION: self._keep_results_of_type()}

    @property
    def unlisted_types(self) -> int:
        """The number of types that the legend does not list."""
        return len(self.mention_types) - len(self.legend_types)

    def _keep_results_of_type(self) -> dict[int, SourceResult]:
        results, mentions = self.results_by_kind[Kind.MENTION], self.collated.by_kind[Kind.MENTION]
        return {producer: results[producer].with_annotations(own) for producer, own in mentions.items()}

    @property
    def mention_links(self) -> MentionLinks:
        return self.collated.mention_links

    def count_servers(self, *kinds: Kind) -> int:
        """The number of servers that annotated any of these kinds, including those without any annotation."""
        return len({producer for kind in kinds for producer in self.results_by_kind[kind]})

    @cached_property
    def numbers(self) -> dict[Kind, int]:
        """The number of annotations of each kind, for the kinds that any server annotated."""
        kinds = [kind for kind in LISTED_KINDS if self.unfiltered_results_by_kind[kind]]
        return {kind: self.collated.count_annotations(kind) for kind in kinds}

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
        """A checksum that changes whenever the marked text does, apart from the reader's choice, and the portions that
        are shown.
        """
        state = (
            self.article.pk,
            self.article.text_version,
            sorted(result.result.id for result in self.results_by_kind[Kind.MENTION].values()),
            sorted(result.result.id for result in self.results_by_kind[Kind.RELATION].values()),
            self.chosen_type.key if self.chosen_type else "",
        )
        return f"{zlib.crc32(repr(state).encode()):08x}-{self.portions.first}-{self.portions.last}"

    @cached_property
    def portions(self) -> TextPortions:
        """The portions of the text that are shown: those that are asked for, or that of the chosen mention."""
        position = self.chosen_mention[0][0] if self.chosen_mention else None
        return choose_portions(self.article.passages, self.choice.portion, position)

    @cached_property
    def passages(self) -> Sequence[MarkedPassage]:
        """The title and the passages of the portions that are shown."""
        numbers = dict.fromkeys([0, *self.portions.passages]) if self.article.passages else ()
        return self.collated.marked_text.build_passages(numbers, self.highlight)

    # The reader's choice

    @cached_property
    def chosen_mention(self) -> MentionParts | None:
        mention = self.choice.mention
        return mention if mention and self.mention_links.has_mention(mention) else None

    @cached_property
    def highlight(self) -> Highlight:
        """The marks that stand out in the text: those of the chosen mention, or of the ends of the chosen relation."""
        if self.chosen_mention:
            return Highlight(self.mention_links.find_equivalent_names(self.chosen_mention), self.chosen_mention)
        if not self.choice.relation:
            return NO_HIGHLIGHT
        relations = (relation for _, relation in self.collated.iter_annotations(Kind.RELATION))
        chosen = (relation for relation in relations if self.build_row_id(relation) == self.choice.relation)
        ends = [argument for relation in chosen for argument in relation.arguments]
        return Highlight(frozenset(key for end in ends for key in self.collated.list_end_name_keys(end)))

    def build_row_id(self, annotation: AnnotationData) -> str:
        """The id of its row in the list of its kind, the same for all annotations that count as one."""
        group_key = self.entry_names.get_group_key(annotation)
        return f"r{zlib.crc32(repr((annotation.kind, group_key)).encode()):08x}"

    @cached_property
    def chosen_entries(self) -> set[tuple[str, str]]:
        """The (database, identifier) of each entry that the chosen mention may refer to."""
        if self.chosen_mention is None:
            return set()
        entries = self.mention_links.entries_by_name[self.mention_links.get_name_key(self.chosen_mention)]
        return {(entry.database, entry.identifier) for entry in entries}

    def list_chosen_groups(self) -> list[AnnotationGroup]:
        """The groups of the open kind that show the reader's choice: what the mention may refer to, or the relation."""
        kind, order = self.kind, self.choice.order
        if self.choice.relation and kind == Kind.RELATION:
            groups = self.collated.list_groups(kind, order)
            return [g for g in groups if self.choice.relation in map(self.build_row_id, g.annotations)]
        if self.chosen_mention is None:
            return []
        return self.collated.find_groups_by_reference(kind, order, [self.chosen_mention, *self.chosen_entries])

    # The votes

    def format_reported_identifiers(self, producer: int, annotation: AnnotationData) -> str:
        """The identifiers that the server reported, empty if they are still current."""
        reported = self.results_by_kind[annotation.kind][producer].loaded.reported.get(annotation.key)
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
            moved=_name_text_before_move(result),
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
    sources: Sequence[AnnotationSource],
    results: Sequence[StoredResult],
    choice: ReaderChoice,
    curve_by_slug_and_kind: Mapping[tuple[str, Kind], CalibrationKnots],
) -> CollatedArticle:
    """Read the annotations of the results, and the entries and organisms that they name."""
    loaded = load_annotations_or_find_kept(article, results)
    return CollatedArticle(article, sources, results, loaded, choice, curve_by_slug_and_kind)


def list_annotating_producers(reading: CollatedArticle) -> set[int]:
    """The producers of at least one annotation."""
    return {result.source.producer for result in reading.source_results if result.annotations}


def _name_text_before_move(result: StoredResult) -> str:
    """From which text annotations were moved, "" if they were not."""
    if result.moved_from is None:
        return ""
    return "the text in the answer" if result.moved_from == CARRIED_TEXT else "an earlier text"
