"""What a run's answers in training teach does not depend on the order in which they are read."""

import pytest

from annotations.schema import AnnotationData, Kind
from evaluation.calibration.learning import learn_curve_and_cutoff


def pair(partner):
    return AnnotationData(Kind.PAIR, database="uniprot", identifier="P1", partner=partner)


def mention(start):
    return AnnotationData(Kind.MENTION, start=start, end=start + 4, text="CDH1")


@pytest.mark.parametrize(
    ("right", "said"),
    [([pair("P3")], [pair("P2"), pair("P3")]), ([mention(9)], [mention(0), mention(9)])],
    ids=["pairs", "mentions"],
)
def test_it_is_the_same_of_findings_without_confidences_in_any_order(right, said):
    kind = right[0].kind
    forward, backward = (learn_curve_and_cutoff(kind, [1], {1: right}, {1: order}) for order in (said, said[::-1]))
    assert forward.cutoff == backward.cutoff
