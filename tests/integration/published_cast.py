"""An article with a published digital abstract: one interaction that a curator recorded, and an organism."""

from annotations.curation.contents import build_interaction_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.publishing import publish_curation
from annotations.curation.session import finish_curation
from annotations.curation.states import ItemKind
from annotations.digital_abstract import Detection, EvidencePassage, Interaction, Participant
from annotations.schema import AnnotationData, EntityId, Kind, Span
from tests.integration.article_cast import ABSTRACT, TITLE
from tests.integration.curation_cast import NOON, begin, decide, propose

PASSAGE = "E-cadherin (CDH1) binds beta-catenin."
SENTENCE = "CDH1 (uniprotkb:P12830) physically interacts with CTNNB1 (uniprotkb:P35222) by two hybrid (MI:0018)."


def make_interaction():
    start = f"{TITLE}\n{ABSTRACT}".index(PASSAGE)
    return Interaction(
        (
            Participant(EntityId("uniprot", "P12830"), "CDH1", 9606),
            Participant(EntityId("uniprot", "P35222"), "", 9606),
        ),
        "MI:0915",
        (Detection("MI:0018", (EvidencePassage(Span(start, start + len(PASSAGE)), PASSAGE, "Figure 1"),)),),
    )


def record_interaction(user, article):
    """The curation of the article by the user, with an interaction and an organism."""
    curation = begin(user, article)
    organism = AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606")
    decide(curation, "accept", propose(ItemKind.ORGANISM, "ncbitaxon:9606", organism))
    item = ItemProposal(ItemKind.INTERACTION, "new-1", build_interaction_content(make_interaction()))
    decide(curation, "add", item)
    return curation


def publish_interaction(user, article):
    curation = record_interaction(user, article)
    finish_curation(curation.pk, 2, NOON)
    return publish_curation(curation.pk, None, NOON)
