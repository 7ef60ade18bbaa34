"""The cap on the results of one kind that a test takes from an answer."""

from collections.abc import Sequence

from annotations.schema import AnnotationData, Kind
from servers.calls.states import QueueMode

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
