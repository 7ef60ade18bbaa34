"""A digital abstract as pages show it: a sentence for each interaction, its passages, and what MIMIx misses."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from django.utils.safestring import SafeString, mark_safe

from annotations.articles.models import Article
from annotations.curation.annotation_texts import describe_annotation, format_named_curie
from annotations.curation.exported_records import build_exported_abstract
from annotations.digital_abstract import DigitalAbstract, EvidencePassage, Source
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.formats.digital_abstracts.sentences import build_sentence, format_sentence_html
from annotations.identifiers.psi_mi_terms import PsiMiTerms
from annotations.rules.digital_abstracts import find_direction_faults
from annotations.rules.mimix import list_missing_interaction_parts
from annotations.schema import KIND_LABELS, Kind

# Of each kind, on a page.
MOST_NAMED = 100
SourcedName = tuple[str, tuple[Source, ...]]


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One interaction. sentence is HTML; missing: what MIMIx asks for and it does not have, in sentences.

    notes: what is unusual in it, in sentences, for those who check it.
    """

    sentence: SafeString
    passages: Sequence[EvidencePassage]
    comment: str
    confidence: float | None
    sources: Sequence[Source]
    missing: Sequence[str]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class SourcedNames:
    """What was taken over from the same sources, by name."""

    sources: Sequence[Source]
    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class NamedAnnotations:
    """Organisms or annotations of a record besides its interactions, of one kind.

    names: each once; more: how many others are not named. groups: those of them that were taken over.
    """

    title: str
    names: Sequence[str]
    more: int
    groups: Sequence[SourcedNames]

    @property
    def common_sources(self) -> Sequence[Source]:
        """The sources of all of them; empty if some have others or none."""
        is_common = len(self.groups) == 1 and len(self.groups[0].names) == len(self.names)
        return self.groups[0].sources if is_common else ()


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


def build_record_view(
    article: Article, abstract: DigitalAbstract, url: str, terms: PsiMiTerms | None = None
) -> RecordView:
    """The record with the names of everything in it: 3 queries. url: of the article.

    terms: those of the site, for the notes of the page where the record is checked; None: without notes.
    """
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
            [f"{fault.message} {fault.mend}" for fault in find_direction_faults(interaction, terms)] if terms else [],
        )
        for interaction in abstract.interactions
    ]
    return RecordView(lines, _list_organisms(exported), _list_other_annotations(exported), abstract.nothing_found)


def _list_organisms(exported: ExportedAbstract) -> list[NamedAnnotations]:
    abstract = exported.abstract
    named = [
        (exported.organisms.get(taxon, f"NCBI:txid{taxon}"), abstract.organism_sources.get(taxon, ()))
        for taxon in abstract.organisms
    ]
    return [_name_annotations("Organisms", named)] if named else []


def _list_other_annotations(exported: ExportedAbstract) -> list[NamedAnnotations]:
    by_kind: dict[Kind, list[SourcedName]] = {}
    for sourced in exported.abstract.annotations:
        text = describe_annotation(
            sourced.annotation, lambda entity: format_named_curie(exported.get_entity_name(entity), entity)
        )
        by_kind.setdefault(sourced.annotation.kind, []).append((text, sourced.sources))
    return [_name_annotations(KIND_LABELS[kind], found) for kind, found in by_kind.items()]


def _name_annotations(title: str, found: Sequence[SourcedName]) -> NamedAnnotations:
    """Named once each, with how often if there are several: the same words may be mentioned everywhere."""
    numbers = Counter(text for text, _ in found)
    shown = {
        text: f"{text} ({number:,} times)" if number > 1 else text
        for text, number in islice(numbers.items(), MOST_NAMED)
    }
    groups: dict[tuple[Source, ...], dict[str, None]] = {}
    for text, sources in found:
        if sources and text in shown:
            groups.setdefault(sources, {})[text] = None
    return NamedAnnotations(
        title,
        list(shown.values()),
        len(numbers) - len(shown),
        [SourcedNames(sources, list(names)) for sources, names in groups.items()],
    )
