"""The details of one item: where it is in the text, the sentences that name it, and its entry to choose by."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from annotations.articles.models import Article
from annotations.articles.sentences import split_sentences
from annotations.curation.contents import read_annotation_content, read_interaction_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.models import Candidate, Curation
from annotations.curation.states import ItemKind, ItemState
from annotations.digital_abstract import Interaction
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.queries import EntryDescription, find_entry_descriptions, find_named_entries
from annotations.schema import EntityId, Span
from bcms.lib.text import strip_case_spaces_and_dashes

MOST_SENTENCES = 30
# A name as a whole word; shorter ones are found by mentions only.
SHORTEST_NAME = 2


@dataclass(frozen=True, slots=True)
class NamingSentence:
    """A sentence that names what is searched for. span as in URLs and forms; text literally."""

    span: Span
    text: str

    @property
    def value(self) -> str:
        return f"{self.span.start}-{self.span.end}"


@dataclass(frozen=True, slots=True)
class EntityDetails:
    """An entity: its entry, what databases say of it, the spans that name it, and the sentences of these."""

    entity: EntityId
    entry: NamedEntry | None
    description: EntryDescription
    organism: str
    spans: Sequence[Span]
    sentences: Sequence[NamingSentence]

    @property
    def span_values(self) -> str:
        return _format_span_values(self.spans)


def load_entity_details(curation: Curation, entity: EntityId, extra_names: Iterable[str] = ()) -> EntityDetails:
    """What a curator needs to decide on an entity: 4 queries."""
    entry = find_named_entries([entity]).get(entity)
    names = {*extra_names, *((entry.symbol, entry.name, *entry.synonyms) if entry else ())}
    spans = find_naming_spans(curation, entity, names)
    organism = _find_organism(entry)
    description = find_entry_descriptions([entity]).get(entity, EntryDescription())
    return EntityDetails(
        entity, entry, description, organism, spans, list_sentences_with_spans(curation.article, [spans])
    )


def _find_organism(entry: NamedEntry | None) -> str:
    if entry is None or not entry.taxon:
        return ""
    key = ("ncbitaxon", str(entry.taxon))
    organism = find_named_entries([key]).get(key)
    return organism.name if organism else f"NCBI:txid{entry.taxon}"


def find_naming_spans(curation: Curation, entity: EntityId, names: Collection[str]) -> list[Span]:
    """Where the text names the entity: mentions with this link or name, and names as whole words."""
    folded = {strip_case_spaces_and_dashes(name) for name in names if len(name) >= SHORTEST_NAME} - {""}
    candidates = Candidate.objects.filter(
        candidate_list=curation.candidates_id, kind=ItemKind.MENTION, group__in=folded
    )
    decided = curation.items.filter(kind=ItemKind.MENTION, superseded_by__isnull=True)
    rejected: set[Span] = set()
    spans: set[Span] = set()
    for content in candidates.values_list("content", flat=True):
        spans.update(read_annotation_content(content).parts)
    for item in decided:
        mention = read_annotation_content(item.content)
        is_named = entity in mention.identifiers or strip_case_spaces_and_dashes(mention.text) in folded
        if item.state == ItemState.REJECTED:
            rejected.update(mention.parts)
        elif is_named:
            spans.update(mention.parts)
    spans.update(_iter_whole_words(curation.article.text, names))
    return _drop_nested(sorted(spans - rejected))


def _iter_whole_words(text: str, names: Collection[str]) -> Iterable[Span]:
    wanted = sorted({name for name in names if len(name) >= SHORTEST_NAME}, key=len, reverse=True)
    if not wanted:
        return
    words = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, wanted))})(?!\w)", re.IGNORECASE)
    for match in words.finditer(text):
        yield Span(*match.span())


def _drop_nested(spans: Sequence[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in spans:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def list_sentences_with_spans(article: Article, groups: Sequence[Sequence[Span]]) -> list[NamingSentence]:
    """The first sentences with a span of every group, in their order; of a heading or caption, the passage."""
    starts = [sorted(span.start for span in spans) for spans in groups]
    sentences = islice(_iter_sentences_with_starts(article.passages, starts), MOST_SENTENCES)
    return [NamingSentence(sentence, article.text[slice(*sentence)]) for sentence in sentences]


def _iter_sentences_with_starts(
    passages: Iterable[Mapping[str, str]], groups: Sequence[Sequence[int]]
) -> Iterator[Span]:
    """The sentences with a position of every group; the positions of each are in ascending order."""
    offset = 0
    for passage in passages:
        text = passage["text"]
        # Most passages of a long article have none, and need not be split.
        if _has_one_of_each(Span(offset, offset + len(text)), groups):
            for begin, end in split_sentences(text):
                sentence = Span(offset + begin, offset + end)
                if _has_one_of_each(sentence, groups):
                    yield sentence
        offset += len(text) + 1


def _has_one_of_each(span: Span, groups: Iterable[Sequence[int]]) -> bool:
    return all(bisect_left(starts, span.start) < bisect_left(starts, span.end) for starts in groups)


@dataclass(frozen=True, slots=True)
class InteractionDetails:
    """An interaction to complete: the spans of its participants, and the sentences with all, else any, of them.

    taxa: the organisms of the participants whose entries have one.
    """

    interaction: Interaction
    spans: Sequence[Span]
    sentences: Sequence[NamingSentence]
    taxa: Mapping[EntityId, int]

    @property
    def span_values(self) -> str:
        return _format_span_values(self.spans)


def _format_span_values(spans: Iterable[Span]) -> str:
    """The spans as the script of the page reads them."""
    return " ".join(f"{start}-{end}" for start, end in spans)


def load_interaction_details(curation: Curation, item: ItemProposal | None) -> InteractionDetails:
    """The interaction of an item, or an empty one for None: 2 queries for each participant, and 1."""
    if item is None:
        return InteractionDetails(Interaction(()), (), (), {})
    interaction = read_interaction_content(item.content)
    entries = find_named_entries([each.entity for each in interaction.participants])
    groups = []
    for each in interaction.participants:
        entry = entries.get(each.entity)
        names = {each.name, *((entry.symbol, entry.name, *entry.synonyms) if entry else ())}
        groups.append(find_naming_spans(curation, each.entity, names))
    sentences = list_sentences_with_spans(curation.article, groups)
    if not sentences:
        sentences = list_sentences_with_spans(curation.article, [[span for group in groups for span in group]])
    taxa = {EntityId(*key): entry.taxon for key, entry in entries.items() if entry.taxon}
    return InteractionDetails(interaction, sorted({span for group in groups for span in group}), sentences, taxa)
