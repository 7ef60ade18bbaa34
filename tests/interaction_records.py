"""A digital abstract with all that interactions can have, for tests of its rules and of its forms."""

from annotations.digital_abstract import (
    AbstractState,
    Contributor,
    Detection,
    DigitalAbstract,
    EvidencePassage,
    Interaction,
    Origin,
    Participant,
    Source,
    SourcedAnnotation,
)
from annotations.schema import EntityId, Span, make_entity, make_label, make_mention

TEXT = "RAD51 binds BRCA2.\nWe show by two hybrid that BRCA2 binds RAD51, but not p53. ATM phosphorylates p53 at Ser15."
BRCA2, RAD51, P53, ATM = (EntityId("uniprot", each) for each in ("P51587", "Q06609", "P04637", "Q13315"))
ATP = EntityId("chebi", "15422")
BAIT, PREY, SELF, ENZYME, TARGET, UNSPECIFIED = "MI:0496", "MI:0498", "MI:0503", "MI:0501", "MI:0502", "MI:0499"
TWO_HYBRID, COIP, PULL_DOWN, KINASE_ASSAY = "MI:0018", "MI:0019", "MI:0096", "MI:0424"
ASSOCIATION, PHOSPHORYLATION = "MI:0915", "MI:0217"


def quote(text, figure=""):
    start = TEXT.index(text)
    return EvidencePassage(Span(start, start + len(text)), text, figure)


BINDING = Interaction(
    (
        Participant(BRCA2, "BRCA2", 9606, experimental_role=BAIT),
        Participant(RAD51, "Rad51", 9606, experimental_role=PREY),
    ),
    ASSOCIATION,
    (Detection(TWO_HYBRID, (quote("by two hybrid that BRCA2 binds RAD51", "Figure 2A"),)), Detection(COIP)),
    confidence=0.8,
    comment='Checked twice: "yes|no"\nand\ta tab',
    sources=(Source("GNormPlus 2", Origin.SYSTEM), Source("Doe J", Origin.AUTHOR)),
)
PHOSPHORYLATED = Interaction(
    (Participant(ATM, "ATM", 9606, ENZYME, UNSPECIFIED), Participant(P53, "p53", 10090, TARGET, UNSPECIFIED)),
    PHOSPHORYLATION,
    (Detection(KINASE_ASSAY, (quote("ATM phosphorylates p53 at Ser15."),)),),
    directed=True,
)
NEGATIVE = Interaction(
    (Participant(BRCA2, "", 9606), Participant(P53, "", 9606)), ASSOCIATION, (Detection(TWO_HYBRID),), negative=True
)
DIMER = Interaction((Participant(RAD51, "Rad51", 9606, experimental_role=SELF),), "MI:0407", (Detection(PULL_DOWN),))
COMPLEX = Interaction(
    (
        Participant(P53, "p53", 9606, experimental_role=PREY),
        Participant(BRCA2, "BRCA2", 9606, experimental_role=BAIT),
        Participant(ATP, "ATP"),
        Participant(EntityId("", "an unknown (protein)"), "X"),
    ),
    detections=(Detection(COIP), Detection(PULL_DOWN)),
)
ABSTRACT = DigitalAbstract(
    (BINDING, PHOSPHORYLATED, NEGATIVE, DIMER, COMPLEX),
    (9606, 10090),
    (
        SourcedAnnotation(make_entity(EntityId("mesh", "D001943"), "Disease", text="breast cancer")),
        SourcedAnnotation(
            make_mention([Span(0, 5), Span(12, 17)], "RAD51 BRCA2", "Gene", [RAD51], confidence=0.5),
            (Source("GNormPlus 2", Origin.SYSTEM),),
        ),
        SourcedAnnotation(make_label("kind", "research")),
    ),
    (Contributor("Josiah Carberry", Origin.CURATOR, "0000-0002-1825-0097"), Contributor("Doe J", Origin.AUTHOR)),
    state=AbstractState.PUBLISHED,
    updated="2026-11-24T10:11:12+00:00",
)
