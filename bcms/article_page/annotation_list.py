"""The list of annotations of one kind: filtered, ordered and paginated, each with the servers that report it."""

import zlib
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property

from annotations.results.collation import AnnotationGroup, group_annotations_by_key
from annotations.schema import AnnotationData, Kind
from bcms.article_page.collated_article import CollatedArticle
from bcms.article_page.reader_choice import WITHOUT_ORGANISM, format_filters
from bcms.article_page.template_data import AnnotationRow, FilterOption, VoteLine

LIST_PAGE_SIZE = 300


class AnnotationList:
    """The annotations of the open kind, by the chosen servers only if the reader chose any."""

    def __init__(self, reading: CollatedArticle) -> None:
        self.reading = reading
        self.kind = reading.kind
        self.filters = reading.choice.filters
        self.results = reading.chosen_results[self.kind]

    @property
    def total(self) -> int:
        """The number of listed servers that annotated this kind."""
        return len(self.results)

    @cached_property
    def groups(self) -> list[AnnotationGroup]:
        annotations = {producer: result.annotations for producer, result in self.results.items()}
        return group_annotations_by_key(annotations, self.reading.choice.order)

    @cached_property
    def kept(self) -> list[AnnotationGroup]:
        """The groups that pass the filters."""
        if not self.filters.narrow:
            return self.groups
        passes = self.filters.passes_group
        return [g for g in self.groups if passes(g, self.total, self.collect_group_taxa(g.annotation))]

    @property
    def hidden(self) -> int:
        """The number of annotations that the filters hide."""
        return self.reading.numbers.get(self.kind, 0) - len(self.kept)

    def collect_group_taxa(self, annotation: AnnotationData) -> Collection[int]:
        """The taxon numbers of an annotation; for a mention, those of the entries it may refer to."""
        if annotation.kind == Kind.MENTION:
            name_key = self.list_name_keys(annotation)[0][0]
            entries = self.reading.mention_links.entries_by_name.get(name_key, ())
            return {entry.taxon for entry in entries if entry.taxon}
        if annotation.kind == Kind.TAXON:
            return {int(annotation.identifier)} if annotation.identifier.isdecimal() else set()
        return self.reading.entry_names.collect_taxa(annotation)

    # Pages

    @cached_property
    def page(self) -> int:
        """The page of the list, from 1: the requested one, or the one that holds the reader's choice."""
        if self.reading.choice.page:
            return min(self.reading.choice.page, self.pages)
        chosen = (number for number, g in enumerate(self.kept) if self.reading.is_chosen(g.annotation))
        return next(chosen, 0) // LIST_PAGE_SIZE + 1

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.kept) // LIST_PAGE_SIZE))

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
        return self.first_row + len(self.rows) - 1

    @cached_property
    def rows(self) -> list[AnnotationRow]:
        return [self.build_row(g) for g in self.kept[self.first_row - 1 :][:LIST_PAGE_SIZE]]

    def build_row(self, group: AnnotationGroup) -> AnnotationRow:
        annotation = group.annotation
        name_keys = self.list_name_keys(annotation)
        return AnnotationRow(
            id=f"r{zlib.crc32(repr((annotation.kind, annotation.key)).encode()):08x}",
            text=annotation.text,
            type=annotation.type,
            mention=f"{annotation.start}-{annotation.end}" if annotation.kind == Kind.MENTION else "",
            choice_query=self.build_choice_query(annotation, name_keys),
            name_keys=" ".join(key for keys in name_keys for key in keys),
            references=self.reading.entry_names.list_references(annotation),
            count=group.count,
            total=self.total,
            mean=group.mean,
            lines=self.build_vote_lines(group),
            chosen=self.reading.is_chosen(annotation),
        )

    def build_vote_lines(self, group: AnnotationGroup) -> list[VoteLine]:
        annotation = group.annotation
        return [
            self.reading.build_vote_line(
                annotation.kind,
                vote.producer,
                vote.confidence,
                vote.rank,
                self.reading.format_reported_identifiers(vote.producer, annotation),
            )
            for vote in group.votes
        ]

    def list_name_keys(self, annotation: AnnotationData) -> list[Sequence[str]]:
        """The name keys of the marks that an annotation refers to, one sequence for each of its entries."""
        mention_links = self.reading.mention_links
        if annotation.start is not None and annotation.end is not None:
            return [[mention_links.get_name_key((annotation.start, annotation.end))]]
        identifiers = [identifier for identifier in (annotation.identifier, annotation.partner) if identifier]
        return [mention_links.names_by_entry.get((annotation.database, name), ()) for name in identifiers]

    def build_choice_query(self, annotation: AnnotationData, name_keys: Sequence[Sequence[str]]) -> str:
        """The end of the URL that chooses an annotation: its span, or the first mentions of its entries."""
        if annotation.kind == Kind.MENTION:
            return f"{annotation.start}-{annotation.end}"
        return "&beside=".join(self.reading.mention_links.format_first_span(keys) for keys in name_keys if keys)

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
            for result in self.reading.results_by_kind[self.kind].values()
        ]

    @cached_property
    def taxa_found(self) -> list[FilterOption]:
        """The organisms of this kind, the most frequent first, and the chosen one even if there are none of it."""
        if self.kind in WITHOUT_ORGANISM:
            return []
        counts = Counter(taxon for g in self.groups for taxon in self.collect_group_taxa(g.annotation))
        chosen = self.filters.taxon
        taxa = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        taxa += [(chosen, 0)] if chosen and chosen not in counts else []
        return [
            FilterOption(str(taxon), self.reading.entry_names.format_organism(taxon), count, taxon == chosen)
            for taxon, count in taxa
        ]
