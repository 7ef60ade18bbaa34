"""Answers that have the text that was annotated: if it differs slightly from the text that was sent, its annotations
are moved to that."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from annotations.articles.text_alignment import TextAlignment, align_carried_text, has_same_positions
from annotations.results.changed_texts.moved_annotations import has_words_of_text, iter_annotations_with_moved
from annotations.rules.messages import quote_value
from annotations.schema import AnnotationData, BrokenRule, Kind
from servers.calls import diagnosis
from servers.protocols.annotation_requests import AnnotationRequest
from servers.protocols.answer_fields import MalformedValueError
from servers.protocols.parsed_answers import ParsedAnswer

NOT_MOVABLE_RULE = "R211"
NOTE = (
    'The "text" of the answer differs slightly from the text that was sent, so its annotations were moved to the same '
    "words of that. Return the text exactly as it was sent, or without it."
)


def note_carried_text(parsed: ParsedAnswer, text: object, question: AnnotationRequest) -> AnnotationRequest:
    """Note in an answer that the text in it differs slightly from the text that was sent, if it does.

    Returns the request with the text in which the positions of the answer are. Raises CallError if the texts differ too
    much.
    """
    aligned = align_with_sent_text(parsed, text, question)
    if aligned is None:
        raise diagnosis.diagnose_other_text(str(text), question.text)
    return aligned


def align_with_sent_text(parsed: ParsedAnswer, text: object, question: AnnotationRequest) -> AnnotationRequest | None:
    """The request with the text in which the positions of the answer are, None if the texts differ too much.

    That they differ slightly is noted in the answer. An answer without a text, or with anything else in its place, is
    about the text that was sent.
    """
    if not isinstance(text, str) or has_same_positions(text, question.text):
        return question
    try:
        parsed.alignment = align_carried_text(text, question.text)
    except ModuleNotFoundError:
        # The kit for participants runs without the package that aligns texts; there, every difference is an error.
        parsed.alignment = None
    if parsed.alignment is None:
        return None
    parsed.note([NOTE])
    return replace(question, text=text)


def move_valid_annotations(
    parsed: ParsedAnswer, alignment: TextAlignment, broken_rules: Sequence[BrokenRule]
) -> tuple[list[BrokenRule], dict[Kind, int]]:
    """Move the annotations of an answer that break no rule to the text that was sent.

    Returns the rule that each of those breaks that cannot be moved, and {kind: their number} for the kinds with
    positions.
    """
    invalid = {rule.index for rule in broken_rules}
    faults: list[BrokenRule] = []
    kinds: Counter[Kind] = Counter()
    for index, (annotation, moved) in enumerate(iter_annotations_with_moved(parsed.annotations, alignment)):
        if index in invalid:
            continue
        if has_words_of_text(annotation):
            kinds[annotation.kind] += moved is None
        if moved is None:
            faults.append(_make_not_movable_rule(parsed.locations[index], index, annotation))
        else:
            parsed.annotations[index] = moved
    return faults, dict(kinds)


def _make_not_movable_rule(where: str, index: int, annotation: AnnotationData) -> BrokenRule:
    words = quote_value(annotation.text) if annotation.text else "one of its parts"
    message = f"The text that was sent does not have {words} at the place that this has in the text of the answer."
    return replace(MalformedValueError(NOT_MOVABLE_RULE, where, message).broken_rule, index=index)
