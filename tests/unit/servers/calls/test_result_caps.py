"""What a test does not store of a long answer is counted and named."""

import pytest

from annotations.schema import AnnotationData, Kind
from servers.calls.outcomes.result_caps import TEST_CAP, add_annotations_above_cap
from servers.calls.states import QueueMode
from servers.protocols.parsed_answers import OmittedParts

MANY = [AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier=str(number)) for number in range(1, 301)]


@pytest.mark.parametrize(
    ("mode", "kind", "count"),
    [
        (QueueMode.TEST, Kind.NORMALIZATION, 300 - TEST_CAP),
        (QueueMode.TEST, Kind.PAIR, 0),
        (QueueMode.TRAINING, Kind.NORMALIZATION, 0),
    ],
)
def test_it_counts_what_is_above_the_cap_of_a_test(mode, kind, count):
    omitted = OmittedParts()
    add_annotations_above_cap(omitted, kind, MANY, mode)
    assert omitted.count == count
    assert all("the 250 best of 300 are stored" in part.reason for part in omitted.parts)
