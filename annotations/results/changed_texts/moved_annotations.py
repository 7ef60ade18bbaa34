"""Annotations of an earlier text of an article, moved to the places of the same words in a later text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from annotations.articles.evidence_passages import is_copied_passage
from annotations.articles.text_alignment import TextAlignment
from annotations.articles.text_parts import join_text_of_parts
from annotations.schema import AnnotationData, Kind, RelationArgument, RelationParts, Span


@dataclass(frozen=True, slots=True)
class MovedAnnotations:
    """moved: in their order, with positions in the later text; not_movable: those whose words it does not have."""

    moved: Sequence[AnnotationData]
    not_movable: Sequence[AnnotationData]


def move_annotations(annotations: Iterable[AnnotationData], alignment: TextAlignment) -> MovedAnnotations:
    """Annotations without positions are kept as they are; passages of evidence have to be in the later text."""
    moved, not_movable = [], []
    for annotation, found in iter_annotations_with_moved(annotations, alignment):
        if found is None:
            not_movable.append(annotation)
        else:
            moved.append(found)
    return MovedAnnotations(moved, not_movable)


def iter_annotations_with_moved(
    annotations: Iterable[AnnotationData], alignment: TextAlignment
) -> Iterator[tuple[AnnotationData, AnnotationData | None]]:
    """Each annotation, and the same with positions in the later text, None if that does not have its words."""
    for annotation in annotations:
        yield annotation, _move_annotation(annotation, alignment)


def has_words_of_text(annotation: AnnotationData) -> bool:
    """Whether an annotation has positions in the text, or a passage of it, so that it can be moved."""
    relation = annotation.relation
    if relation is not None:
        return bool(relation.evidence) or any(argument.spans for argument in relation.arguments)
    return annotation.kind is Kind.PASSAGE or bool(annotation.parts)


def _move_annotation(annotation: AnnotationData, alignment: TextAlignment) -> AnnotationData | None:
    if annotation.kind is Kind.PASSAGE:
        return annotation if is_copied_passage(annotation.text, alignment.later_with_collapsed_space) else None
    if annotation.relation is not None:
        relation = _move_relation(annotation.relation, alignment)
        return None if relation is None else replace(annotation, relation=relation)
    if not annotation.parts:
        return annotation
    parts = _move_spans(annotation.parts, alignment)
    if parts is None:
        return None
    return replace(
        annotation,
        start=parts[0].start,
        end=parts[-1].end,
        spans=parts if len(parts) > 1 else (),
        text=join_text_of_parts(parts, alignment.later) if annotation.text else "",
    )


def _move_relation(relation: RelationParts, alignment: TextAlignment) -> RelationParts | None:
    """The relation with all its positions; None if any of them is not found."""
    arguments = [_move_argument(argument, alignment) for argument in relation.arguments]
    evidence = _move_spans(relation.evidence, alignment)
    if evidence is None or None in arguments:
        return None
    return replace(relation, arguments=tuple(filter(None, arguments)), evidence=evidence)


def _move_argument(argument: RelationArgument, alignment: TextAlignment) -> RelationArgument | None:
    parts = _move_spans(argument.spans, alignment)
    if parts is None:
        return None
    return replace(argument, spans=parts, text=join_text_of_parts(parts, alignment.later) if parts else argument.text)


def _move_spans(spans: Sequence[Span], alignment: TextAlignment) -> tuple[Span, ...] | None:
    """The places of spans in their order; None if one is not found, or two have only one place left."""
    found = [alignment.find_span(span) for span in spans]
    moved = tuple(filter(None, found))
    if len(moved) < len(found) or (_has_overlap(moved) and not _has_overlap(spans)):
        return None
    return moved


def _has_overlap(spans: Sequence[Span]) -> bool:
    return any(span.end > following.start for span, following in pairwise(spans))
