"""Caps of a phase: results of an article in an uploaded run, by kind."""

import pytest
from django.core.exceptions import ValidationError

from evaluation.caps import check_caps, in_words


@pytest.mark.parametrize(
    ("caps", "said"),
    [
        (250, "Caps are numbers by kind"),
        ({"gene": 1}, "There is no cap of gene; choose from mention, normalization,"),
        ({"classification": 1}, "There is no cap of classification"),
        ({"pair": 0}, "The cap of pair is no number from 1 to 1,000,000"),
        ({"pair": True}, "The cap of pair"),
        ({"pair": "many"}, "The cap of pair"),
    ],
)
def test_it_refuses_what_are_no_caps(caps, said):
    with pytest.raises(ValidationError, match=said):
        check_caps(caps)


def test_it_says_caps_in_words():
    caps = {"pair": 1000, "normalization": 250}
    check_caps(caps)
    assert (in_words(caps), in_words({})) == ("250 genes and proteins, 1,000 interaction pairs", "")
