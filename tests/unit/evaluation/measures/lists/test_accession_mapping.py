"""Which accession counts as which: homonym orthologs, organisms, interactors, parts by organism."""

import pytest

from annotations.schema import Span
from evaluation.measures.lists.interactors import (
    convert_gold_pairs_to_interactors,
    convert_pairs_to_interactors_by_best_pair,
)
from evaluation.measures.lists.organisms import split_by_gold_organism_largest_first
from evaluation.measures.lists.scenarios import ScoringScenario, match_run_and_mark_hits
from evaluation.measures.run_figures import compute_list_figures
from tests.reference.columns import encode_gold, encode_run

# Human, mouse, fly; the human p53 and p63 share the name of the fly's only one.
HOMONYMS = {"P53_HUMAN": ["P53_MOUSE", "P53_FLY"], "P63_HUMAN": ["P53_FLY"], "MDM2_HUMAN": ["MDM2_MOUSE"]}
ORGANISMS = {"P53_HUMAN": "9606", "P63_HUMAN": "9606", "MDM2_HUMAN": "9606", "P53_MOUSE": "10090", "P53_FLY": "7227"}


def list_mapped_items(gold, found, **scenario):
    rows = [("1", item, rank, None) for rank, item in enumerate(found, 1)]
    table = match_run_and_mark_hits(encode_gold({"1": gold}), encode_run(rows), ScoringScenario(**scenario))
    return [table.lists.items[code] for code in table.lists.item]


@pytest.mark.parametrize(
    ("gold", "found", "expected"),
    [
        (["P53_HUMAN"], ["P53_MOUSE", "P21"], ["P53_HUMAN", "P21"]),
        (["MDM2_HUMAN"], ["P53_MOUSE"], ["P53_MOUSE"]),
        (["P53_HUMAN", "P53_MOUSE"], ["P53_MOUSE"], ["P53_MOUSE"]),
        (["P53_HUMAN"], ["P53_MOUSE", "P53_HUMAN", "P53_FLY"], ["P53_HUMAN"]),
        (["P53_HUMAN", "P63_HUMAN"], ["P21", "P53_FLY"], ["P21", "P63_HUMAN", "P53_HUMAN"]),
        (["P53_HUMAN", "P63_HUMAN"], ["P53_HUMAN", "P53_FLY"], ["P53_HUMAN", "P63_HUMAN"]),
    ],
)
def test_it_counts_a_homonym_ortholog_as_the_gold_accession(gold, found, expected):
    assert list_mapped_items(gold, found, homonyms=HOMONYMS) == expected


def test_it_does_not_map_onwards():
    assert list_mapped_items(["A"], ["C"], homonyms={"A": ["B"], "B": ["C"]}) == ["C"]


PAIR = ("MDM2_HUMAN", "P53_HUMAN")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([("MDM2_MOUSE", "P53_MOUSE")], [PAIR]),
        ([("MDM2_HUMAN", "P53_MOUSE"), ("MDM2_MOUSE", "P53_HUMAN")], [PAIR]),
        ([("MDM2_MOUSE", "P21")], [("MDM2_MOUSE", "P21")]),
        ([("P53_MOUSE", "P53_MOUSE")], [("P53_MOUSE", "P53_MOUSE")]),
    ],
)
def test_it_maps_a_pair_by_both_partners(found, expected):
    assert list_mapped_items([PAIR], found, homonyms=HOMONYMS) == expected


def test_it_keeps_the_confidence_of_the_place_where_an_item_stays():
    rows = [("1", "P53_MOUSE", 1, 0.2), ("1", "P53_HUMAN", 2, 0.9)]
    table = match_run_and_mark_hits(
        encode_gold({"1": ["P53_HUMAN"]}), encode_run(rows), ScoringScenario(homonyms=HOMONYMS)
    )
    assert table.lists.confidence.tolist() == [0.2]


