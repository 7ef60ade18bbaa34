"""The texts that a run or a gold standard has itself: where they differ slightly from those of the articles, its
annotations are moved to these."""

from collections.abc import Mapping

from annotations.articles.text_alignment import (
    MOST_PAIRS_OF_FILE,
    AlignmentBudget,
    TextAlignment,
    align_carried_text,
    has_same_positions,
)
from annotations.articles.text_parts import is_text_of_parts
from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.errors import quote_file_text
from annotations.results.changed_texts.moved_annotations import has_words_of_text, move_annotations
from annotations.schema import AnnotationData

NOT_MOVABLE_RULE = "R726"
FIX_TEXT = "write the text that the phase's article file has, and count in it"


class CarriedTexts:
    """The texts of a file by document, aligned with those of its articles as far as they are needed.

    moved: {key of the article: number of its annotations that could not be moved}, for the articles with a slightly
    different text in the file. fix: what the warnings advise.
    """

    def __init__(
        self, source: str, texts: Mapping[str, str], text_by_article: Mapping[int, str], fix: str = FIX_TEXT
    ) -> None:
        self.fix = fix
        self.texts, self.text_by_article = texts, text_by_article
        self.budget = AlignmentBudget(MOST_PAIRS_OF_FILE)
        self.alignments: dict[str, TextAlignment | None] = {}
        self.moved: dict[int, int] = {}
        self.source, self.not_movable = source, PositionedFaults(source)

    def get_annotated_text(self, annotation: AnnotationData, document: str, article: int) -> str:
        """The text in which the positions of an annotation are: that of its article, or one that differs slightly.

        annotation: with the words that the file gives for its positions.
        """
        alignment = self.find_alignment_of_annotation(annotation, document, article)
        return self.text_by_article[article] if alignment is None else alignment.earlier

    def find_alignment(self, document: str, article: int) -> TextAlignment | None:
        """How to move annotations; None if the file has the same text, none, or one that differs too much."""
        if document not in self.alignments:
            self.alignments[document] = self._align_text(document, article)
        return self.alignments[document]

    def find_alignment_of_annotation(
        self, annotation: AnnotationData, document: str, article: int
    ) -> TextAlignment | None:
        """How to move an annotation; None also if its words are at its positions in the article, and not in the file.

        Some files count in another text than they have, as the BioC files of BioCreative V CDR do where the offset of a
        passage is too large.
        """
        alignment = self.find_alignment(document, article)
        if alignment is None or has_words_at_positions(annotation, alignment.earlier):
            return alignment
        return None if has_words_at_positions(annotation, alignment.later) else alignment

    def _align_text(self, document: str, article: int) -> TextAlignment | None:
        carried, stored = self.texts.get(document, ""), self.text_by_article[article]
        if not carried.strip() or has_same_positions(carried, stored):
            return None
        return align_carried_text(carried, stored, self.budget)

    def move_annotation(
        self, annotation: AnnotationData, document: str, article: int, place: tuple[int, int]
    ) -> AnnotationData | None:
        """The annotation with positions in the text of its article; None if that does not have its words (R726).

        place: line and column of the file.
        """
        alignment = self.find_alignment_of_annotation(annotation, document, article)
        if alignment is None or not has_words_of_text(annotation):
            return annotation
        self.moved.setdefault(article, 0)
        for moved in move_annotations([annotation], alignment).moved:
            return moved
        self.moved[article] += 1
        words = quote_file_text(annotation.text) if annotation.text else "of an annotation"
        message = f"the text of {quote_file_text(document)} does not have the words {words} at this place - {self.fix}"
        self.not_movable.add(NOT_MOVABLE_RULE, *place, message)
        return None


def has_words_at_positions(annotation: AnnotationData, text: str) -> bool:
    """Whether a text has the words of a mention, or those of all mentions that a relation has, at their positions."""
    mentions = [(annotation.parts, annotation.text)] if annotation.parts else []
    mentions += [(argument.spans, argument.text) for argument in annotation.arguments if argument.spans]
    return all(
        parts[-1].end <= len(text) and bool(words) and is_text_of_parts(words, parts, text) for parts, words in mentions
    )
