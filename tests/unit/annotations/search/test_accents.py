"""What is searched for with accents is searched for without, too."""

import pytest

from annotations.search.accents import strip_accents_of_longer_words


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Sjögren", "Sjogren"),
        ("Sjo\u0308gren", "Sjogren"),
        ("MÜLLER Ménière's", "MULLER Meniere's"),
        ("Weiß Bjørn Łódź Sælen", "Weiss Bjorn Lodz Saelen"),
        ("Guillain-Barré", "Guillain-Barre"),
        ("5 Å thé", "5 Å thé"),
        ("TNF-α がんがん", "TNF-α がんがん"),
        ("p53", "p53"),
        ("", ""),
    ],
)
def test_it_takes_accents_off_words(written, plain):
    assert strip_accents_of_longer_words(written) == plain
