"""Heat, lists, links and the bar, by small cases in sight and by brute force."""

from dataclasses import astuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.name_links import NameLinker
from annotations.results.classification_balance import ClassificationBalance, compute_classification_balance
from annotations.results.collation import GroupOrder, fold_groups, group_annotations_by_key
from annotations.results.heat_map import compute_heat_level, split_text_at_span_edges_and_breaks
from annotations.schema import AnnotationData, Kind
from bcms.lib.text import strip_case_spaces_and_dashes

TEXT = "human beta-catenin binds"
A, B, C = 1, 2, 3


def mention(start, end, confidence=None):
    return AnnotationData(Kind.MENTION, start=start, end=end, text=TEXT[start:end], confidence=confidence)


def gene(identifier, confidence=None, rank=None):
    return AnnotationData(
        Kind.NORMALIZATION, database="uniprot", identifier=identifier, confidence=confidence, rank=rank
    )


def vote(relevant, confidence=None):
    return AnnotationData(Kind.CLASSIFICATION, relevant=relevant, confidence=confidence)


def test_it_cuts_nested_and_overlapping_mentions_into_segments():
    pieces = split_text_at_span_edges_and_breaks(TEXT, {A: [(6, 18)], B: [(0, 18)], C: [(11, 18)]})
    assert [(piece.text, sorted(piece.producers), piece.mentions) for piece in pieces] == [
        ("human ", [B], ((0, 18),)),
        ("beta-", [A, B], ((6, 18), (0, 18))),
        ("catenin", [A, B, C], ((11, 18), (6, 18), (0, 18))),
        (" binds", [], ()),
    ]


def test_it_counts_a_producer_once_where_its_own_mentions_overlap():
    pieces = split_text_at_span_edges_and_breaks("abcd", {A: [(0, 3), (1, 4), (1, 2), (1, 2)]})
    assert {piece.producers for piece in pieces} == {frozenset({A})}
    assert "".join(piece.text for piece in pieces) == "abcd"


def test_it_cuts_where_passages_meet():
    assert [
        piece.text
        for piece in split_text_at_span_edges_and_breaks("ab\ncd", {A: [(1, 4)]}, extra_break_positions=[2, 3])
    ] == [
        "a",
        "b",
        "\n",
        "c",
        "d",
    ]


def test_it_gives_no_segment_for_an_empty_text():
    assert split_text_at_span_edges_and_breaks("", {}) == []


@pytest.mark.parametrize("span", [(2, 2), (3, 1), (-1, 2), (0, 25)])
def test_it_refuses_a_span_outside_the_text(span):
    with pytest.raises(ValueError, match="outside a text of 24 characters"):
        split_text_at_span_edges_and_breaks(TEXT, {A: [span]})


SPANS = st.tuples(st.integers(0, 11), st.integers(1, 12)).filter(lambda span: span[0] < span[1])


@given(st.text(min_size=12, max_size=12), st.dictionaries(st.integers(1, 4), st.lists(SPANS, max_size=6)))
@settings(max_examples=150, deadline=None)
def test_it_says_of_each_character_what_brute_force_says(text, mentions):
    pieces = split_text_at_span_edges_and_breaks(text, mentions, extra_break_positions=[5])
    assert "".join(piece.text for piece in pieces) == text
    for piece in pieces:
        for at in range(piece.start, piece.end):
            assert piece.producers == {p for p, spans in mentions.items() if any(s <= at < e for s, e in spans)}
            around = {(e - s, s, e) for spans in mentions.values() for s, e in spans if s <= at < e}
            assert piece.mentions == tuple((s, e) for _, s, e in sorted(around)[:4])


@pytest.mark.parametrize("shape", ["side by side", "nested"])
def test_it_takes_20_000_mentions(shape):
    # A cut that grows with the square would take minutes here.
    length = 40_000
    spans = [(2 * i, 2 * i + 1) if shape == "side by side" else (i, length - i) for i in range(20_000)]
    pieces = split_text_at_span_edges_and_breaks("x" * length, {A: spans})
    assert len(pieces) == length - (shape == "nested")


