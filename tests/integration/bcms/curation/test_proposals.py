"""What servers propose to a curator: their consensus as items, the same for every curator, stored once."""

import pytest

from annotations.curation.contents import read_annotation_content, read_interaction_content
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, EntityId, Kind, make_label
from bcms.curation.proposals import ProposalRecipe, load_or_build_candidate_list
from tests.integration.article_cast import make_article_of_three_servers, make_read_article

pytestmark = pytest.mark.django_db


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


def list_keys(candidates, kind):
    return list(candidates.candidates.filter(kind=kind).order_by("position").values_list("key", flat=True))


def test_it_proposes_entities_the_most_confident_first(article):
    candidates = load_or_build_candidate_list(article)
    assert list_keys(candidates, "entity") == ["uniprot:P12830", "uniprot:P35222", "uniprot:P09803"]
    first = candidates.candidates.get(key="uniprot:P12830")
    assert (first.confidence, len(first.producers)) == (0.85, 3)
    assert read_annotation_content(first.content).identifier == "P12830"


def test_it_proposes_the_organisms_of_genes(article):
    assert list_keys(load_or_build_candidate_list(article), "organism") == ["ncbitaxon:9606", "ncbitaxon:10090"]


def test_it_groups_mentions_of_one_text(article):
    candidates = load_or_build_candidate_list(article)
    groups = candidates.candidates.filter(kind="mention").values_list("group", flat=True)
    assert sorted(groups).count("ecadherin") == 2


def test_it_proposes_pairs_as_interactions_with_their_passages(article):
    producer = article.results.first().producer
    pair = AnnotationData(Kind.PAIR, 0.7, database="uniprot", identifier="P35222", partner="P12830")
    passage = AnnotationData(
        Kind.PASSAGE, database="uniprot", identifier="P12830", partner="P35222", text="CTNNB1 was lost."
    )
    store_results_superseding_earlier(article, producer, {Kind.PAIR: [pair], Kind.PASSAGE: [passage]})
    candidates = load_or_build_candidate_list(article)
    assert list_keys(candidates, "interaction") == ["interaction:uniprot:P12830|uniprot:P35222"]
    interaction = read_interaction_content(candidates.candidates.get(kind="interaction").content)
    assert [(each.entity, each.name, each.taxon) for each in interaction.participants] == [
        (EntityId("uniprot", "P12830"), "CDH1", 9606),
        (EntityId("uniprot", "P35222"), "CTNNB1", 9606),
    ]
    (evidence,) = interaction.iter_evidence()
    assert article.text[slice(*evidence.span)] == evidence.text == "CTNNB1 was lost."


def test_it_keeps_every_character_of_what_is_proposed(article):
    text = 'Tab\t, line\n, return\r, "quotes", \\backslash\\N and Δ'
    label = make_label("note", text)
    store_results_superseding_earlier(article, article.results.first().producer, {Kind.LABEL: [label]})
    candidate = load_or_build_candidate_list(article).candidates.get(kind="label")
    assert (candidate.key, candidate.confidence) == (f"note={text}", None)
    assert read_annotation_content(candidate.content) == label


def test_it_stores_a_list_once_until_the_annotations_change(article, django_assert_num_queries):
    with django_assert_num_queries(17):
        first = load_or_build_candidate_list(article)
    with django_assert_num_queries(3):
        assert load_or_build_candidate_list(article) == first
    stricter = load_or_build_candidate_list(article, ProposalRecipe(method="votes", threshold=3.0))
    assert list_keys(stricter, "entity") == ["uniprot:P12830"]
    assert stricter.recipe["threshold"] == 3.0
    store_results_superseding_earlier(article, article.results.first().producer, {Kind.NORMALIZATION: []})
    assert load_or_build_candidate_list(article) != first


def test_it_proposes_nothing_before_servers_have_answered(db):
    candidates = load_or_build_candidate_list(make_read_article())
    assert not candidates.candidates.exists()
