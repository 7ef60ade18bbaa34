"""Caps of a phase: results of an article in an uploaded run, by kind."""

import pytest
from django.core.exceptions import ValidationError

from evaluation.challenges.caps import format_caps
from evaluation.challenges.validators import check_caps


@pytest.mark.parametrize(
    ("caps", "said"),
    [
        (250, "Write caps as numbers by kind"),
        ({"gene": 1}, "There is no cap for gene. Choose from mention, normalization,"),
        ({"classification": 1}, "There is no cap for classification"),
        ({"pair": 0}, "The cap for pair must be a number from 1 to 1,000,000"),
        ({"pair": True}, "The cap for pair"),
        ({"pair": "many"}, "The cap for pair"),
    ],
)
def test_it_refuses_what_are_no_caps(caps, said):
    with pytest.raises(ValidationError, match=said):
        check_caps(caps)


def test_it_says_caps_in_words():
    caps = {"pair": 1000, "normalization": 250}
    check_caps(caps)
    assert (format_caps(caps), format_caps({})) == ("250 genes and proteins, 1,000 interaction pairs", "")
