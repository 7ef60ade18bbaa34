"""The organisms and other annotations of a file as items of a curation, and what of them is left out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from annotations.annotation_rules import list_broken_annotation_rules
from annotations.articles.models import Article
from annotations.articles.text_parts import join_text_of_parts
from annotations.curation.annotation_texts import describe_annotation
from annotations.curation.candidate_building import ITEM_KINDS, LONGEST_KEY, build_item_key
from annotations.curation.contents import build_annotation_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.projection import ORGANISM_DATABASE
from annotations.curation.states import ItemKind
from annotations.digital_abstract import DigitalAbstract, Source, SourcedAnnotation
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.psi_mi_terms import METHOD_BRANCH, PsiMiTerms
from annotations.rules.digital_abstracts import iter_source_faults
from annotations.rules.lists import REPEATED_ANNOTATION_RULE
from annotations.schema import AnnotationData, Kind, Shape
from bcms.curation.continuation.entry_faults import NamedEntries, list_entry_faults
from bcms.curation.continuation.left_out import LeftOutPart

NO_ITEM = "it follows from the interactions of the record, and cannot be recorded itself"
TWICE = "the file has it twice, with other details or sources"
TOO_LONG = "it is too long to be recorded"


def list_sourced_annotations(abstract: DigitalAbstract) -> list[SourcedAnnotation]:
    """The organisms and other annotations of a record, without confidences and ranks."""
    organisms = [
        SourcedAnnotation(
            AnnotationData(Kind.TAXON, database=ORGANISM_DATABASE, identifier=str(taxon)),
            abstract.organism_sources.get(taxon, ()),
        )
        for taxon in abstract.organisms
    ]
    others = [
        replace(each, annotation=replace(each.annotation, confidence=None, rank=None)) for each in abstract.annotations
    ]
    return [*organisms, *others]


def iter_annotation_items(
    annotations: Sequence[SourcedAnnotation],
    article: Article,
    terms: PsiMiTerms,
    entries: NamedEntries,
    basis: Source,
    left_out: list[LeftOutPart],
) -> Iterator[ItemProposal]:
    """The annotations that can be taken over, each once; others are added to left_out.

    Left out are those of a kind that no item has, those that break a rule, such as mentions of other words than the
    text has there, and those whose identifier is not valid any more.
    """
    broken = _find_broken_rules(annotations, article)
    items: dict[tuple[ItemKind, str], ItemProposal] = {}
    for index, sourced in enumerate(annotations):
        annotation = _add_text(sourced.annotation, article.text) if index not in broken else sourced.annotation
        sources = tuple(dict.fromkeys((*sourced.sources, basis)))
        kind = ITEM_KINDS.get(annotation.kind, ItemKind.INTERACTION)
        item = ItemProposal(kind, build_item_key(annotation), build_annotation_content(annotation, sources))
        fault = _find_annotation_fault(
            item, replace(sourced, annotation=annotation), broken.get(index, ""), terms, entries
        )
        known = items.get((item.kind, item.key))
        if fault or (known is not None and known != item):
            left_out.append(LeftOutPart(0, _describe(annotation), fault or TWICE))
        elif known is None:
            items[item.kind, item.key] = item
            yield item


def _find_broken_rules(annotations: Sequence[SourcedAnnotation], article: Article) -> dict[int, str]:
    """{index: what is wrong with the annotation}; one that is there twice is not wrong."""
    first = article.passages[0] if article.passages else {"type": "", "text": ""}
    title_length = len(first["text"]) if first["type"] == "title" else 0
    stated = [each.annotation for each in annotations]
    broken = list_broken_annotation_rules(stated, article.text, title_length, types_count=True)
    return {
        each.index: each.message
        for each in reversed(broken)
        if each.index is not None and each.code != REPEATED_ANNOTATION_RULE
    }


def _add_text(annotation: AnnotationData, text: str) -> AnnotationData:
    """A mention with its words, if the file has its position alone."""
    if annotation.shape is not Shape.MENTION or annotation.text:
        return annotation
    return replace(annotation, text=join_text_of_parts(annotation.parts, text))


def _find_annotation_fault(
    item: ItemProposal, sourced: SourcedAnnotation, broken: str, terms: PsiMiTerms, entries: NamedEntries
) -> str:
    """Why an annotation cannot be taken over; "" if it can. broken: a rule that it breaks."""
    annotation = sourced.annotation
    if item.kind is ItemKind.INTERACTION:
        return NO_ITEM
    if len(item.key) > LONGEST_KEY:
        return TOO_LONG
    if broken:
        return broken
    if annotation.kind is Kind.METHOD and not terms.is_below(annotation.identifier, METHOD_BRANCH):
        return f"{annotation.identifier} is not an interaction detection method."
    faults = [each.message for each in iter_source_faults(sourced.sources)]
    return next(iter([*faults, *list_entry_faults(annotation.iter_entity_ids(), entries)]), "")


def _describe(annotation: AnnotationData) -> str:
    text = describe_annotation(annotation, format_curie_for_readers, with_position=True)
    return f"{annotation.kind}: {text}"[:200]
