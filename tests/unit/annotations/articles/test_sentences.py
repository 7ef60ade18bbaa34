"""Abstracts are cut into sentences: where full stops end none, and how often that is right on real ones."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.articles.sentences import split_sentences
from tests.shared_data import require_shared_path


def cut_into_sentences(text):
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "parts",
    [
        ["CDH1 binds CTNNB1.", "It was lost in tumours!", "Why?", "Nobody knows."],
        ["In S. cerevisiae and E. coli the gene is essential.", "In mice it is not."],
        ["As shown by Smith et al. (1990) and Jones et al. it binds.", "We agree."],
        ["The work of Smith et al. The other one was ours."],
        ["Growth fell by 0.5 mg (P < 0.05 vs. 1.25 mg, cf. Fig. 2) at pH 7.", "The rest grew."],
        ["It binds, e.g. TNF, i.e. TNF-alpha.", "IL-6 does not."],
        ["Loss of β-catenin was fatal.", "α-Catenin was not needed.", "γ-catenin was."],
        ["It was lost.", "p53 was not.", "mRNA fell.", "beta-Catenin rose.", "c-Myc too."],
        ["It is bound by p53 in vitro. and nowhere else."],
        ["It was seen (Fig. 1. See also the table) twice.", "(Not in mice.)", "[Yeast was not tried.]"],
        ["Dr. A. B. Miller gave antibodies against hepatitis B.", "We thank him."],
        ["This is protein kinase A. McMaster found it (J. Biol. Chem. 265, 1234)."],
        ['He said "it binds."', "“It does not.”", "Both were wrong..."],
        ["Three strains of Salmonella sp. were used, nos. 1 to 3, i.v. and p.o. daily.", "None grew."],
        ["BACKGROUND: It is not known.", "METHODS: We asked."],
        ["1. It binds.", "2. It does not."],
        ["A bracket ( that never closes was here.", "The next begins."],
        ["It rose from . 05 to . 1 in all.", "5-HT fell."],
        ["Patients in the U.S. were asked.", "Those in the U.K. were not."],
    ],
)
def test_it_cuts_into_sentences(parts):
    expected = ["The work of Smith et al.", "The other one was ours."] if parts[0].startswith("The work") else parts
    assert cut_into_sentences(" ".join(parts)) == expected


def test_it_ends_a_sentence_at_an_empty_line_and_not_at_a_line_break():
    assert cut_into_sentences("Methods of\nmany kinds\n \nWe tried\nthem all.") == [
        "Methods of\nmany kinds",
        "We tried\nthem all.",
    ]


@pytest.mark.parametrize("text", ["", " \n ", "\u2003"])
def test_it_finds_none_in_white_space(text):
    assert split_sentences(text) == []


def test_it_counts_code_points():
    text = "𝛽-catenin binds. 😀 It does."
    assert [text[start:end] for start, end in split_sentences(text)] == ["𝛽-catenin binds. 😀 It does."]
    assert split_sentences("α. We ask.") == [(0, 2), (3, 10)]


@given(st.text(alphabet="aB1αé .!?()\"'\n,-E", max_size=80))
def test_it_leaves_only_white_space_between_sentences(text):
    spans = split_sentences(text)
    rest, at = "", 0
    for start, end in spans:
        assert text[start:end] == text[start:end].strip() != ""
        rest += text[at:start]
        at = end
    assert not (rest + text[at:]).strip()


def test_it_finds_the_ends_of_real_sentences():
    """Sentences of MEDLINE abstracts, ten in a row: how many of the joints are found, and how many cuts are none."""
    with gzip.open(require_shared_path("corpora", "bc2gm", "train", "train.in.gz"), "rt", encoding="utf-8") as lines:
        known = [line.rstrip("\n").partition(" ")[2].strip() for line in lines]
    whole = [text for text in known if text.endswith(".") and (text[0].isupper() or text[0].isdigit())]
    found = right = joints = 0
    for first in range(0, len(whole) - 10, 10):
        some = whole[first : first + 10]
        ends, at = set(), 0
        for text in some[:-1]:
            at += len(text)
            ends.add(at)
            at += 1
        cuts = {end for _, end in split_sentences(" ".join(some))[:-1]}
        found, right, joints = found + len(cuts), right + len(cuts & ends), joints + len(ends)
    assert joints > 5000
    assert right / joints > 0.98
    assert right / found > 0.98
