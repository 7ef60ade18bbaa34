"""The list of annotations of one kind: filtered, ordered and paginated, each with the servers that report it."""

from collections.abc import Sequence
from functools import cached_property

from annotations.results.collation import (
    AnnotationGroup,
    FoldedGroups,
    ProducerVote,
    fold_groups,
)
from annotations.schema import AnnotationData, Kind
from bcms.article_page.collated_article import CollatedArticle
from bcms.article_page.collation.collated_annotations import MOST_SINGLE
from bcms.article_page.open_annotations.entity_types import format_type_names, get_shown_type
from bcms.article_page.open_annotations.relation_ends import build_relation_row
from bcms.article_page.reader_choice import WITHOUT_ORGANISM, format_filters
from bcms.article_page.template_data import AnnotationRow, FilterOption, VoteLine
from bcms.article_page.text.marked_text import format_parts

# Of a long list, whatever is chosen brings the page with its row: more rows make each choice slower.
LIST_PAGE_SIZE = 50


class AnnotationList:
    """The annotations of one kind, those of one gene together."""

    def __init__(self, reading: CollatedArticle, kind: Kind) -> None:
        self.reading = reading
        self.kind = kind
        self.filters = reading.choice.filters
        self.results = reading.results_by_kind[self.kind]

    @property
    def total(self) -> int:
        """The number of listed servers that annotated this kind."""
        return len(self.results)

    @property
    def groups(self) -> list[AnnotationGroup]:
        return self.reading.collated.list_groups(self.kind, self.reading.choice.order)

    @cached_property
    def kept(self) -> list[AnnotationGroup]:
        """The groups that pass the filters."""
        if not self.filters.narrow:
            return self.groups
        passes = self.filters.passes_group
        return [g for g in self.groups if passes(g, self.total, self.reading.collated.collect_taxa(g))]

    @property
    def hidden(self) -> int:
        """The number of annotations that the filters hide."""
        return len(self.groups) - len(self.kept)

    # Folds

    @cached_property
    def folded(self) -> FoldedGroups:
        if self.filters.narrow:
            folded = fold_groups(self.kept, MOST_SINGLE)
        else:
            folded = self.reading.collated.list_folded(self.kind, self.reading.choice.order)
        return folded.unfold(self._chosen) if self._chosen else folded

    @cached_property
    def open_groups(self) -> Sequence[AnnotationGroup]:
        """The groups to show on the pages of the list."""
        show, folded = self.reading.choice.show, self.folded
        if (show.single or not folded.single) and (show.unverified or not folded.unverified):
            return self.kept
        closed = [*([] if show.single else folded.single), *([] if show.unverified else folded.unverified)]
        closed_ids = {id(group) for group in closed}
        return [group for group in self.kept if id(group) not in closed_ids]

    @property
    def verified(self) -> int:
        """The number of annotations without the folded unverified ones."""
        return len(self.kept) - len(self.folded.unverified)

    def is_chosen(self, group: AnnotationGroup) -> bool:
        return id(group) in self._chosen

    @cached_property
    def _chosen(self) -> frozenset[int]:
        """The ids of the groups with the reader's choice."""
        return frozenset(map(id, self.reading.list_chosen_groups()))

    # Pages

    @cached_property
    def page(self) -> int:
        """The page of the list, from 1: the requested one, or the one that holds the reader's choice."""
        if self.reading.choice.page:
            return min(self.reading.choice.page, self.pages)
        chosen = (number for number, group in enumerate(self.open_groups) if self.is_chosen(group))
        return next(chosen, 0) // LIST_PAGE_SIZE + 1 if self._chosen else 1

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.open_groups) // LIST_PAGE_SIZE))

    @property
    def before(self) -> int:
        """The number of the previous page, 0 for none."""
        return self.page - 1

    @property
    def after(self) -> int:
        """The number of the next page, 0 for none."""
        return self.page + 1 if self.page < self.pages else 0

    @property
    def first_row(self) -> int:
        return (self.page - 1) * LIST_PAGE_SIZE + 1

    @property
    def last_row(self) -> int:
        return self.first_row + len(self.page_groups) - 1

    @cached_property
    def page_groups(self) -> Sequence[AnnotationGroup]:
        return self.open_groups[self.first_row - 1 :][:LIST_PAGE_SIZE]

    @cached_property
    def row_ids(self) -> list[str]:
        return [self.reading.build_row_id(group.annotation) for group in self.page_groups]

    @property
    def chosen_row_ids(self) -> str:
        rows = zip(self.row_ids, self.page_groups, strict=True)
        return " ".join(row_id for row_id, group in rows if self.is_chosen(group))

    @cached_property
    def rows(self) -> list[AnnotationRow]:
        return [self.build_row(group) for group in self.page_groups]

    def build_row(self, group: AnnotationGroup) -> AnnotationRow:
        annotation = group.annotation
        name_keys = self.list_name_keys(group.annotations)
        entities = self.reading.entry_names.list_entities(self._list_distinct_annotations(group))
        quoted = annotation.kind not in (Kind.MENTION, Kind.LABEL) and annotation.text not in [
            e.title for e in entities
        ]
        return AnnotationRow(
            id=self.reading.build_row_id(annotation),
            text=annotation.text,
            quote=annotation.text if quoted else "",
            type=self._format_types(group),
            mention=format_parts(annotation.parts),
            choice_query=self.build_choice_query(annotation, name_keys),
            name_keys=" ".join(key for keys in name_keys for key in keys),
            entities=entities,
            count=group.count,
            total=self.total,
            mean=group.mean,
            lines=self.build_vote_lines(group),
            chosen=self.is_chosen(group),
            relation=build_relation_row(annotation, self.reading.article.text, self.reading.entry_names),
        )

    def _list_distinct_annotations(self, group: AnnotationGroup) -> Sequence[AnnotationData]:
        """Those of the group; of a mention, those of all its votes, which can differ in their links."""
        if self.kind != Kind.MENTION:
            return group.annotations
        return [vote.annotation for vote in group.votes if vote.annotation.identifiers]

    def _format_types(self, group: AnnotationGroup) -> str:
        """The type of an annotation; all types that servers give a mention, if the text has several."""
        if self.kind == Kind.MENTION:
            return format_type_names(self.reading.collated.list_given_types([vote.annotation for vote in group.votes]))
        return get_shown_type(group.annotation)

    def build_vote_lines(self, group: AnnotationGroup) -> list[VoteLine]:
        several = len(group.annotations) > 1
        return [
            self.reading.build_vote_line(
                vote.producer, vote.annotation, self._format_answer(vote, with_identifier=several)
            )
            for vote in group.votes
        ]

    def _format_answer(self, vote: ProducerVote, *, with_identifier: bool) -> str:
        """The identifier of a vote, and what the server reported where that is outdated."""
        names = self.reading.entry_names.list_references(vote.annotation) if with_identifier else []
        identifiers = " and ".join(f"{name.database} {name.identifier}" for name in names)
        reported = self.reading.format_reported_identifiers(vote.producer, vote.annotation)
        return " ".join(filter(None, (identifiers, reported)))

    def list_name_keys(self, annotations: Sequence[AnnotationData]) -> list[Sequence[str]]:
        """The name keys of the marks that annotations of one group refer to, one sequence for each entity."""
        mention_links, first = self.reading.mention_links, annotations[0]
        if parts := first.parts:
            return [[mention_links.get_name_key(parts)]]
        if first.kind == Kind.RELATION:
            return [self.reading.collated.list_end_name_keys(argument) for argument in first.arguments]
        names = self.reading.entry_names
        keys_by_gene: dict[tuple[str, str], dict[str, None]] = {}
        for annotation in annotations:
            for entity_id in annotation.iter_entity_ids():
                keys = keys_by_gene.setdefault(names.get_gene_key(*entity_id), {})
                keys.update(dict.fromkeys(mention_links.names_by_entry.get(entity_id, ())))
        return [list(keys) for keys in keys_by_gene.values()]

    def build_choice_query(self, annotation: AnnotationData, name_keys: Sequence[Sequence[str]]) -> str:
        """The end of the URL that chooses an annotation: its parts, or the first mentions of its entries.

        Of a relation, the first mention that is marked.
        """
        links = self.reading.mention_links
        if annotation.kind == Kind.MENTION:
            return format_parts(annotation.parts)
        first = [links.format_first_mention(keys) for keys in name_keys]
        if annotation.kind == Kind.RELATION:
            ends = [argument.spans for argument in annotation.arguments if links.has_mention(argument.spans)]
            return format_parts(ends[0]) if ends else next(filter(None, first), "")
        return "&beside=".join(filter(None, first))

    # Filters

    @cached_property
    def filter_sentence(self) -> str:
        """The filters as a sentence, empty for none."""
        names = [option.label for option in self.servers if option.on]
        organism = self.reading.entry_names.format_organism(self.filters.taxon)
        return format_filters(self.filters, self.kind, organism, names, self.total)

    @cached_property
    def servers(self) -> list[FilterOption]:
        """The servers that annotated this kind, with the number of annotations of each."""
        return [
            FilterOption(
                result.source.slug,
                result.source.label,
                len(result.annotations),
                result.source.slug in self.reading.slugs,
            )
            for result in self.reading.unfiltered_results_by_kind[self.kind].values()
        ]

    @cached_property
    def taxa_found(self) -> list[FilterOption]:
        """The organisms of this kind, the most frequent first, and the chosen one even if there are none of it."""
        if self.kind in WITHOUT_ORGANISM:
            return []
        counts = self.reading.collated.count_taxa(self.kind)
        chosen = self.filters.taxon
        taxa = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        taxa += [(chosen, 0)] if chosen and chosen not in counts else []
        return [
            FilterOption(str(taxon), self.reading.entry_names.format_organism(taxon), count, taxon == chosen)
            for taxon, count in taxa
        ]