@pytest.mark.parametrize(
    ("count", "total", "level"),
    [
        (0, 4, 0),
        (1, 1, 1),
        (1, 2, 1),
        (2, 2, 4),
        (1, 4, 1),
        (2, 4, 2),
        (3, 4, 3),
        (4, 4, 4),
        (2, 3, 3),
        (5, 8, 3),
        (7, 8, 3),
    ],
)
def test_it_warms_from_one_to_all(count, total, level):
    assert compute_heat_level(count, total) == level


def test_it_refuses_more_producers_than_there_are():
    with pytest.raises(ValueError, match="3 of 2"):
        compute_heat_level(3, 2)


ANNOTATIONS_BY_PRODUCER = {
    A: [gene("P1", 0.9), gene("P2", 0.4), gene("P3")],
    B: [gene("P2", 0.6), gene("P4", 1.0)],
    C: [gene("P2")],
}


def test_it_orders_by_number_of_servers():
    groups = group_annotations_by_key(ANNOTATIONS_BY_PRODUCER, GroupOrder.SERVERS)
    assert [(g.annotation.identifier, g.count) for g in groups] == [("P2", 3), ("P4", 1), ("P1", 1), ("P3", 1)]


def test_it_orders_by_confidence_with_empty_ones_last():
    groups = group_annotations_by_key(ANNOTATIONS_BY_PRODUCER, GroupOrder.CONFIDENCE)
    assert [(g.annotation.identifier, g.mean, g.highest) for g in groups] == [
        ("P4", 1.0, 1.0),
        ("P1", 0.9, 0.9),
        ("P2", 0.5, 0.6),
        ("P3", None, None),
    ]


def test_it_gives_a_producer_one_vote_and_keeps_the_more_confident():
    [one] = group_annotations_by_key({A: [gene("P1", 0.2), gene("P1", 0.7), gene("P1")]})
    assert [(v.producer, v.confidence) for v in one.votes] == [(A, 0.7)]


def test_it_joins_a_pair_with_its_swapped_self():
    ab = AnnotationData(Kind.PAIR, database="uniprot", identifier="P1", partner="P2")
    ba = AnnotationData(Kind.PAIR, database="uniprot", identifier="P2", partner="P1")
    assert [g.count for g in group_annotations_by_key({A: [ab], B: [ba]})] == [2]


GENES = {"P1": "7124", "7124": "7124", "P2": "10"}


def get_gene(annotation):
    return GENES.get(annotation.identifier, annotation.identifier)


def ncbi(identifier, confidence=None):
    return AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier=identifier, confidence=confidence)


def is_known(annotation):
    return annotation.identifier in GENES


def test_it_puts_the_identifiers_of_one_gene_together():
    said = {A: [gene("P1", 0.9), ncbi("7124", 0.5), gene("P2")], B: [ncbi("7124", 0.7)], C: [gene("P2", 0.3)]}
    tnf, other = group_annotations_by_key(said, get_group_key=get_gene)
    assert [(each.database, each.identifier) for each in tnf.annotations] == [("ncbigene", "7124"), ("uniprot", "P1")]
    assert [(vote.producer, vote.annotation.identifier) for vote in tnf.votes] == [(A, "P1"), (A, "7124"), (B, "7124")]
    assert (tnf.count, tnf.highest) == (2, 0.9)
    assert tnf.mean == pytest.approx(0.8), "a server counts once, with its most confident identifier"
    assert (other.annotation.identifier, other.count) == ("P2", 2)


@pytest.mark.parametrize("order", list(GroupOrder))
def test_it_orders_verified_groups_before_all_others(order):
    said = {A: [gene("X", 1.0), gene("P1", 0.2)], B: [gene("X", 1.0)]}
    groups = group_annotations_by_key(said, order, get_group_key=get_gene, is_verified=is_known)
    assert [(group.annotation.identifier, group.verified) for group in groups] == [("P1", True), ("X", False)]


def fold(said, most_single=2, chosen=""):
    groups = group_annotations_by_key(said, is_verified=is_known)
    folded = fold_groups(groups, most_single).unfold({id(g) for g in groups if g.annotation.identifier == chosen})
    closed = {id(group) for group in (*folded.single, *folded.unverified)}
    listed = [group for group in groups if id(group) not in closed]
    return [[g.annotation.identifier for g in part] for part in (listed, folded.single, folded.unverified)]


