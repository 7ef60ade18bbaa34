"""Annotations of runs whose texts differ slightly from those of the gold standard, moved to these.

The site moves the annotations of uploaded runs to the texts of the articles in the same way.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotations.entity_types import GENE_TYPES
from annotations.formats.annotated_text.document_results import iter_mentions_with_types
from annotations.formats.annotated_text.mentions import AnnotatedTextFile, TextMention
from annotations.formats.errors import FormatError
from annotations.schema import AnnotationData, Kind
from evaluation.measures.items.article_columns import AnnotationsByArticle
from evaluation.runs.files.text_annotations import TextAnnotation, group_annotations_by_document

FIX_TEXT = "write the text that the gold standard has, and count in it"
# Mentions may be written in another form than the text has, but in a document that counts in another text most differ.
MAX_MISPLACED_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class GoldTexts:
    """texts: {document: its text in the gold standard}; annotations: {document: those with positions in it}."""

    texts: Mapping[str, str]
    annotations: AnnotationsByArticle

    def list_other_texts(self, texts: Mapping[str, str]) -> list[str]:
        """The documents that have another text in a run. Both texts are there."""
        return [
            name
            for name, text in texts.items()
            if text.strip() and self.texts.get(name, "").strip() and text != self.texts[name]
        ]


@dataclass(frozen=True, slots=True)
class MovedRun:
    """The annotations of a run with positions in the texts of the gold standard.

    notes: how many were moved, as lines for people; warnings: those whose words the gold standard's text does not have
    (R726), which are left out.
    """

    annotations: Sequence[TextAnnotation]
    notes: Sequence[str] = ()
    warnings: Sequence[FormatError] = ()


def move_to_gold_texts(
    annotations: Sequence[TextAnnotation], source: str, texts: Mapping[str, str], gold: GoldTexts
) -> MovedRun:
    """Move the annotations of documents whose texts differ slightly; all others stay as they are.

    source: the name of the run; texts: {document: its text in the run}, for documents that have one.
    """
    if not (others := gold.list_other_texts(texts)):
        return MovedRun(annotations)
    # Imported here because most runs have the texts of the gold standard, or none.
    from evaluation.runs.files.carried_texts import CarriedTexts, has_words_at_positions

    def counts_in_text(name: str) -> bool:
        """Whether the gold standard has its words at their positions; some count in another text than they have."""
        misplaced = sum(not has_words_at_positions(each, gold.texts[name]) for each in gold.annotations.get(name, ()))
        return misplaced <= MAX_MISPLACED_SHARE * len(gold.annotations.get(name, ()))

    numbers = {name: number for number, name in enumerate(filter(counts_in_text, others))}
    carried = CarriedTexts(source, texts, {number: gold.texts[name] for name, number in numbers.items()}, FIX_TEXT)
    kept: list[TextAnnotation] = []
    number_moved = 0
    for each in annotations:
        number = numbers.get(each.document)
        if number is None:
            kept.append(each)
            continue
        moved = carried.move_annotation(each.annotation, each.document, number, (each.line, min(each.line, 1)))
        if moved is not None:
            kept.append(replace(each, annotation=moved))
            number_moved += moved != each.annotation
    return MovedRun(kept, _list_notes(source, number_moved, carried.moved), carried.not_movable.list_faults())


def _list_notes(source: str, number_moved: int, not_movable: Mapping[int, int]) -> list[str]:
    """not_movable: {document: number of annotations that could not be moved}, for documents with a slightly different
    text.
    """
    lost = sum(not_movable.values())
    if not number_moved and not lost:
        return []
    left_out = f"; left out because the text does not have their words (R726): {lost:,}" if lost else ""
    moved = f"annotations moved to the slightly different text of the gold standard: {number_moved:,}"
    return [f"{source}: warning: {moved} in {len(not_movable):,} of its documents{left_out}"]


def move_gene_mentions(
    annotated: AnnotatedTextFile, source: str, gold: GoldTexts
) -> tuple[AnnotatedTextFile, MovedRun]:
    """A run of gene mentions with its genes moved; other mentions, which do not count, are left out if any is moved."""
    if not gold.list_other_texts(annotated.texts):
        return annotated, MovedRun(())
    genes = list(iter_mentions_with_types(annotated, GENE_TYPES))
    moved = move_to_gold_texts(list(_iter_annotations(genes)), source, annotated.texts, gold)
    mentions = [
        TextMention(
            each.document, parts[0].start, parts[-1].end, each.annotation.text, each.annotation.type, (), each.line
        )
        for each in moved.annotations
        for parts in [each.annotation.parts]
    ]
    return replace(annotated, mentions=mentions, individual_mentions=frozenset()), moved


def build_gold_texts_of_genes(annotated: AnnotatedTextFile) -> GoldTexts:
    """The texts of a gold standard of gene mentions."""
    genes = _iter_annotations(iter_mentions_with_types(annotated, GENE_TYPES))
    return GoldTexts(annotated.texts, group_annotations_by_document(annotated.documents, genes))


def _iter_annotations(mentions: Iterable[TextMention]) -> Iterable[TextAnnotation]:
    for each in mentions:
        annotation = AnnotationData(Kind.MENTION, start=each.start, end=each.end, text=each.text, type=each.type)
        yield TextAnnotation(each.document, each.line, annotation)
