"""What several servers agree on: worked by hand, by properties, and against the joined runs of evaluation."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.identifiers.entries import NamedEntry
from annotations.results.consensus.methods import (
    CONSENSUS_METHODS,
    ConsensusRuleError,
    ListCutoff,
    MentionMatching,
    SpanMatching,
    make_consensus_rule,
)
from annotations.results.consensus.voting import build_consensus
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, make_entity, make_label, make_relation
from evaluation.analyses.ensemble import combine_call_runs_by_votes, combine_list_runs_by_votes
from tests.reference.columns import encode_calls, encode_run


def gene(identifier, confidence=None, rank=None, taxon=None):
    return AnnotationData(Kind.NORMALIZATION, confidence, rank, database="ncbigene", identifier=identifier, taxon=taxon)


def pair(one, other, confidence=None):
    return AnnotationData(Kind.PAIR, confidence, database="uniprot", identifier=one, partner=other)


def mention(start, end, confidence=None, type=""):
    return AnnotationData(Kind.MENTION, confidence, start=start, end=end, text="x" * (end - start), type=type)


def call(relevant, confidence=None):
    return AnnotationData(Kind.CLASSIFICATION, confidence, relevant=relevant)


GENES = {1: [gene("7", 0.9), gene("8", 0.5)], 2: [gene("8", 0.7), gene("9", 0.2)], 3: [gene("8"), gene("7", 0.3)]}


def build_rule_consensus(kind, findings, *args, entries=(), **options):
    known = {(entry.database, entry.identifier): entry for entry in entries}
    return build_consensus(kind, findings, make_consensus_rule(*args, **options), known)


def identifiers(found):
    return [each.annotation.identifier for each in found]


def spans(found):
    return [(each.annotation.start, each.annotation.end) for each in found]


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ("position", [((0, 4), "Gene", "7", [1, 2, 3]), ((2, 6), "Disease", "", [3])]),
        ("type", [((0, 4), "Gene", "7", [1, 2]), ((0, 4), "Disease", "9", [3]), ((2, 6), "Disease", "", [3])]),
        (
            "identifier",
            [
                ((0, 4), "Disease", "9", [3]),
                ((0, 4), "Gene", "7", [1]),
                ((0, 4), "gene", "8", [2]),
                ((2, 6), "Disease", "", [3]),
            ],
        ),
    ],
)
def test_mentions_agree_by_position_type_and_identifiers(match, expected):
    def link(start, end, entity_type, *identifiers):
        return replace(mention(start, end, type=entity_type), identifiers=tuple(EntityId("x", i) for i in identifiers))

    found = {
        1: [link(0, 4, "Gene", "7")],
        2: [link(0, 4, "gene", "8")],
        3: [link(0, 4, "Disease", "9"), link(2, 6, "Disease")],
    }
    agreed = build_rule_consensus(Kind.MENTION, found, "union", match=MentionMatching(match))
    described = [(each.annotation, each.producers) for each in agreed]
    assert [
        ((a.start, a.end), a.type, next(iter(i for _, i in a.identifiers), ""), producers) for a, producers in described
    ] == expected


def test_overlapping_mentions_are_merged_with_their_own_type():
    found = {1: [mention(0, 4, 0.9, "Gene"), mention(1, 5, 0.1, "Disease")], 2: [mention(2, 6, 0.5, "Disease")]}
    options = {"spans": SpanMatching.OVERLAPPING, "match": MentionMatching.TYPE}
    agreed = build_rule_consensus(Kind.MENTION, found, "union", **options)
    assert [(each.annotation.type, each.producers) for each in agreed] == [("Disease", [1, 2]), ("Gene", [1])]
    assert len(build_rule_consensus(Kind.MENTION, found, "union", spans=SpanMatching.OVERLAPPING)) == 1


def test_entries_of_one_gene_are_the_same_link():
    links = [("uniprot", "P12830"), ("ncbigene", "999")]
    found = {number: [replace(mention(0, 4), identifiers=(EntityId(*link),))] for number, link in enumerate(links, 1)}
    entry = NamedEntry("uniprot", "P12830", exists=True, genes=("999",))
    options = {"match": MentionMatching.IDENTIFIER, "entries": [entry]}
    assert [each.producers for each in build_rule_consensus(Kind.MENTION, found, "union", **options)] == [[1, 2]]


@pytest.mark.parametrize(
    ("method", "threshold", "expected"),
    [
        ("union", None, ["8", "7", "9"]),
        ("intersection", None, ["8"]),
        ("majority", None, ["8", "7"]),
        ("votes", 2, ["8", "7"]),
        ("votes", 3, ["8"]),
        ("votes", 4, []),
        ("weighted", 0.5, ["8", "7"]),
        ("weighted", 1.0, ["8"]),
    ],
)
def test_it_takes_what_the_rule_takes(method, threshold, expected):
    assert identifiers(build_rule_consensus(Kind.NORMALIZATION, GENES, method, threshold)) == expected


def test_it_says_who_agrees_how_surely_and_in_which_order():
    first, second = build_rule_consensus(Kind.NORMALIZATION, GENES, "majority")
    assert (first.producers, first.support) == ([1, 2, 3], 1.0)
    assert (first.annotation.confidence, first.annotation.rank) == (0.6, 1)
    assert (second.producers, second.annotation.confidence, second.annotation.rank) == ([1, 3], 0.6, 2)
    assert second.support == pytest.approx(2 / 3)


def test_it_invents_no_confidence():
    [found] = build_rule_consensus(Kind.NORMALIZATION, {1: [gene("7")], 2: [gene("7")]}, "majority")
    assert found.annotation.confidence is None


def test_it_counts_an_empty_list_among_those_that_could_have_agreed():
    assert identifiers(build_rule_consensus(Kind.NORMALIZATION, {1: [gene("7")], 2: []}, "majority")) == []
    assert identifiers(build_rule_consensus(Kind.NORMALIZATION, {1: [gene("7")]}, "majority")) == ["7"]


def test_it_weighs_votes_and_their_confidences():
    found = build_rule_consensus(Kind.NORMALIZATION, GENES, "weighted", 0.4, weights={1: 3.0, 3: 0})
    assert [(each.annotation.identifier, each.support) for each in found] == [("8", 1.0), ("7", 0.75)]
    assert found[0].annotation.confidence == pytest.approx((3 * 0.5 + 1 * 0.7) / 4)
    assert found[1].annotation.confidence == 0.9  # the third has no weight


def test_it_reaches_a_threshold_however_the_shares_were_summed():
    weights = {1: 0.1, 2: 0.2, 3: 0.7}
    found = build_rule_consensus(
        Kind.NORMALIZATION, {1: [gene("7")], 2: [gene("7")], 3: []}, "weighted", 0.3, weights=weights
    )
    assert identifiers(found) == ["7"]


def test_it_lets_a_server_vote_once_with_its_surer_word():
    [found] = build_rule_consensus(
        Kind.NORMALIZATION, {1: [gene("7", 0.2), gene("7", 0.8)], 2: [gene("7", 0.6)]}, "intersection"
    )
    assert (found.producers, found.annotation.confidence) == ([1, 2], 0.7)


def test_it_takes_pairs_without_direction():
    [found] = build_rule_consensus(Kind.PAIR, {1: [pair("P2", "P1")], 2: [pair("P1", "P2")]}, "intersection")
    assert (found.annotation.identifier, found.annotation.partner) == ("P1", "P2")


# Identifiers of one gene

# CDH1 and CTNNB1 with their proteins, of which CDH1 has two, and a protein of several genes.
ENTRIES = [
    NamedEntry("uniprot", "P12830", genes=("999",)),
    NamedEntry("uniprot", "A0A024", genes=("999",)),
    NamedEntry("uniprot", "P35222", genes=("1499",)),
    NamedEntry("uniprot", "P62805", genes=("8359", "8360")),
]


def protein(identifier, confidence=None, taxon=None):
    return AnnotationData(Kind.NORMALIZATION, confidence, database="uniprot", identifier=identifier, taxon=taxon)


def agree_on_genes(findings, method="majority", *args, kind=Kind.NORMALIZATION, **options):
    found = build_rule_consensus(kind, findings, method, *args, entries=ENTRIES, **options)
    return [(each.annotation.identifier, each.producers, each.annotation.confidence) for each in found]


def test_servers_that_report_one_gene_in_two_databases_agree():
    assert agree_on_genes({1: [gene("999", 0.9)], 2: [protein("P12830", 0.5)]}) == [("999", [1, 2], 0.7)]


def test_the_identifier_of_most_servers_stands_for_the_gene():
    cdh1 = {1: [gene("999", 0.9)], 2: [protein("P12830", 0.5)], 3: [protein("P12830", 0.1)]}
    assert agree_on_genes(cdh1) == [("P12830", [1, 2, 3], 0.5)]
    assert agree_on_genes(cdh1, "weighted", 0.5, weights={1: 9.0})[0][0] == "P12830"
    # Of equally many the first database stands, then the first identifier.
    assert agree_on_genes({1: [protein("P12830")], 2: [protein("A0A024")]}) == [("A0A024", [1, 2], None)]
    [found] = build_rule_consensus(
        Kind.NORMALIZATION, {1: [protein("P12830", taxon=9606)], 2: [gene("999")]}, "majority", entries=ENTRIES
    )
    assert (found.annotation.database, found.annotation.taxon, found.annotation.rank) == ("ncbigene", 9606, 1)


def test_a_server_that_reports_both_identifiers_of_a_gene_votes_once_with_the_surer_one():
    both = {1: [gene("999", 0.2), protein("P12830", 0.8)], 2: [protein("P35222", 0.6)]}
    assert agree_on_genes(both, "union") == [("999", [1], 0.8), ("P35222", [2], 0.6)]
    assert agree_on_genes(both) == []
    assert agree_on_genes({**both, 2: [protein("P12830", 0.4)]}) == [("P12830", [1, 2], 0.6)]


def test_identifiers_that_no_table_maps_to_one_gene_stay_apart():
    apart = {1: [gene("8359"), protein("A00000")], 2: [protein("P62805"), gene("7")]}
    assert [found[0] for found in agree_on_genes(apart, "union")] == ["7", "8359", "A00000", "P62805"]
    assert agree_on_genes(apart) == []


def test_pairs_of_the_same_genes_agree():
    pairs = {
        1: [AnnotationData(Kind.PAIR, database="ncbigene", identifier="1499", partner="999")],
        2: [pair("P12830", "P35222", 0.5)],
        3: [pair("P35222", "A0A024", 0.7), pair("P35222", "P12830", 0.3)],
    }
    [found] = build_rule_consensus(Kind.PAIR, pairs, "intersection", entries=ENTRIES)
    chosen = found.annotation
    assert (chosen.database, chosen.identifier, chosen.partner) == ("uniprot", "P12830", "P35222")
    assert (found.producers, chosen.confidence) == ([1, 2, 3], 0.6)


def test_it_gives_the_organism_and_type_that_most_say():
    said = {1: [gene("7", taxon=9606)], 2: [gene("7", taxon=10090)], 3: [gene("7", taxon=10090)], 4: [gene("7")]}
    assert build_rule_consensus(Kind.NORMALIZATION, said, "union")[0].annotation.taxon == 10090
    marks = {1: [mention(0, 4)], 2: [mention(0, 4, type="gene")]}
    assert build_rule_consensus(Kind.MENTION, marks, "union")[0].annotation.type == "gene"


LISTS = {1: [gene("7", 0.9, 1), gene("8", 0.3, 2), gene("9", 0.8, 3)], 2: [gene("9", 0.4), gene("8", 0.6)]}


@pytest.mark.parametrize(
    ("cuts", "expected"),
    [
        ({}, ["8", "9"]),
        ({1: ListCutoff("rank", 2)}, ["8"]),
        ({1: ListCutoff("confidence", 0.5)}, []),  # the list of the first ends at its second item
        ({2: ListCutoff("confidence", 0.5)}, ["8"]),
        ({1: ListCutoff("confidence", 0.0), 2: ListCutoff("rank", 9)}, ["8", "9"]),
    ],
)
def test_it_cuts_each_list_before_it_votes(cuts, expected):
    found = build_rule_consensus(Kind.NORMALIZATION, LISTS, "cut_votes", 2, cuts=cuts)
    assert sorted(identifiers(found)) == expected
    whole = build_rule_consensus(Kind.NORMALIZATION, LISTS, "votes", 2, cuts=cuts)
    assert sorted(identifiers(whole)) == ["8", "9"]


# Mentions


def test_it_takes_mentions_by_equal_positions():
    marks = {1: [mention(0, 4), mention(10, 14)], 2: [mention(0, 4), mention(10, 15)]}
    assert spans(build_rule_consensus(Kind.MENTION, marks, "intersection")) == [(0, 4)]


def test_it_takes_mentions_that_overlap_for_the_same():
    marks = {1: [mention(0, 4), mention(10, 14)], 2: [mention(0, 4), mention(10, 15)]}
    found = build_rule_consensus(Kind.MENTION, marks, "intersection", spans=SpanMatching.OVERLAPPING)
    # Of equally many and equally sure servers the longer one stands.
    assert spans(found) == [(0, 4), (10, 15)]
    assert [each.annotation.rank for each in found] == [None, None]


def test_it_does_not_chain_mentions():
    """Two genes that two servers tell apart stay two, though a third marks both as one."""
    apart, together = [mention(0, 4), mention(8, 12)], [mention(0, 12)]
    found = build_rule_consensus(
        Kind.MENTION, {1: apart, 2: apart, 3: together}, "votes", 2, spans=SpanMatching.OVERLAPPING
    )
    assert [(*span, each.producers) for span, each in zip(spans(found), found, strict=True)] == [
        (0, 4, [1, 2, 3]),
        (8, 12, [1, 2]),
    ]


def test_it_shows_the_surest_of_mentions_marked_by_equally_many():
    marks = {1: [mention(0, 9, 0.5)], 2: [mention(2, 9, 0.9)], 3: [mention(0, 5, 0.7)]}
    [found] = build_rule_consensus(Kind.MENTION, marks, "majority", spans=SpanMatching.OVERLAPPING)
    assert (found.annotation.start, found.annotation.end, found.annotation.confidence) == (2, 9, 0.7)


def test_mentions_that_only_touch_are_two():
    found = build_rule_consensus(
        Kind.MENTION, {1: [mention(0, 4)], 2: [mention(4, 8)]}, "union", spans=SpanMatching.OVERLAPPING
    )
    assert spans(found) == [(0, 4), (4, 8)]


# Classifications


@pytest.mark.parametrize(
    ("calls", "method", "threshold", "expected"),
    [
        ([(True, 0.9), (True, 0.5), (False, 0.6)], "majority", None, (True, 0.7, [0, 1])),
        ([(True, 0.9), (False, 0.2), (False, 0.6)], "majority", None, (False, 0.4, [1, 2])),
        ([(True, None), (False, 0.2)], "union", None, (True, None, [0])),
        ([(True, None), (False, 0.2)], "intersection", None, (False, 0.2, [1])),
        ([(True, 0.9), (False, 0.2)], "majority", None, (False, 0.2, [1])),
        ([(False, 0.9)], "votes", 1, (False, 0.9, [0])),
    ],
)
def test_it_classifies(calls, method, threshold, expected):
    said = {number: [call(*each)] for number, each in enumerate(calls)}
    [found] = build_rule_consensus(Kind.CLASSIFICATION, said, method, threshold)
    assert (found.annotation.relevant, found.annotation.confidence, found.producers) == expected


def test_it_does_not_classify_what_nobody_classified():
    assert build_rule_consensus(Kind.CLASSIFICATION, {1: [], 2: []}, "union") == []
    assert build_rule_consensus(Kind.CLASSIFICATION, {}, "intersection") == []


# Rules


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "most"}, 'no consensus method "most". Choose one of: union, '),
        ({"method": "votes", "threshold": 0}, "whole number from 1"),
        ({"method": "votes", "threshold": 1.5}, "whole number from 1"),
        ({"method": "votes", "threshold": float("nan")}, "whole number from 1"),
        ({"method": "votes", "threshold": float("inf")}, "whole number from 1"),
        ({"method": "weighted", "threshold": 0}, "greater than 0 and at most 1"),
        ({"method": "weighted", "threshold": 1.1}, "greater than 0 and at most 1"),
        ({"method": "weighted", "weights": {1: -1}}, "from 0 to 1,000,000"),
        ({"method": "weighted", "weights": {1: float("nan")}}, "from 0 to 1,000,000"),
        ({"method": "weighted", "weights": {1: 1e308, 2: 1e308}}, "from 0 to 1,000,000"),
    ],
)
def test_it_refuses_rules_that_cannot_be(options, words):
    with pytest.raises(ConsensusRuleError, match=words):
        make_consensus_rule(**options)


def test_it_leaves_aside_what_a_method_does_not_take():
    assert make_consensus_rule("union", 7, weights={1: -1}, cuts={1: ListCutoff("rank", 1)}) == make_consensus_rule(
        "union"
    )


# Properties

CONFIDENCES = st.none() | st.sampled_from([0.25, 0.5, 1.0])
NORMALIZATIONS = st.builds(gene, st.sampled_from(["1", "2", "3", "4"]), CONFIDENCES)
MENTIONS = st.tuples(st.integers(0, 20), st.integers(1, 8), CONFIDENCES).map(lambda m: mention(m[0], m[0] + m[1], m[2]))
NORMALIZED = st.dictionaries(st.integers(0, 5), st.lists(NORMALIZATIONS, max_size=6), max_size=5)
MARKED = st.dictionaries(st.integers(0, 5), st.lists(MENTIONS, max_size=8), max_size=5)
METHOD = st.sampled_from(sorted(CONSENSUS_METHODS))


def keys(found):
    return {each.annotation.key for each in found}


@given(NORMALIZED)
def test_stricter_rules_agree_on_less(said):
    by = {method: keys(build_rule_consensus(Kind.NORMALIZATION, said, method)) for method in CONSENSUS_METHODS}
    votes = [keys(build_rule_consensus(Kind.NORMALIZATION, said, "votes", m)) for m in range(1, 7)]
    assert by["intersection"] <= by["majority"] <= by["union"] == votes[0]
    assert all(more <= fewer for fewer, more in pairwise(votes))
    assert by["intersection"] == (votes[len(said) - 1] if said else set())


@given(NORMALIZED, METHOD)
def test_every_annotation_is_somebodys(said, method):
    for number, each in enumerate(build_rule_consensus(Kind.NORMALIZATION, said, method), 1):
        assert each.producers == sorted(p for p, own in said.items() if each.annotation.key in {f.key for f in own})
        assert each.annotation.rank == number
        assert each.support == pytest.approx(len(each.producers) / len(said))


@given(NORMALIZED, METHOD, st.floats(0.1, 10))
def test_equal_weights_change_nothing(said, method, weight):
    plain = build_rule_consensus(Kind.NORMALIZATION, said, method)
    assert keys(build_rule_consensus(Kind.NORMALIZATION, said, method, weights=dict.fromkeys(said, weight))) == keys(
        plain
    )


@given(NORMALIZED, METHOD)
def test_it_does_not_matter_in_which_order_servers_are_given(said, method):
    turned = {producer: said[producer][::-1] for producer in reversed(said)}
    assert build_rule_consensus(Kind.NORMALIZATION, turned, method) == build_rule_consensus(
        Kind.NORMALIZATION, said, method
    )


@given(MARKED, METHOD)
def test_agreed_mentions_do_not_overlap_when_overlap_is_agreement(said, method):
    found = sorted(spans(build_rule_consensus(Kind.MENTION, said, method, spans=SpanMatching.OVERLAPPING)))
    assert all(before[1] <= after[0] for before, after in pairwise(found))


@given(MARKED)
def test_it_joins_mentions_as_the_slow_way_does(said):
    found = build_rule_consensus(Kind.MENTION, said, "union", spans=SpanMatching.OVERLAPPING)
    assert {span: each.producers for span, each in zip(spans(found), found, strict=True)} == merge_spans_slowly(said)


def merge_spans_slowly(said):
    """{span: producers}: the best span takes all that share a character with it, then the best of the others."""
    votes = {}
    for producer, own in said.items():
        for each in own:
            sure = votes.setdefault((each.start, each.end), {})
            sure[producer] = max(sure.get(producer, 0), each.confidence or 0)
    joined = {}
    while votes:
        start, end = best = min(votes, key=lambda span: (*quality(votes[span]), span[0] - span[1], span[0]))
        taken = [span for span in votes if span[0] < end and start < span[1]]
        joined[best] = sorted({producer for span in taken for producer in votes.pop(span)})
    return joined


def quality(votes):
    given = [confidence for confidence in votes.values() if confidence]
    return -len(votes), -sum(given) / len(given) if given else 0


@given(NORMALIZED.filter(bool), st.data())
def test_it_is_the_ensemble_of_runs(said, data):
    """A run's item has one line, and all lines of a run have a confidence or none has."""
    lists = {
        p: list({f.key: gene(f.identifier, f.confidence or 0.75) for f in own}.values()) for p, own in said.items()
    }
    votes = data.draw(st.integers(1, len(lists)))
    runs = [encode_run([("d", f.identifier, None, f.confidence) for f in own]) for own in lists.values()]
    joined = combine_list_runs_by_votes(runs, votes)
    found = build_rule_consensus(Kind.NORMALIZATION, lists, "votes", votes)
    assert identifiers(found) == [joined.item.names[code] for code in joined.item.codes]
    assert [each.annotation.rank for each in found] == joined.rank.tolist()
    if found:
        assert [each.annotation.confidence for each in found] == pytest.approx(joined.confidence.tolist())


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.25, 0.5, 1.0])), min_size=1, max_size=5), st.data())
def test_it_is_the_ensemble_of_classifications(calls, data):
    votes = data.draw(st.integers(1, len(calls)))
    joined = combine_call_runs_by_votes(
        [encode_calls([("d", relevant, None, sure)]) for relevant, sure in calls], votes
    )
    said = {number: [call(*each)] for number, each in enumerate(calls)}
    [found] = build_rule_consensus(Kind.CLASSIFICATION, said, "votes", votes)
    assert found.annotation.relevant == bool(joined.relevant[0])
    if joined.confidence is not None:
        assert found.annotation.confidence == pytest.approx(joined.confidence[0])