def test_it_drops_what_is_of_no_organism_of_the_gold_items():
    found = ["P53_MOUSE", "MDM2_HUMAN", "unheard", "P63_HUMAN"]
    assert list_mapped_items(["P53_HUMAN"], found, organisms=ORGANISMS) == ["MDM2_HUMAN", "P63_HUMAN"]
    pairs = [("MDM2_HUMAN", "P53_MOUSE"), ("MDM2_HUMAN", "P63_HUMAN")]
    assert list_mapped_items([PAIR], pairs, organisms=ORGANISMS) == [("MDM2_HUMAN", "P63_HUMAN")]


def test_it_refuses_a_gold_accession_without_an_organism_only_where_there_are_results():
    with pytest.raises(ValueError, match="gold accession P21 has no organism"):
        list_mapped_items(["P21"], ["P53_HUMAN"], organisms=ORGANISMS)
    assert list_mapped_items(["P21"], [], organisms=ORGANISMS) == []


def test_it_refuses_to_map_mentions():
    with pytest.raises(ValueError, match="Mentions and relations have no accessions"):
        list_mapped_items([Span(0, 3)], [Span(0, 3)], organisms=ORGANISMS)


def test_it_reads_pairs_as_interactors_at_the_place_of_the_best_pair():
    run = encode_run([("1", ("A", "C"), 2, 0.3), ("1", ("B", "C"), 1, 0.5), ("1", ("D", "D"), 7, 0.3)])
    ours = convert_pairs_to_interactors_by_best_pair(run)
    rows = zip(ours.item.codes, ours.rank, ours.confidence, strict=True)
    assert {(ours.item.names[code], rank, confidence) for code, rank, confidence in rows} == {
        ("B", 1, 0.5), ("C", 2, 0.5), ("A", 3, 0.3), ("D", 13, 0.3),
    }  # fmt: skip
    figures = compute_list_figures(
        convert_gold_pairs_to_interactors(encode_gold({"1": [("A", "C"), ("A", "E")]})), ours
    )
    assert (figures.micro.tp, figures.micro.fp, figures.micro.fn) == (2, 2, 1)


def test_it_reads_pairs_without_ranks_by_confidence():
    ours = convert_pairs_to_interactors_by_best_pair(
        encode_run([("1", ("A", "B"), None, 0.3), ("1", ("B", "C"), None, 0.5)])
    )
    assert ours.rank is None
    confidences = {ours.item.names[code]: c for code, c in zip(ours.item.codes, ours.confidence, strict=True)}
    assert confidences == {"A": 0.3, "B": 0.5, "C": 0.5}


def test_it_reads_an_empty_run_of_pairs_as_interactors():
    ours = convert_pairs_to_interactors_by_best_pair(encode_run([]))
    assert (len(ours), ours.item.names) == (0, [])


def list_organism_parts(gold, rows, **scenario):
    whole = match_run_and_mark_hits(encode_gold(gold), encode_run(rows), ScoringScenario(**scenario))
    parts = split_by_gold_organism_largest_first(whole.gold_items, whole.lists, ORGANISMS)
    return {part.organism: [part.lists.items[code] for code in part.lists.item.tolist()] for part in parts}


def test_it_splits_lists_by_organism_most_right_items_first():
    gold = {"1": ["P53_HUMAN", "MDM2_HUMAN"], "2": ["P53_MOUSE"]}
    rows = [("1", "P53_HUMAN", 1, None), ("1", "P53_MOUSE", 2, None), ("2", "unheard", 1, None)]
    parts = list_organism_parts(gold, rows)
    assert list(parts.items()) == [("9606", ["P53_HUMAN"]), ("10090", ["P53_MOUSE"])]


def test_it_splits_by_what_a_homonym_counts_as():
    rows = [("1", "P53_MOUSE", 1, None), ("1", "P53_FLY", 2, None)]
    assert list_organism_parts({"1": ["P53_HUMAN"]}, rows, homonyms={"P53_HUMAN": ["P53_MOUSE"]}) == {
        "9606": ["P53_HUMAN"]
    }


def test_it_names_the_organisms_of_a_mixed_pair():
    assert list(list_organism_parts({"1": [("P53_HUMAN", "P53_MOUSE"), PAIR]}, [])) == ["10090+9606", "9606"]


def test_it_splits_no_accession_without_an_organism():
    with pytest.raises(ValueError, match="gold accession P21 has no organism"):
        list_organism_parts({"1": ["P21"]}, [])
