"""Producers compared by their entities, relations and labels: what the database counts equals AnnotationData.key."""

from dataclasses import replace
from random import Random

import pytest

from annotations.articles.models import Article
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import EntityId, Kind, RelationArgument, Span, make_entity, make_label, make_relation
from evaluation.agreement.candidates import list_comparison_candidates
from evaluation.agreement.comparison import compare_producers_and_their_earlier_answers
from evaluation.analyses.overlap import overlap_from_presence
from evaluation.analyses.producer_agreement import compute_agreement_on_shared_article_items
from evaluation.measures.agreement import count_shared_article_items_by_presence
from tests.integration.evaluation_cast import make_corpus

pytestmark = pytest.mark.django_db
DRUG, DISEASE, GENE = EntityId("mesh", "D013629"), EntityId("mesh", "D001943"), EntityId("ncbigene", "672")
ENTITIES = [
    make_entity(DRUG, "Chemical"),
    make_entity(DISEASE, "Disease"),
    make_entity(EntityId("", "D001943"), "Disease"),
    make_entity(GENE, "Gene", taxon=9606),
]
LABELS = [make_label(name, value) for name in ("topic", "species") for value in ("human", "mouse", "Mouse")]
ENDS = [
    RelationArgument("drug", (DRUG,), (Span(0, 4),), "Chemical", "drug"),
    RelationArgument("drug", (DRUG,), (Span(9, 12),), "Chemical", "pill"),
    RelationArgument("", (DRUG, GENE)),
    RelationArgument("", (GENE, DRUG)),
    RelationArgument("target", (DISEASE,)),
    RelationArgument("drug", (), (Span(0, 4),), "Chemical", "drug"),
    RelationArgument("drug", (), (Span(0, 2), Span(3, 4)), "Chemical", "dr g"),
]


def draw_relations(random):
    return [
        make_relation(
            random.choice(("treats", "causes")),
            random.choices(ENDS, k=random.choice((2, 2, 3))),
            directed=random.random() < 0.5,
            qualifiers=random.choice(({}, {"negated": "true"}, {"negated": "false"}, {"novelty": "Novel"})),
        )
        for _ in range(150)
    ]


def draw_annotations(kind, random):
    if kind is Kind.RELATION:
        return draw_relations(random)
    choices = ENTITIES if kind is Kind.ENTITY else LABELS
    return random.sample(choices, random.randint(0, len(choices)))


def store_drawn_annotations(kind):
    """Three producers on four articles; {article: keys} of each."""
    random, keys_of_producers = Random(14), []
    for name in ("A", "B", "C"):
        producer, keys = Producer.objects.create(name=name, sort="server", public=True), {}
        for article in Article.objects.order_by("pmid"):
            drawn = draw_annotations(kind, random)
            store_results_superseding_earlier(article, producer, {kind: drawn})
            keys[article.pk] = {annotation.key for annotation in drawn}
        keys_of_producers.append(keys)
    return keys_of_producers


@pytest.mark.parametrize("kind", [Kind.ENTITY, Kind.RELATION, Kind.LABEL])
def test_the_database_counts_what_has_equal_keys(kind):
    corpus = make_corpus()
    keys_of_producers = store_drawn_annotations(kind)
    candidates = list_comparison_candidates(corpus, Producer.objects.all())
    compared = compare_producers_and_their_earlier_answers(corpus, kind, candidates)
    assert replace(compared.agreements, intervals={}) == compute_agreement_on_shared_article_items(
        ["A", "B", "C"], keys_of_producers
    )
    assert compared.overlap == overlap_from_presence(count_shared_article_items_by_presence(keys_of_producers))
    assert len(compared.overlap.regions) > 4


def test_the_page_and_rest_compare_open_kinds(client):
    make_corpus()
    store_drawn_annotations(Kind.RELATION)
    chosen = "".join(f"&producer={producer.pk}" for producer in Producer.objects.all())
    page = client.get(f"/corpora/four/compare/?kind=relation{chosen}").content.decode()
    assert "Relations (3)" in page and "Fleiss" in page
    read = client.get(f"/api/v1/corpora/four/compare/?kind=relation{chosen}").json()
    assert read["kind"] == "relation" and len(read["pairs"]) == 3
