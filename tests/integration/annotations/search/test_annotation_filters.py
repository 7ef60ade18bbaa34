"""Which annotations make an article match: by type, text, entity, pair, relation, method and confidence."""

import pytest

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import AnnotatedTerm, Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_mention,
    make_relation,
)
from annotations.search.article_search import SearchCriteria, filter_articles

TNF, MDM2, CANCER = EntityId("ncbigene", "7124"), EntityId("uniprot", "Q00987"), EntityId("mesh", "D001943")


def relate(*ids, relation_type="Positive_Correlation", **options):
    return make_relation(relation_type, [RelationArgument("", (each,)) for each in ids], **options)


def annotate(number, annotations, producer):
    article, _ = Article.objects.get_or_create(pmid=number, passages=[], text="", content_hash=str(number))
    store_results_superseding_earlier(article, producer, {each.kind: [] for each in annotations} | group(annotations))


def group(annotations):
    return {kind: [each for each in annotations if each.kind == kind] for kind in {each.kind for each in annotations}}


@pytest.fixture
def server(db):
    return Producer.objects.create(sort="server", name="Open", public=True)


@pytest.fixture
def annotated(server):
    """Articles 1 to 5 with annotations by one public server."""
    Entry.objects.create(database="mesh", identifier="D001943", name="Breast Neoplasms", synonyms=["Breast Cancer"])
    Entry.objects.create(database="psi-mi", identifier="MI:0018", name="two hybrid", synonyms=["2H"])
    Entry.objects.create(database="uniprot", identifier="Q00987", symbol="MDM2")
    linked = make_mention([Span(0, 5)], "TNF-α", "Gene", [TNF], confidence=0.9)
    unsure = make_mention([Span(9, 12)], "tumour", "DISEASE", confidence=0.2)
    annotate(1, [linked, unsure, make_entity(CANCER, "DiseaseClass", confidence=0.6)], server)
    annotate(2, [make_mention([Span(0, 3)], "TNF", "Chemical", [CANCER, MDM2]), relate(TNF, MDM2, CANCER)], server)
    pair = AnnotationData(Kind.PAIR, 0.5, database="uniprot", identifier="P04637", partner="Q00987")
    annotate(3, [pair, AnnotationData(Kind.METHOD, 0.7, database="psi-mi", identifier="MI:0018")], server)
    gene = AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="Q00987", taxon=9606)
    annotate(4, [gene, AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="10090")], server)
    found_by = {"qualifiers": {"method": "mi:0018"}, "confidence": 0.8}
    annotate(5, [relate(CANCER, CANCER, relation_type="positive correlation", **found_by)], server)
    update_summaries_returning_whether_more_remain()


def search(**criteria):
    articles = filter_articles(Article.objects.all(), SearchCriteria(**criteria))
    return sorted(articles.values_list("pmid", flat=True))