def test_it_folds_unverified_groups():
    assert fold({A: [gene("P1"), gene("X")], B: [gene("X")]}) == [["P1"], [], ["X"]]


def test_it_folds_nothing_as_unverified_where_nothing_is_verified():
    assert fold({A: [gene("X"), gene("Y"), gene("Z")], B: [gene("Z")]}) == [["Z", "X", "Y"], [], []]


def test_it_lists_a_few_of_what_one_server_alone_reports():
    said = {A: [gene(name) for name in ("7124", "P1", "P2")], B: [gene("P2")]}
    assert fold(said, 1) == [["P2", "7124"], ["P1"], []]
    assert fold({**said, B: [gene("P2"), gene("10")]}, 1)[0] == ["P2", "7124"], "10 is not known"


def test_it_lists_as_many_of_each_server():
    said = {A: [gene("7124"), gene("P1")], B: [gene("P2")]}
    assert fold(said, 1) == [["7124", "P2"], ["P1"], []]


def test_it_never_folds_what_the_reader_chose():
    said = {A: [gene("7124"), gene("P1"), gene("X")]}
    assert fold(said, 1, chosen="P1") == [["7124", "P1"], [], ["X"]]
    assert fold(said, 1, chosen="X") == [["7124", "X"], ["P1"], []]


def test_it_has_no_bar_without_classifications():
    assert compute_classification_balance([]) is None


@pytest.mark.parametrize(
    ("votes", "bar"),
    [
        ([vote(True, 1.0)], ClassificationBalance(1.0, 1, 0, yes_confidence=1.0)),
        ([vote(False, 1.0)], ClassificationBalance(0.0, 0, 1, no_confidence=1.0)),
        ([vote(True)], ClassificationBalance(1.0, 1, 0)),
        ([vote(True, 0.5)], ClassificationBalance(0.75, 1, 0, yes_confidence=0.5)),
        ([vote(True, 0.5), vote(False, 0.5)], ClassificationBalance(0.5, 1, 1, 0.5, 0.5)),
        ([vote(True), vote(False, 0.5)], ClassificationBalance(0.625, 1, 1, None, 0.5)),
        ([vote(False, 0.9), vote(False, 0.7)], ClassificationBalance(0.1, 0, 2, None, 0.8)),
    ],
)
def test_it_weighs_yes_against_no(votes, bar):
    balance = compute_classification_balance(votes)
    assert balance is not None
    assert astuple(balance) == pytest.approx(astuple(bar))


@pytest.mark.parametrize(
    ("name", "regular"),
    [
        ("Beta-Catenin", "betacatenin"),
        ("beta catenin", "betacatenin"),
        ("IL\u20116", "il6"),
        ("β\u2013catenin ", "βcatenin"),
        (" - ", ""),
    ],
)
def test_it_regularizes_names(name, regular):
    assert strip_case_spaces_and_dashes(name) == regular


CATENIN = NamedEntry(
    "uniprot", "P35222", name="Catenin beta-1", symbol="CTNNB1", synonyms=("beta catenin", "CTNNB"), taxon=9606
)
MOUSE = NamedEntry("uniprot", "Q02248", name="Catenin beta-1", symbol="Ctnnb1", taxon=10090)
NAMELESS = NamedEntry("uniprot", "Q00001")


def test_it_links_a_mention_by_symbol_name_and_synonym():
    links = NameLinker([CATENIN, MOUSE, NAMELESS])
    assert [(link.entry.identifier, link.because, link.spelling) for link in links.list_links("ctnnb-1")] == [
        ("P35222", "symbol", "CTNNB1"),
        ("Q02248", "symbol", "Ctnnb1"),
    ]
    assert [(link.because, link.spelling) for link in links.list_links("beta-Catenin")] == [("synonym", "beta catenin")]
    assert [link.spelling for link in links.list_links("β-catenin")] == ["beta catenin"]
    assert links.list_links("catenin") == []
    assert links.list_links("--") == []
