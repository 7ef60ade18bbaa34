"""Confidences and ranks (R101 to R103)."""

import math
from collections.abc import Iterator, Sequence

from annotations.rule_registry import (
    IndexedAnnotation,
    IndexedFault,
    RuleContext,
    register_rule_across_annotations,
    register_rule_on_single_annotation,
)
from annotations.schema import AnnotationData, Kind

LARGEST_INTEGER = 2**31 - 1


@register_rule_on_single_annotation(
    "R101",
    "A confidence is greater than 0 and at most 1.",
    "Scale confidences to values greater than 0 and at most 1. Omit a confidence that is not known.",
    field="confidence",
)
def explain_nonpositive_or_above_one_confidence(annotation: AnnotationData, _: RuleContext) -> str | None:
    value = annotation.confidence
    if value is None or 0 < value <= 1:
        return None
    if math.isnan(value):
        return "The confidence is not a number."
    return f"The confidence is {value:g}, which is not greater than 0 and at most 1."


@register_rule_on_single_annotation("R102", "A rank is a positive whole number.", "Number ranks from 1.", field="rank")
def explain_nonpositive_or_too_large_rank(annotation: AnnotationData, _: RuleContext) -> str | None:
    if annotation.rank is None or 1 <= annotation.rank <= LARGEST_INTEGER:
        return None
    return f"The rank is {annotation.rank}. Ranks are whole numbers from 1 to {LARGEST_INTEGER:,}."


@register_rule_across_annotations(
    "R103",
    "Each rank is used once within one kind (for passages: within one pair).",
    "Give each annotation its own rank, or omit all ranks.",
    field="rank",
)
def iter_ranks_repeated_in_kind_or_pair(
    annotations_of_kind: Sequence[IndexedAnnotation], _: RuleContext
) -> Iterator[IndexedFault]:
    seen: set[object] = set()
    for index, annotation in annotations_of_kind:
        if annotation.rank is None:
            continue
        rank_in_list = (annotation.rank, *(annotation.key[:-1] if annotation.kind is Kind.PASSAGE else ()))
        if rank_in_list in seen:
            yield index, f"Another annotation already has rank {annotation.rank}."
        seen.add(rank_in_list)
