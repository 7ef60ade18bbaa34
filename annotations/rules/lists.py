"""Repeated annotations and their number (R120 and R121)."""

from collections.abc import Iterator, Sequence

from annotations.rule_registry import IndexedAnnotation, IndexedFault, RuleContext, register_rule_across_annotations
from annotations.schema import AnnotationData, Kind

# The number of mentions of an answer that are always accepted; more are accepted in longer texts.
MOST_MENTIONS = 1000
MOST_OF_OPEN_KIND = 5000
REPEATED_ANNOTATION_RULE = "R120"
OPEN_KINDS = (Kind.ENTITY, Kind.RELATION, Kind.LABEL)


@register_rule_across_annotations(
    REPEATED_ANNOTATION_RULE,
    "Each annotation is given once; a pair and its reverse are the same annotation.",
    "Send each annotation once, with its highest confidence.",
)
def iter_repeated_annotation_faults(
    annotations_of_kind: Sequence[IndexedAnnotation], context: RuleContext
) -> Iterator[IndexedFault]:
    seen: set[object] = set()
    for index, annotation in annotations_of_kind:
        key = annotation.typed_key if context.types_count else annotation.key
        if key in seen:
            swapped = annotation.kind is Kind.PAIR and annotation.identifier != annotation.partner
            note = " (pairs have no direction)" if swapped else ""
            yield index, f"The answer already contains this annotation{note}."
        seen.add(key)


@register_rule_across_annotations(
    "R121",
    f"The number of annotations of one kind is limited: {MOST_MENTIONS:,} mentions, or one for each character of the "
    f"text if that is more, and {MOST_OF_OPEN_KIND:,} entities, relations or labels.",
    "Send only the best annotations.",
)
def iter_faults_beyond_max_per_kind(
    annotations_of_kind: Sequence[IndexedAnnotation], context: RuleContext
) -> Iterator[IndexedFault]:
    limit = _find_limit(annotations_of_kind[0][1], context) if annotations_of_kind else None
    if limit is not None:
        message = f"The answer has {len(annotations_of_kind):,} annotations of this kind; the limit is {limit:,}."
        for index, _ in annotations_of_kind[limit:]:
            yield index, message


def _find_limit(annotation: AnnotationData, context: RuleContext) -> int | None:
    """The largest number of annotations of the same kind; None for no limit."""
    if context.max_per_kind is not None:
        return context.max_per_kind
    if annotation.kind is Kind.MENTION:
        return max(MOST_MENTIONS, len(context.claims.text.text))
    return MOST_OF_OPEN_KIND if annotation.kind in OPEN_KINDS else None
