"""The consensus, and what it proposes to curators, against the same written slowly and plainly."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from annotations.curation.candidate_building import build_candidates, build_item_key
from annotations.curation.contents import build_annotation_content
from annotations.identifiers.entries import NamedEntry
from annotations.results.consensus.methods import MentionMatching, make_consensus_rule
from annotations.results.consensus.voting import build_consensus
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span, make_mention, make_relation
from tests.reference.slow_consensus import build_slow_consensus

# P1 and 1 are of one gene; 2 and 3 are of one gene, too.
ENTRIES = {
    (entry.database, entry.identifier): entry
    for entry in (
        NamedEntry("uniprot", "P1", exists=True, taxon=9606, genes=("1",)),
        NamedEntry("ncbigene", "1", exists=True, taxon=9606),
        NamedEntry("uniprot", "P2", exists=True, taxon=10090),
    )
}
CONFIDENCES = st.none() | st.sampled_from([0.1, 0.25, 1 / 3, 0.7, 1.0])
TAXA = st.sampled_from([None, 9606, 10090])
TYPES = st.sampled_from(["", "Gene", "gene", "GeneOrGeneProduct", "Disease", "?"])
IDS = st.builds(EntityId, st.sampled_from(["uniprot", "ncbigene"]), st.sampled_from(["P1", "1", "P2", "2"]))


@st.composite
def draw_mention(draw):
    start, length = draw(st.integers(0, 2)), draw(st.integers(2, 3))
    parts = draw(st.sampled_from([[Span(start, start + length)], [Span(start, start + 1), Span(start + 5, start + 6)]]))
    links = draw(st.lists(IDS, max_size=2))
    return make_mention(
        parts, "x" * length, draw(TYPES), links, confidence=draw(CONFIDENCES), rank=draw(st.just(None) | st.just(3))
    )


@st.composite
def draw_entity(draw, kind):
    (database, identifier), rank = draw(IDS), draw(st.none() | st.integers(1, 3))
    confidence, taxon = draw(CONFIDENCES), draw(TAXA)
    return AnnotationData(kind, confidence, rank, database=database, identifier=identifier, taxon=taxon)


@st.composite
def draw_pair(draw):
    ids = st.sampled_from(["P1", "P2", "P3"])
    return AnnotationData(Kind.PAIR, draw(CONFIDENCES), database="uniprot", identifier=draw(ids), partner=draw(ids))


@st.composite
def draw_relation(draw):
    arguments = [RelationArgument(identifiers=(draw(IDS),)) for _ in range(2)]
    return make_relation(
        draw(st.sampled_from(["binds", "causes"])),
        arguments,
        directed=draw(st.booleans()),
        confidence=draw(CONFIDENCES),
    )


DRAWN = {
    Kind.MENTION: draw_mention(),
    Kind.NORMALIZATION: draw_entity(Kind.NORMALIZATION),
    Kind.PAIR: draw_pair(),
    Kind.RELATION: draw_relation(),
}


def draw_lists(kind):
    return st.dictionaries(st.integers(1, 4), st.lists(DRAWN[kind], max_size=6), max_size=4)


RULES = st.builds(
    lambda method, threshold, match, weights: make_consensus_rule(
        method, threshold if method == "votes" else None, match=match, weights=weights
    ),
    st.sampled_from(["union", "majority", "votes", "weighted"]),
    st.sampled_from([1, 2]),
    st.sampled_from(MentionMatching),
    st.dictionaries(st.integers(1, 4), st.sampled_from([0.0, 0.1, 0.2, 2.0])),
)


@given(st.data(), st.sampled_from(list(DRAWN)), RULES)
def test_it_is_the_slow_consensus(data, kind, rule):
    said = data.draw(draw_lists(kind))
    agreed = build_consensus(kind, said, rule, ENTRIES)
    found = [(each.annotation, each.producers, each.support) for each in agreed]
    assert found == build_slow_consensus(kind, said, rule, ENTRIES)


@given(draw_lists(Kind.MENTION), draw_lists(Kind.NORMALIZATION), RULES)
def test_it_proposes_the_slow_consensus(mentions, genes, rule):
    said = {Kind.MENTION: mentions, Kind.NORMALIZATION: genes}
    candidates = build_candidates(said, lambda _: rule, ENTRIES, "")
    found = {(each.kind, each.key): each for each in candidates if each.kind != "organism"}
    expected = {}
    for kind, item_kind in ((Kind.MENTION, "mention"), (Kind.NORMALIZATION, "entity")):
        for annotation, producers, _ in build_slow_consensus(kind, said[kind], rule, ENTRIES):
            entry = ENTRIES.get((annotation.database, annotation.identifier))
            taxon = annotation.taxon or (entry.taxon if entry else None)
            content = build_annotation_content(replace(annotation, rank=None, taxon=taxon))
            proposed = (content, producers, annotation.confidence)
            expected.setdefault((item_kind, build_item_key(annotation)), proposed)
    assert {key: (each.content, each.producers, each.confidence) for key, each in found.items()} == expected
    assert candidates == sorted(
        candidates, key=lambda each: (each.kind, -(each.confidence or 0), -len(each.producers), each.key)
    )
