"""A digital abstract with everything that one can have, and others drawn by hypothesis."""

from hypothesis import strategies as st

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
from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract, ParticipantNames
from annotations.schema import EntityId, Span, make_entity, make_label
from tests.drawn_annotations import ANNOTATIONS, CONFIDENCES, TEXTS

TITLE = "RAD51 binds <BRCA2> & more"
ABSTRACT = 'We show by two hybrid that "BRCA2" binds RAD51.\nIt does not bind TP53.'
ARTICLE = AnnotatedArticle(
    "12",
    ArticleIds(10373512, "PMC3463565", "10.1000/xyz123"),
    [TextPassage("title", TITLE), TextPassage("abstract", ABSTRACT)],
    journal="Cell & Biology",
    year=1999,
    authors=("Marmorstein LY", "Doe J"),
)
TEXT = ARTICLE.text
BRCA2, RAD51, TP53 = (EntityId("uniprot", each) for each in ("P51587", "Q06609", "P04637"))
TERMS = {
    "MI:0018": "two hybrid",
    "MI:0019": "coimmunoprecipitation",
    "MI:0407": "direct interaction",
    "MI:0915": "physical association",
    "MI:0496": "bait",
    "MI:0498": "prey",
    "MI:0499": "unspecified role",
    "MI:0503": "self",
    "MI:0501": "enzyme",
}


def find_passage(text, figure=""):
    start = TEXT.index(text)
    return EvidencePassage(Span(start, start + len(text)), text, figure)


BINDING = Interaction(
    (
        Participant(BRCA2, "BRCA2", 9606, experimental_role="MI:0496"),
        Participant(RAD51, "Rad51 & co", 9606, "MI:0501", "MI:0498"),
    ),
    "MI:0407",
    (
        Detection(
            "MI:0018", (find_passage('by two hybrid that "BRCA2" binds RAD51', "Figure 2A"), find_passage(TITLE))
        ),
        Detection("MI:0019"),
    ),
    directed=True,
    confidence=0.8,
    comment="Checked twice.\n<Really>",
    sources=(Source("GNormPlus 2", Origin.SYSTEM), Source("Doe & Daughters", Origin.AUTHOR)),
)
NEGATIVE = Interaction(
    (Participant(BRCA2, "", 9606), Participant(TP53, "p53", 10090)),
    "MI:0915",
    (Detection("MI:0018", (find_passage("It does not bind TP53."),)),),
    negative=True,
)
DIMER = Interaction((Participant(RAD51, "", 9606, experimental_role="MI:0503"),))
COMPLEX = Interaction(
    (
        Participant(EntityId("complexportal", "CPX-6"), "BRC complex"),
        Participant(EntityId("chebi", "15422"), "ATP"),
        Participant(EntityId("", "an unknown: protein"), "X"),
    ),
    detections=(Detection("MI:0019"),),
)
FULL = DigitalAbstract(
    (BINDING, NEGATIVE, DIMER, COMPLEX),
    (9606, 10090),
    (
        SourcedAnnotation(
            make_entity(EntityId("mesh", "D001943"), "Disease", text="breast cancer"),
            (Source("TaggerOne & co", Origin.SYSTEM), Source("Doe J", Origin.AUTHOR)),
        ),
        SourcedAnnotation(make_label("kind", "review")),
    ),
    (
        Contributor("Josiah Carberry", Origin.CURATOR, "0000-0002-1825-0097"),
        Contributor("Jo <Doe>", Origin.AUTHOR),
    ),
    state=AbstractState.PUBLISHED,
    updated="2026-11-24T10:11:12+00:00",
    organism_sources={9606: (Source("SR4GN <1>", Origin.SYSTEM),)},
)
ENTRIES = {
    BRCA2: ParticipantNames("BRCA2", "Breast cancer type 2 susceptibility protein", ("FACD", "FANCD1 & others")),
    RAD51: ParticipantNames("RAD51", "DNA repair protein RAD51 homolog 1"),
}
ORGANISMS = {9606: "Homo sapiens", 10090: "Mus musculus"}


def export(abstract=FULL, article=ARTICLE):
    return ExportedAbstract(article, abstract, "https://bcms.example/articles/12/", TERMS, ORGANISMS, ENTRIES)


def draw_optional_texts():
    return st.just("") | TEXTS


ROLES = st.sampled_from(["MI:0499", "MI:0496", "MI:0498", "MI:0501"])
PASSAGES = st.builds(
    EvidencePassage, st.integers(0, 50).map(lambda start: Span(start, start + 7)), TEXTS, draw_optional_texts()
)
DETECTIONS = st.lists(
    st.builds(
        Detection, st.sampled_from(["MI:0018", "MI:0019", "MI:0686"]), st.lists(PASSAGES, unique=True).map(tuple)
    ),
    max_size=3,
    unique_by=lambda detection: detection.method,
).map(tuple)
PARTICIPANTS = st.builds(
    Participant,
    st.sampled_from([BRCA2, RAD51, TP53, EntityId("ncbigene", "7157"), EntityId("", " odd:\tname ")]),
    draw_optional_texts(),
    st.none() | st.sampled_from([9606, 10090]),
    ROLES,
    ROLES,
)
SOURCES = st.lists(st.builds(Source, TEXTS, st.sampled_from(Origin)), max_size=2).map(tuple)
INTERACTIONS = st.builds(
    Interaction,
    st.lists(PARTICIPANTS, min_size=2, max_size=4).map(tuple),
    st.sampled_from(["", "MI:0407", "MI:0915"]),
    DETECTIONS,
    st.booleans(),
    st.booleans(),
    CONFIDENCES,
    draw_optional_texts(),
    SOURCES,
)


def make_abstract(interactions, organisms, sources, *others):
    """A digital abstract, of whose organisms the first have these sources."""
    known = {organism: given for organism, given in zip(organisms, sources, strict=False) if given}
    return DigitalAbstract(interactions, organisms, *others, organism_sources=known)


DIGITAL_ABSTRACTS = st.builds(
    make_abstract,
    st.lists(INTERACTIONS, min_size=1, max_size=4).map(tuple),
    st.lists(st.sampled_from([9606, 10090, 4932]), unique=True).map(tuple),
    st.tuples(SOURCES, SOURCES),
    st.lists(st.builds(SourcedAnnotation, ANNOTATIONS, SOURCES), max_size=2).map(tuple),
    st.lists(
        st.builds(Contributor, TEXTS, st.sampled_from(Origin), st.sampled_from(["", "0000-0002-1825-0097"])), max_size=2
    ).map(tuple),
    st.booleans(),
    st.sampled_from(AbstractState),
    st.sampled_from(["", "2026-11-24", "2026-11-24T10:11:12Z"]),
)