@pytest.mark.parametrize(
    ("criteria", "found"),
    [
        ({"entity_type": "Disease"}, [1]),
        ({"entity_type": "specific disease"}, [1]),
        ({"entity_type": "GeneOrGeneProduct"}, [1]),
        ({"entity_type": "Protein"}, [4]),
        ({"entity_type": "organism"}, [4]),
        ({"entity_type": "unicorn"}, []),
        ({"mention": "tnf alpha"}, [1]),
        ({"mention": "TNF-α"}, [1]),
        ({"mention": "tnf"}, [2]),
        ({"mention": "alpha"}, []),
        ({"entities": ("MESH:D001943",)}, [1, 2, 5]),
        ({"entities": ("mesh:d001943",)}, [1, 2, 5]),
        ({"entities": ("http://id.nlm.nih.gov/mesh/D001943",)}, [1, 2, 5]),
        ({"entities": ("breast cancer",)}, [1, 2, 5]),
        ({"entities": ("NCBIGene:7124",)}, [1, 2]),
        ({"entities": ("human",)}, [4]),
        ({"entities": ("unicorn",)}, []),
        ({"entities": ("breast cancer", "MDM2")}, [2]),
        ({"entities": ("breast cancer", "ncbigene:7124")}, [1, 2]),
        ({"entities": ("breast cancer", "unicorn")}, []),
        # One annotation of each entity.
        ({"entities": ("breast cancer", "MDM2"), "entity_type": "Chemical"}, [2]),
        ({"entities": ("breast cancer", "ncbigene:7124"), "entity_type": "Gene"}, []),
        ({"pair": ("P04637", "MDM2")}, []),
        ({"pair": ("uniprot:P04637", "MDM2")}, [3]),
        ({"pair": ("MDM2", "uniprot:P04637")}, [3]),
        ({"pair": ("breast cancer", "ncbigene:7124")}, [2]),
        ({"pair": ("breast cancer", "breast cancer")}, [5]),
        ({"pair": ("mdm2", "mdm2")}, []),
        ({"relation_type": "positive correlation"}, [2, 5]),
        ({"relation_type": "Interaction"}, [3]),
        ({"relation_type": "Interaction", "pair": ("MDM2", "ncbigene:7124")}, []),
        ({"method": "MI:0018"}, [3, 5]),
        ({"method": "two-hybrid"}, [3, 5]),
        ({"method": "unicorn"}, []),
        # One annotation matches all of these.
        ({"entity_type": "Gene", "mention": "TNF-alpha", "entities": ("ncbigene:7124",)}, [1]),
        ({"entity_type": "Disease", "mention": "TNF-alpha"}, []),
        ({"entity_type": "Gene", "entities": ("MESH:D001943",)}, []),
        ({"entity_type": "Chemical", "entities": ("MESH:D001943",)}, [2]),
        ({"entity_type": "Species", "entities": ("mouse",)}, [4]),
        ({"entity_type": "Disease", "confidence": 0.6}, [1]),
        ({"entity_type": "Disease", "confidence": 0.61}, []),
        ({"mention": "TNF", "confidence": 0.1}, []),
        ({"entities": ("breast cancer",), "confidence": 0.7}, [5]),
        ({"method": "MI:0018", "confidence": 0.75}, [5]),
        ({"pair": ("MDM2", "uniprot:P04637"), "confidence": 0.5}, [3]),
        ({"pair": ("MDM2", "uniprot:P04637"), "confidence": 0.51}, []),
        # A mention and a relation are two annotations.
        ({"entity_type": "Chemical", "relation_type": "Positive_Correlation"}, [2]),
    ],
)
def test_it_finds_articles_by_their_annotations(annotated, criteria, found):
    assert search(**criteria) == found


def test_it_finds_only_what_everybody_sees(annotated, server):
    """Neither annotations that are not public, nor superseded ones, nor those of a former text, nor gold standards."""
    hidden = Producer.objects.create(sort="server", name="Hidden", public=False)
    gold = Producer.objects.create(sort="gold", name="Gold", public=True)
    sure = make_mention([Span(0, 3)], "TNF", "Chemical", [CANCER], confidence=1.0)
    for producer in (hidden, gold):
        annotate(2, [sure, make_mention([Span(5, 9)], "secret", "Tissue", [EntityId("mesh", "D000001")])], producer)
    update_summaries_returning_whether_more_remain()
    for criteria in (
        *({"mention": "secret"}, {"entity_type": "Tissue"}, {"entities": ("mesh:D000001",)}),
        {"mention": "TNF", "confidence": 0.5},
    ):
        assert search(**criteria) == [], criteria
    assert not AnnotatedTerm.objects.filter(value__in=["Tissue", "mesh:D000001"]).exists()
    assert search(mention="TNF", entity_type="Chemical") == [2]
    annotate(2, [make_mention([Span(0, 3)], "TNF", "Gene")], server)
    # The summary is older than the annotations, which are searched.
    assert search(mention="TNF", entity_type="Chemical") == []
    Article.objects.filter(pmid=1).update(text_version=2)
    assert search(mention="TNF-alpha", entity_type="Gene") == []


def test_it_finds_what_a_chosen_server_annotated(annotated, server):
    other = Producer.objects.create(sort="server", name="Other", public=True)
    own = Producer.objects.create(sort="server", name="Own", public=False)
    for producer in (other, own):
        annotate(3, [make_mention([Span(0, 3)], f"by {producer.name}", "Disease")], producer)
    update_summaries_returning_whether_more_remain()
    assert search(entity_type="Disease") == [1, 3]
    assert search(entity_type="Disease", producers=(server.pk,)) == [1]
    assert search(entity_type="Disease", producers=(other.pk,)) == [3]
    assert search(mention="by own", producers=(own.pk,), hidden_producers=(own.pk,)) == [3]
    assert search(mention="by own", producers=(server.pk,)) == []


def test_a_long_text_is_found_by_its_beginning(server):
    annotate(1, [make_mention([Span(0, 4000)], "x" * 4000, "Gene")], server)
    update_summaries_returning_whether_more_remain()
    assert search(mention="x" * 300) == [1]
    assert search(mention="x" * 199) == []
