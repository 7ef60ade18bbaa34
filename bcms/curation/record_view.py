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
from annotations.rules.mimix import list_missing_interaction_parts
from annotations.schema import KIND_LABELS, Kind

# Of each kind, on a page.
MOST_NAMED = 100


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
class OtherAnnotations:
    """The annotations of a record besides its interactions, of one kind. names: each once; more: how many others."""

    title: str
    names: Sequence[str]
    more: int


@dataclass(frozen=True, slots=True)
class RecordView:
    """The record of an article. organisms: by name."""

    lines: Sequence[RecordLine]
    organisms: Sequence[str]
    others: Sequence[OtherAnnotations]
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
    organisms = [exported.organisms.get(taxon, f"NCBI:txid{taxon}") for taxon in abstract.organisms]
    return RecordView(lines, organisms, _list_other_annotations(exported), abstract.nothing_found)


def _list_other_annotations(exported: ExportedAbstract) -> list[OtherAnnotations]:
    """Named once each, with how often if there are several: the same words may be mentioned everywhere."""
    by_kind: dict[Kind, Counter[str]] = {}
    for annotation in exported.abstract.annotations:
        text = describe_annotation(
            annotation, lambda entity: format_named_curie(exported.get_entity_name(entity), entity)
        )
        by_kind.setdefault(annotation.kind, Counter())[text] += 1
    return [
        OtherAnnotations(
            KIND_LABELS[kind],
            [
                f"{text} ({number:,} times)" if number > 1 else text
                for text, number in islice(found.items(), MOST_NAMED)
            ],
            max(len(found) - MOST_NAMED, 0),
        )
        for kind, found in by_kind.items()
    ]
