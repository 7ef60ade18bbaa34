"""An article whose servers annotate more than genes: mentions in parts with links, entities, relations and labels."""

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import (
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)
from tests.integration.article_cast import live_queue

URL = "/articles/20000002/"
TITLE = "Tamoxifen in breast and ovarian cancer"
ABSTRACT = "Tamoxifen treats breast cancer. BRCA1 protects from ovarian cancer. Wnt signalling was not studied."
TAMOXIFEN = EntityId("mesh", "D013629")
BREAST_CANCER = EntityId("mesh", "D001943")
OVARIAN_CANCER = EntityId("mesh", "D010051")
BRCA1 = EntityId("ncbigene", "672")
LOCAL = EntityId("", "tumour-7")
TEXT = f"{TITLE}\n{ABSTRACT}"


def find_span(text, nth=0):
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(text, start + 1)
    return Span(start, start + len(text))


def mark(text, entity_type, *identifiers, nth=0, confidence=0.8):
    return make_mention([find_span(text, nth)], text, entity_type, identifiers, confidence=confidence)


BREAST_IN_PARTS = make_mention(
    [find_span("breast"), find_span("cancer")], "breast cancer", "DiseaseOrPhenotypicFeature", [BREAST_CANCER]
)
MENTIONS = [
    mark("Tamoxifen", "ChemicalEntity", TAMOXIFEN),
    mark("Tamoxifen", "ChemicalEntity", TAMOXIFEN, nth=1),
    BREAST_IN_PARTS,
    mark("ovarian cancer", "Disease", OVARIAN_CANCER),
    mark("breast cancer", "Disease", BREAST_CANCER),
    mark("BRCA1", "Gene", BRCA1, LOCAL),
    mark("ovarian cancer", "Disease", nth=1),
    mark("Wnt signalling", "Pathway"),
]
TREATS = make_relation(
    "treats",
    [
        RelationArgument("drug", (TAMOXIFEN,), (find_span("Tamoxifen", 1),), "ChemicalEntity", "Tamoxifen"),
        RelationArgument("disease", (BREAST_CANCER,), (find_span("breast cancer"),), "Disease", "breast cancer"),
    ],
    directed=True,
    qualifiers={"novelty": "Novel"},
    evidence=[find_span("Tamoxifen treats breast cancer.")],
    confidence=0.7,
)
# Its first end is a mention that no server marks.
PROTECTS = make_relation(
    "protects",
    [
        RelationArgument(spans=(find_span("studied"),), text="studied"),
        RelationArgument(identifiers=(OVARIAN_CANCER,)),
    ],
    qualifiers={"negated": "true"},
)


def make_open_article():
    passages = [{"type": "title", "text": TITLE}, {"type": "abstract", "text": ABSTRACT}]
    return Article.objects.create(pmid=20000002, passages=passages, text=TEXT, content_hash="3" * 64)


def create_known_entries():
    for identifier, name in (("D001943", "Breast Neoplasms"), ("D010051", "Ovarian Neoplasms")):
        Entry.objects.create(database="mesh", identifier=identifier, exists=True, name=name)
    Entry.objects.create(database="ncbigene", identifier="672", exists=True, symbol="BRCA1", taxon=9606)


def annotate_openly(team, article):
    """Alpha makes annotations of every kind, Beta some of them; their queues."""
    alpha, beta = live_queue(team, "Alpha"), live_queue(team, "Beta")
    found = {
        Kind.MENTION: MENTIONS,
        Kind.ENTITY: [make_entity(BREAST_CANCER, "Disease", text="breast cancer"), make_entity(LOCAL, "Disease")],
        Kind.RELATION: [TREATS, PROTECTS],
        Kind.LABEL: [make_label("study type", "review", confidence=0.6)],
    }
    store_results_superseding_earlier(article, alpha.producer, found, duration_seconds=0.5)
    fewer = {Kind.MENTION: [MENTIONS[1], BREAST_IN_PARTS], Kind.RELATION: [TREATS]}
    store_results_superseding_earlier(article, beta.producer, fewer, duration_seconds=0.5)
    return alpha, beta
