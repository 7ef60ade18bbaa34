"""The cap on the results of one kind that a test takes from an answer."""

from collections.abc import Sequence

from annotations.schema import KIND_LABELS, AnnotationData, Kind
from servers.calls.states import QueueMode
from servers.protocols.parsed_answers import OmittedParts

CAPPED_KINDS = (Kind.NORMALIZATION, Kind.PAIR)
TEST_CAP = 250


def select_annotations_capped_in_tests(
    kind: Kind, annotations: Sequence[AnnotationData], mode: QueueMode
) -> list[AnnotationData]:
    """The annotations of one kind; in a TEST queue at most 250 of a capped kind, the best by rank, then confidence."""
    of_kind = [annotation for annotation in annotations if annotation.kind == kind]
    if mode != QueueMode.TEST or kind not in CAPPED_KINDS or len(of_kind) <= TEST_CAP:
        return of_kind
    return sorted(of_kind, key=lambda each: (each.rank is None, each.rank or 0, -(each.confidence or 0.0)))[:TEST_CAP]


def add_annotations_above_cap(
    omitted: OmittedParts, kind: Kind, annotations: Sequence[AnnotationData], mode: QueueMode
) -> None:
    """Add the number of annotations of a kind that are above its cap to the parts that are not stored."""
    number = sum(annotation.kind == kind for annotation in annotations)
    excess = number - len(select_annotations_capped_in_tests(kind, annotations, mode))
    if excess:
        reason = f"In a test the {TEST_CAP} best of {number:,} are stored, by rank, then confidence."
        omitted.add(KIND_LABELS[kind], reason, excess)
