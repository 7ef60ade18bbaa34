"""A digital abstract as pages show it: a sentence for each interaction, its passages, and what MIMIx misses."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from django.utils.safestring import SafeString, mark_safe

from annotations.articles.models import Article
from annotations.curation.annotation_texts import describe_annotation, format_named_curie
from annotations.curation.exported_records import build_exported_abstract
from annotations.digital_abstract import DigitalAbstract, EvidencePassage, Source
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.formats.digital_abstracts.sentences import build_sentence, format_sentence_html
from annotations.rules.mimix import list_missing_interaction_parts
from annotations.schema import KIND_LABELS, Kind

# Of each kind, on a page.
MOST_NAMED = 100
SourcedName = tuple[str, tuple[Source, ...]]


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One interaction. sentence is HTML; missing: what MIMIx asks for and it does not have, in sentences."""

    sentence: SafeString
    passages: Sequence[EvidencePassage]
    comment: str
    confidence: float | None
    sources: Sequence[Source]
    missing: Sequence[str]


@dataclass(frozen=True, slots=True)
class NamedAnnotations:
    """Organisms or annotations of a record besides its interactions, of one kind and with the same sources.

    names: each once; more: how many others of the kind are not named; sources: whose proposals were taken over.
    """

    title: str
    names: Sequence[str]
    sources: Sequence[Source] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class RecordView:
    """The record of an article."""

    lines: Sequence[RecordLine]
    organisms: Sequence[NamedAnnotations]
    others: Sequence[NamedAnnotations]
    nothing_found: bool

    @property
    def is_empty(self) -> bool:
        return not self.lines and not self.others


def build_record_view(article: Article, abstract: DigitalAbstract, url: str) -> RecordView:
    """The record with the names of everything in it: 3 queries. url: of the article."""
    exported = build_exported_abstract(article, abstract, url)
    lines = [
        RecordLine(
            # Every piece is escaped there.
            mark_safe(format_sentence_html(build_sentence(exported, interaction))),
            list(dict.fromkeys(interaction.iter_evidence())),
            interaction.comment,
            interaction.confidence,
            interaction.sources,
            [part.message for part in list_missing_interaction_parts(interaction)],
        )
        for interaction in abstract.interactions
    ]
    return RecordView(lines, _list_organisms(exported), _list_other_annotations(exported), abstract.nothing_found)


def _list_organisms(exported: ExportedAbstract) -> list[NamedAnnotations]:
    abstract = exported.abstract
    named = Counter(
        (exported.organisms.get(taxon, f"NCBI:txid{taxon}"), abstract.organism_sources.get(taxon, ()))
        for taxon in abstract.organisms
    )
    return _group_by_sources("Organisms", named)


def _list_other_annotations(exported: ExportedAbstract) -> list[NamedAnnotations]:
    """Named once each, with how often if there are several: the same words may be mentioned everywhere."""
    by_kind: dict[Kind, Counter[SourcedName]] = {}
    for sourced in exported.abstract.annotations:
        text = describe_annotation(
            sourced.annotation, lambda entity: format_named_curie(exported.get_entity_name(entity), entity)
        )
        by_kind.setdefault(sourced.annotation.kind, Counter())[text, sourced.sources] += 1
    return [each for kind, found in by_kind.items() for each in _group_by_sources(KIND_LABELS[kind], found)]


def _group_by_sources(title: str, found: Mapping[SourcedName, int]) -> list[NamedAnnotations]:
    """The first MOST_NAMED names, those with the same sources together; the last group says how many more there are."""
    names: dict[tuple[Source, ...], list[str]] = {}
    for (text, sources), number in islice(found.items(), MOST_NAMED):
        names.setdefault(sources, []).append(f"{text} ({number:,} times)" if number > 1 else text)
    groups = [NamedAnnotations(title, each, sources) for sources, each in names.items()]
    more = max(len(found) - MOST_NAMED, 0)
    return [*groups[:-1], *(replace(last, more=more) for last in groups[-1:])]
