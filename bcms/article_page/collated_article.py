"""An article with the annotations of all visible producers collated, ready for its template."""

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from annotations.articles.models import Article
from annotations.entity_types import get_type_key
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.loaded_namespaces import find_unchecked_entities
from annotations.identifiers.queries import add_stored_or_copied_successor_entries, find_named_entries
from annotations.results.classification_balance import compute_classification_balance
from annotations.results.heat_map import MentionParts
from annotations.results.models import CARRIED_TEXT
from annotations.results.queries import StoredResult, load_annotations_by_result_id
from annotations.schema import KIND_LABELS, SEVEN_KINDS, AnnotationData, Kind, RelationArgument
from bcms.article_annotations.current_annotations import (
    collect_named_identifiers,
    replace_outdated_identifiers_keeping_reported,
)
from bcms.article_page.entry_names import EntryNames
from bcms.article_page.mention_links import MentionLinks
from bcms.article_page.open_annotations.entity_types import choose_type_of_each_mention, list_mention_types
from bcms.article_page.reader_choice import (
    FIRST_KINDS,
    LISTED_KINDS,
    ReaderChoice,
)
from bcms.article_page.server_status import AnnotationSource
from bcms.article_page.source_results import (
    SourceResult,
    group_results_by_kind,
    keep_annotations_of_type,
    pick_best_results,
)
from bcms.article_page.template_data import AnnotationKindTab, BalanceBar, MarkedPassage, VoteLine
from bcms.article_page.text.marked_text import (
    NO_HIGHLIGHT,
    Highlight,
    MarkedMentions,
    build_marked_passages,
    get_plain_parts,
)
from bcms.article_page.text.text_portions import TextPortions, choose_portions
from evaluation.analyses.calibration_curves import CalibrationKnots

# The kinds that report entries for an article as a whole.
REPORTING_KINDS = (Kind.NORMALIZATION, Kind.ENTITY)


