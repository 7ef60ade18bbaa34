"""The annotations of an article side by side, as they are for all readers who see the same Results."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

from annotations.articles.models import Article
from annotations.articles.sentences import split_sentences
from annotations.entity_types import get_type_key
from annotations.identifiers.entries import NamedEntry
from annotations.results.collation import (
    AnnotationGroup,
    FoldedGroups,
    GroupOrder,
    fold_groups,
    group_annotations_by_key,
)
from annotations.results.heat_map import MarkedRange, MentionParts
from annotations.schema import AnnotationData, Kind, RelationArgument
from bcms.article_page.entry_names import EntryNames
from bcms.article_page.mention_links import MentionLinks
from bcms.article_page.open_annotations.entity_types import (
    MentionType,
    choose_type_of_each_mention,
    list_mention_types,
)
from bcms.article_page.text.marked_text import MarkedMentions, MarkedText, get_plain_parts

# The kinds that report entries for an article as a whole.
REPORTING_KINDS = (Kind.NORMALIZATION, Kind.ENTITY)
TAXONOMY = "ncbitaxon"
# How many annotations that one server alone makes are listed for each server before the reader asks for more.
MOST_SINGLE = 20
AnnotationsByProducer = Mapping[int, Sequence[AnnotationData]]
# A mention, or an entry by its database and identifier
GroupReference = MentionParts | tuple[str, str]


@dataclass(frozen=True, slots=True)
class MentionSentence:
    """A sentence, the mentions that begin in it in the order of the text, and the keys of their names."""

    sentence: MarkedRange
    mentions: Sequence[MentionParts]
    name_keys: frozenset[str]


class CollatedAnnotations:
    """Each part is computed when it is asked for first.

    by_kind: for every kind the producers that annotated it, each with its annotations. names: the names of entries and
    organisms in them.
    """

    def __init__(self, article: Article, by_kind: Mapping[Kind, AnnotationsByProducer], names: EntryNames) -> None:
        self.by_kind = by_kind
        self.names = names
        self._text = article.text
        self._passages = article.passages
        self._counts: dict[Kind, int] = {}
        self._groups: dict[tuple[Kind, GroupOrder], list[AnnotationGroup]] = {}
        self._folded: dict[tuple[Kind, GroupOrder], FoldedGroups] = {}
        self._groups_by_reference: dict[tuple[Kind, GroupOrder], Mapping[GroupReference, list[AnnotationGroup]]] = {}
        self._taxa_by_group: dict[int, frozenset[int]] = {}
        self._taxa_counts: dict[Kind, Counter[int]] = {}

    def iter_annotations(self, kind: Kind) -> Iterator[tuple[int, AnnotationData]]:
        """All annotations of one kind, each with its producer."""
        for producer, annotations in self.by_kind[kind].items():
            for annotation in annotations:
                yield producer, annotation

    def count_annotations(self, kind: Kind) -> int:
        """The number of different mentions, genes, pairs of genes and so on.

        Unverified ones count only if none is verified.
        """
        if kind not in self._counts:
            self._counts[kind] = self._count_different(kind)
        return self._counts[kind]

    def _count_different(self, kind: Kind) -> int:
        if kind == Kind.MENTION:
            return len(self.mention_links.mentions)
        annotations = [annotation for _, annotation in self.iter_annotations(kind)]
        verified = [annotation for annotation in annotations if self.names.is_verified(annotation)]
        return len({self.names.get_group_key(annotation) for annotation in verified or annotations})

    # Those that count as one, and their organisms

    def list_groups(self, kind: Kind, order: GroupOrder) -> list[AnnotationGroup]:
        if (kind, order) not in self._groups:
            # Never others in place of those that a thread has already: collect_taxa knows groups by their id.
            self._groups.setdefault((kind, order), self._group_annotations(kind, order))
        return self._groups[kind, order]

    def _group_annotations(self, kind: Kind, order: GroupOrder) -> list[AnnotationGroup]:
        if kind == Kind.MENTION:
            return group_annotations_by_key(self.by_kind[kind], order)
        return group_annotations_by_key(
            self.by_kind[kind], order, get_group_key=self.names.get_group_key, is_verified=self.names.is_verified
        )

    def list_folded(self, kind: Kind, order: GroupOrder) -> FoldedGroups:
        """The groups of list_groups that are not listed at once."""
        if (kind, order) not in self._folded:
            self._folded[kind, order] = fold_groups(self.list_groups(kind, order), MOST_SINGLE)
        return self._folded[kind, order]

    def find_groups_by_reference(
        self, kind: Kind, order: GroupOrder, references: Collection[GroupReference]
    ) -> list[AnnotationGroup]:
        """The groups of list_groups that are at one of these mentions, or name one of these entries."""
        if (kind, order) not in self._groups_by_reference:
            self._groups_by_reference[kind, order] = self._index_groups(kind, order)
        groups = self._groups_by_reference[kind, order]
        return list({id(group): group for each in references for group in groups.get(each, ())}.values())

    def _index_groups(self, kind: Kind, order: GroupOrder) -> Mapping[GroupReference, list[AnnotationGroup]]:
        groups: dict[GroupReference, list[AnnotationGroup]] = {}
        for group in self.list_groups(kind, order):
            for reference in {each for annotation in group.annotations for each in _iter_references(annotation)}:
                groups.setdefault(reference, []).append(group)
        return groups

    def collect_taxa(self, group: AnnotationGroup) -> frozenset[int]:
        """The taxon numbers of the annotations in a group of list_groups."""
        if id(group) not in self._taxa_by_group:
            taxa = frozenset(taxon for annotation in group.annotations for taxon in self._iter_taxa(annotation))
            self._taxa_by_group[id(group)] = taxa
        return self._taxa_by_group[id(group)]

    def _iter_taxa(self, annotation: AnnotationData) -> Iterator[int]:
        """The taxon numbers of an annotation; of a mention, those of the entries it may refer to."""
        if annotation.kind == Kind.MENTION:
            entries = self.mention_links.entries_by_name.get(self.mention_links.get_name_key(annotation.parts), ())
            yield from (entry.taxon for entry in entries if entry.taxon)
        elif annotation.database == TAXONOMY:
            yield from [int(annotation.identifier)] if annotation.identifier.isdecimal() else []
        else:
            yield from self.names.collect_taxa(annotation)

    def count_taxa(self, kind: Kind) -> Counter[int]:
        """How many groups of this kind have each organism."""
        if kind not in self._taxa_counts:
            groups = self.list_groups(kind, GroupOrder.SERVERS)
            self._taxa_counts[kind] = Counter(taxon for group in groups for taxon in self.collect_taxa(group))
        return self._taxa_counts[kind]

    # Mentions, and what they may refer to

    @cached_property
    def mention_types(self) -> list[MentionType]:
        """The types of mentions to choose from."""
        return list_mention_types([annotation for _, annotation in self.iter_annotations(Kind.MENTION)])

    def list_given_types(self, annotations: Sequence[AnnotationData]) -> list[str]:
        """The types that are given to a mention, as they are spelled: the first if the text has one colour."""
        spellings: dict[str, str] = {}
        for spelling in filter(None, (annotation.type for annotation in annotations)):
            spellings.setdefault(get_type_key(spelling), spelling)
        given = list(spellings.values())
        return given if self.mention_types else given[:1]

    @cached_property
    def _parts_by_producer(self) -> dict[int, list[MentionParts]]:
        return {
            producer: [parts for annotation in annotations if (parts := get_plain_parts(annotation))]
            for producer, annotations in self.by_kind[Kind.MENTION].items()
        }

    @cached_property
    def mentions_by_parts(self) -> dict[MentionParts, list[tuple[int, AnnotationData]]]:
        """The annotations of each mention with their producers."""
        by_parts: dict[MentionParts, list[tuple[int, AnnotationData]]] = {}
        for producer, annotation in self.iter_annotations(Kind.MENTION):
            by_parts.setdefault(get_plain_parts(annotation), []).append((producer, annotation))
        return by_parts

    @cached_property
    def mention_links(self) -> MentionLinks:
        entries = self.names.entries
        links: dict[MentionParts, dict[NamedEntry, None]] = {}
        for _, mention in self.iter_annotations(Kind.MENTION):
            for each in mention.identifiers if mention.identifiers and mention.parts else ():
                links.setdefault(mention.parts, {})[entries.get(each) or NamedEntry(*each)] = None
        reported = {(a.database, a.identifier) for kind in REPORTING_KINDS for _, a in self.iter_annotations(kind)}
        return MentionLinks(
            self._text,
            chain.from_iterable(self._parts_by_producer.values()),
            [entry for key, entry in entries.items() if key in reported],
            links,
        )

    def count_linked_mentions(self, key: tuple[str, str]) -> int:
        """The number of mentions that servers link to the entry with this database and identifier."""
        linked = self.mention_links.given_links.values()
        return sum(any((entry.database, entry.identifier) == key for entry in entries) for entries in linked)

    # Relations

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

    def list_end_name_keys(self, argument: RelationArgument) -> list[str]:
        """The name keys of what stands for one end of a relation in the text."""
        links = self.mention_links
        keys = [links.get_name_key(argument.spans)] if argument.spans else []
        keys += [key for each in argument.identifiers for key in links.names_by_entry.get(each, ())]
        return list(dict.fromkeys(keys))

    # The text

    @cached_property
    def marked_text(self) -> MarkedText:
        """The text with its heat map."""
        mentions = (annotation for _, annotation in self.iter_annotations(Kind.MENTION))
        types = choose_type_of_each_mention(mentions, self.mention_types) if self.mention_types else None
        marks = MarkedMentions(self.mention_links.mentions, types, self.unmarked_ends)
        spans = {producer: list(chain.from_iterable(all_)) for producer, all_ in self._parts_by_producer.items()}
        return MarkedText(self._text, self._passages, spans, marks)

    @cached_property
    def sentences(self) -> list[MentionSentence]:
        """Every sentence of the article with its mentions."""
        passages = [str(passage["text"]) for passage in self._passages]
        starts = accumulate((len(text) + 1 for text in passages), initial=0)
        return [
            self._make_sentence((offset + start, offset + end))
            for offset, text in zip(starts, passages, strict=False)
            for start, end in split_sentences(text)
        ]

    def _make_sentence(self, sentence: MarkedRange) -> MentionSentence:
        links = self.mention_links
        first, after = (bisect_left(links.mentions, ((position, 0),)) for position in sentence)
        mentions = links.mentions[first:after]
        return MentionSentence(sentence, mentions, frozenset(map(links.get_name_key, mentions)))


def _iter_references(annotation: AnnotationData) -> Iterator[GroupReference]:
    """What a reader chooses to see the annotation: a mention that it is or that it relates, an entry that it names."""
    if annotation.kind == Kind.MENTION:
        yield get_plain_parts(annotation)
        return
    yield from (argument.spans for argument in annotation.arguments if argument.spans)
    yield from annotation.iter_entity_ids()
