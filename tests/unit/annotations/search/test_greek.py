"""Greek letters and their names stand for each other in searches."""

import pytest

from annotations.search.greek import list_greek_spellings


@pytest.mark.parametrize(
    ("words", "others"),
    [
        ("TNF-alpha macrophages", ["TNF-α macrophages"]),
        ("TNF-α", ["TNF-alpha"]),
        ("NF-kappaB", ["NF-κB"]),
        ("NF-κB", ["NF-kappaB"]),
        ("Beta2 Δ508", ["β2 Δ508", "Beta2 delta508"]),
        ("5 µm", ["5 mum"]),
        ("pi3k pi pin1", ["π3k π pin1"]),
        ("betaine alphabet betas", ["betaine alphabet βs"]),
        ("interferon -gamma", []),
        ("cell", []),
        ("", []),
    ],
)
def test_it_spells_greek_letters_in_both_ways(words, others):
    assert list_greek_spellings(words) == [words, *others]