class CollatedArticle:
    """Collates once; each part is computed when the template asks for it."""

    def __init__(
        self,
        article: Article,
        results: Iterable[SourceResult],
        entry_names: EntryNames,
        choice: ReaderChoice,
        curves: Mapping[tuple[str, Kind], CalibrationKnots],
        known_slugs: Collection[str],
    ) -> None:
        """curves: the calibration curves by slug of the server and kind. known_slugs: the servers to choose from."""
        self.article = article
        self.curves = curves
        self.choice = choice
        self.source_results = pick_best_results(results)
        self.entry_names = entry_names
        self.slugs = [slug for slug in choice.filters.servers if slug in known_slugs]
        self.server_count = len(known_slugs)
        self.unfiltered_results_by_kind = group_results_by_kind(self.source_results)
        # The results that the page shows: those of the chosen servers, of all if none is chosen.
        chosen = [result for result in self.source_results if result.source.slug in self.slugs]
        self.results_by_kind = group_results_by_kind(chosen) if self.slugs else self.unfiltered_results_by_kind
        # The types of mentions to choose from, and the chosen one; its mentions are the only ones to show.
        self.mention_types = list_mention_types([annotation for _, annotation in self.iter_annotations(Kind.MENTION)])
        key = get_type_key(choice.entity_type)
        self.chosen_type = next((each for each in self.mention_types if each.key == key), None)
        if self.chosen_type:
            self.results_by_kind = {
                **self.results_by_kind,
                Kind.MENTION: keep_annotations_of_type(self.results_by_kind[Kind.MENTION], self.chosen_type),
            }

    def count_servers(self, *kinds: Kind) -> int:
        """The number of servers that annotated any of these kinds, including those without any annotation."""
        return len({producer for kind in kinds for producer in self.results_by_kind[kind]})

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
            return len(self.mention_links.mentions)
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
    def _mentions_by_producer(self) -> dict[int, list[MentionParts]]:
        """The parts of all mentions that each server marks; computed once, as long texts have many thousands."""
        return {
            producer: [parts for annotation in result.annotations if (parts := get_plain_parts(annotation))]
            for producer, result in self.results_by_kind[Kind.MENTION].items()
        }

    @cached_property
    def passages(self) -> Sequence[MarkedPassage]:
        """The title and the passages of the portions that are shown."""
        portions, title_end = self.portions, len(self.article.passages[0]["text"]) if self.article.passages else 0
        start, end = portions.offsets[portions.first - 1], portions.offsets[portions.last]
        spans = {
            producer: [part for each in mentions for part in each if start <= part[0] < end or part[0] < title_end]
            for producer, mentions in self._mentions_by_producer.items()
        }
        mentions = (annotation for _, annotation in self.iter_annotations(Kind.MENTION))
        types = choose_type_of_each_mention(mentions, self.mention_types) if self.mention_types else None
        marks = MarkedMentions(self.mention_links.mentions, types, self.unmarked_ends)
        passages = build_marked_passages(self.article.text, self.article.passages, spans, self.highlight, marks)
        numbers = list(dict.fromkeys([0, *portions.passages])) if passages else []
        return [passages[number] for number in numbers]

    @cached_property
    def unmarked_ends(self) -> list[MentionParts]:
        """The mentions that relations name and no server marks."""
        ends = (
            argument.spans
            for _, relation in self.iter_annotations(Kind.RELATION)
            for argument in relation.arguments
            if argument.spans
        )
        return [end for end in dict.fromkeys(ends) if not self.mention_links.has_mention(end)]

    @cached_property
    def mention_links(self) -> MentionLinks:
        entries = self.entry_names.entries
        links: dict[MentionParts, dict[NamedEntry, None]] = {}
        for _, mention in self.iter_annotations(Kind.MENTION):
            for each in mention.identifiers if mention.identifiers and mention.parts else ():
                links.setdefault(mention.parts, {})[entries.get(each) or NamedEntry(*each)] = None
        reported = {(a.database, a.identifier) for kind in REPORTING_KINDS for _, a in self.iter_annotations(kind)}
        return MentionLinks(
            self.article.text,
            chain.from_iterable(self._mentions_by_producer.values()),
            [entry for key, entry in entries.items() if key in reported],
            links,
        )

    def count_linked_mentions(self, key: tuple[str, str]) -> int:
        """The number of mentions that servers link to the entry with this database and identifier."""
        linked = self.mention_links.given_links.values()
        return sum(any((entry.database, entry.identifier) == key for entry in entries) for entries in linked)

    def list_end_name_keys(self, argument: RelationArgument) -> list[str]:
        """The name keys of what stands for one end of a relation in the text."""
        links = self.mention_links
        keys = [links.get_name_key(argument.spans)] if argument.spans else []
        keys += [key for each in argument.identifiers for key in links.names_by_entry.get(each, ())]
        return list(dict.fromkeys(keys))

    def list_given_types(self, annotations: Sequence[AnnotationData]) -> list[str]:
        """The types that are given to a mention, as they are spelled: the first if the text has one colour."""
        spellings: dict[str, str] = {}
        for spelling in filter(None, (annotation.type for annotation in annotations)):
            spellings.setdefault(get_type_key(spelling), spelling)
        given = list(spellings.values())
        return given if self.mention_types else given[:1]

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
        relations = (relation for _, relation in self.iter_annotations(Kind.RELATION))
        chosen = (relation for relation in relations if self.build_row_id(relation) == self.choice.relation)
        ends = [argument for relation in chosen for argument in relation.arguments]
        return Highlight(frozenset(key for end in ends for key in self.list_end_name_keys(end)))

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

    def is_chosen(self, annotation: AnnotationData) -> bool:
        if self.choice.relation and annotation.kind == Kind.RELATION:
            return self.build_row_id(annotation) == self.choice.relation
        if self.chosen_mention is None:
            return False
        if annotation.kind == Kind.MENTION:
            return annotation.parts == self.chosen_mention
        if any(argument.spans == self.chosen_mention for argument in annotation.arguments):
            return True
        return any(entity_id in self.chosen_entries for entity_id in annotation.iter_entity_ids())

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
    names = _build_entry_names(source_results, entries, organisms)
    known_slugs = {source.slug for source in sources}
    return CollatedArticle(article, source_results, names, choice, curve_by_slug_and_kind, known_slugs)


def _build_entry_names(
    results: Sequence[SourceResult],
    entries: Mapping[tuple[str, str], NamedEntry],
    organisms: Mapping[tuple[str, str], NamedEntry],
) -> EntryNames:
    """The names, and which identifiers of links, entities and relations are not checked: 1 query if there are any."""
    annotations = (annotation for result in results for annotation in result.annotations)
    linked = {
        entity_id
        for annotation in annotations
        if annotation.identifiers or annotation.kind not in SEVEN_KINDS
        for entity_id in annotation.iter_entity_ids()
    }
    unchecked = find_unchecked_entities(linked)
    return EntryNames(entries, organisms, frozenset(unchecked), frozenset(linked - unchecked))


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


def _name_text_before_move(result: StoredResult) -> str:
    """From which text annotations were moved, "" if they were not."""
    if result.moved_from is None:
        return ""
    return "the text in the answer" if result.moved_from == CARRIED_TEXT else "an earlier text"
