"""Repeated annotations and their number (R120 and R121)."""

from collections.abc import Iterator, Sequence

from annotations.rule_registry import IndexedAnnotation, IndexedFault, RuleContext, register_rule_across_annotations
from annotations.schema import Kind


@register_rule_across_annotations(
    "R120",
    "Each annotation is given once; a pair and its reverse are the same annotation.",
    "Send each annotation once, with its highest confidence.",
)
def iter_repeated_annotation_faults(
    annotations_of_kind: Sequence[IndexedAnnotation], _: RuleContext
) -> Iterator[IndexedFault]:
    seen: set[object] = set()
    for index, annotation in annotations_of_kind:
        if annotation.key in seen:
            swapped = annotation.kind is Kind.PAIR and annotation.identifier != annotation.partner
            note = " (pairs have no direction)" if swapped else ""
            yield index, f"The answer already contains this annotation{note}."
        seen.add(annotation.key)


@register_rule_across_annotations(
    "R121",
    "The number of annotations of one kind is limited.",
    "Send only the best annotations.",
)
def iter_faults_beyond_max_per_kind(
    annotations_of_kind: Sequence[IndexedAnnotation], context: RuleContext
) -> Iterator[IndexedFault]:
    if context.max_per_kind is not None:
        for index, _ in annotations_of_kind[context.max_per_kind :]:
            yield (
                index,
                f"The answer has {len(annotations_of_kind):,} annotations of this kind; "
                f"the limit is {context.max_per_kind:,}.",
            )
