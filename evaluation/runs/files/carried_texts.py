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
from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.errors import quote_file_text
from annotations.results.moved_annotations import has_words_of_text, move_annotations
from annotations.schema import AnnotationData

NOT_MOVABLE_RULE = "R726"
FIX_TEXT = "write the text that the phase's article file has, and count in it"


class CarriedTexts:
    """The texts of a file by document, aligned with those of its articles as far as they are needed.

    moved: {key of the article: number of its annotations that could not be moved}, for the articles with a slightly
    different text in the file.
    """

    def __init__(self, source: str, texts: Mapping[str, str], text_by_article: Mapping[int, str]) -> None:
        self.texts, self.text_by_article = texts, text_by_article
        self.budget = AlignmentBudget(MOST_PAIRS_OF_FILE)
        self.alignments: dict[str, TextAlignment | None] = {}
        self.moved: dict[int, int] = {}
        self.source, self.not_movable = source, PositionedFaults(source)

    def get_annotated_text(self, document: str, article: int) -> str:
        """The text in which the positions of a document are: that of its article, or one that differs slightly."""
        alignment = self.find_alignment(document, article)
        return self.text_by_article[article] if alignment is None else alignment.earlier

    def find_alignment(self, document: str, article: int) -> TextAlignment | None:
        """How to move annotations; None if the file has the same text, none, or one that differs too much."""
        if document not in self.alignments:
            self.alignments[document] = self._align_text(document, article)
        return self.alignments[document]

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
        alignment = self.find_alignment(document, article)
        if alignment is None or not has_words_of_text(annotation):
            return annotation
        self.moved.setdefault(article, 0)
        for moved in move_annotations([annotation], alignment).moved:
            return moved
        self.moved[article] += 1
        words = quote_file_text(annotation.text) if annotation.text else "of an annotation"
        message = f"the text of {quote_file_text(document)} does not have the words {words} at this place - {FIX_TEXT}"
        self.not_movable.add(NOT_MOVABLE_RULE, *place, message)
        return None
