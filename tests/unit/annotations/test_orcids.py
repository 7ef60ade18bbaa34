"""ORCID iDs: their forms, and the character that checks them."""

import pytest

from annotations.orcids import compute_check_character, parse_orcid

# Examples of orcid.org, and one that ends in X.
VALID = ("0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X")


@pytest.mark.parametrize("orcid", VALID)
@pytest.mark.parametrize(
    "form", ["{}", " {} ", "https://orcid.org/{}", "http://orcid.org/{}/", "orcid.org/{}", "https://www.orcid.org/{}"]
)
def test_it_reads_an_id_or_its_address(orcid, form):
    assert parse_orcid(form.format(orcid)) == orcid


def test_it_adds_hyphens_and_writes_x_in_upper_case():
    assert parse_orcid("000000021694233x") == "0000-0002-1694-233X"


@pytest.mark.parametrize("orcid", VALID)
def test_every_other_last_character_is_wrong(orcid):
    others = [each for each in "0123456789X" if each != orcid[-1]]
    for other in others:
        with pytest.raises(ValueError, match="A digit"):
            parse_orcid(orcid[:-1] + other)


def test_a_changed_digit_is_found_at_every_place():
    for place, digit in enumerate("000000021825009"):
        changed = "000000021825009"[:place] + str((int(digit) + 1) % 10) + "000000021825009"[place + 1 :]
        assert compute_check_character(changed) != "7"


@pytest.mark.parametrize(
    "text",
    ["", "0000-0002-1825-009", "0000-0002-1825-00977", "https://example.org/0000-0002-1825-0097", "٠000000218250097"],
)
def test_it_refuses_other_texts(text):
    with pytest.raises(ValueError, match="no ORCID iD"):
        parse_orcid(text)