def test_it_agrees_on_entities_and_labels_of_any_type():
    cancer, flu = make_entity(EntityId("mesh", "D001943"), "Disease"), make_entity(EntityId("mesh", "D007251"))
    typed_otherwise = make_entity(EntityId("mesh", "D001943"), "disease", confidence=0.5)
    found = build_rule_consensus(Kind.ENTITY, {1: [flu, cancer], 2: [typed_otherwise], 3: [cancer]}, "majority")
    assert [(each.annotation.identifier, each.annotation.type, each.annotation.rank) for each in found] == [
        ("D001943", "Disease", 1)
    ]
    labels = {1: [make_label("topic", "a"), make_label("topic", "b")], 2: [make_label("topic", "b")]}
    found = build_rule_consensus(Kind.LABEL, labels, "union")
    assert [(each.annotation.text, each.annotation.rank, each.producers) for each in found] == [
        ("b", None, [1, 2]),
        ("a", None, [1]),
    ]


def relate(*names, relation_type="causes", **options):
    arguments = [RelationArgument(identifiers=(EntityId("ncbigene", name),)) for name in names]
    return make_relation(relation_type, arguments, **options)


def test_it_agrees_on_relations_by_type_and_direction():
    said = {
        1: [relate("7", "8"), relate("7", "9", directed=True)],
        2: [relate("8", "7"), relate("9", "7", directed=True)],
    }
    found = build_rule_consensus(Kind.RELATION, said, "union")
    assert [each.producers for each in found] == [[1, 2], [1], [2]]
    assert build_rule_consensus(Kind.RELATION, {2: said[1], 1: said[2]}, "union")[1:] == [
        found[1]._replace(producers=[2]),
        found[2]._replace(producers=[1]),
    ]


def test_relations_between_one_gene_in_two_databases_agree_on_its_identifier():
    entry = NamedEntry("uniprot", "P35222", genes=("8",))
    by_protein = make_relation(
        "causes",
        [RelationArgument(identifiers=(EntityId(*name),)) for name in (("ncbigene", "7"), ("uniprot", "P35222"))],
        confidence=0.9,
    )
    said = {1: [relate("7", "8")], 2: [relate("8", "7")], 3: [by_protein]}
    [found] = build_rule_consensus(Kind.RELATION, said, "intersection", entries=[entry])
    assert sorted(each.curie for each in found.annotation.iter_entity_ids()) == ["ncbigene:7", "ncbigene:8"]


def test_a_mention_has_the_links_that_most_voters_give_it():
    one, other = (EntityId("ncbigene", "7"),), (EntityId("ncbigene", "8"),)
    linked = [replace(mention(0, 4, confidence), identifiers=links) for confidence, links in ((0.9, other), (0.5, one))]
    found = build_rule_consensus(
        Kind.MENTION, {1: [linked[0]], 2: [linked[1]], 3: [linked[1]], 4: [mention(0, 4)]}, "union"
    )
    assert [each.annotation.identifiers for each in found] == [one]
