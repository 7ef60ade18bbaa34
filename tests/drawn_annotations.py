"""Annotations of every kind, drawn by hypothesis."""

from hypothesis import strategies as st

from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)

# With what rows and files escape: tabs, line breaks, backslashes, colons, bars, and characters of two code units.
TEXTS = st.text("aB1 \t\n\\\"':|,;.é\U0001f9ec\u2028", max_size=8)
NONEMPTY_TEXTS = TEXTS.filter(bool)
CONFIDENCES = st.none() | st.floats(0.001, 1)
RANKS = st.none() | st.integers(1, 2**31 - 1)
ENTITY_IDS = st.one_of(
    st.builds(EntityId, st.sampled_from(["uniprot", "ncbigene", "mesh", "psi-mi", "cellosaurus"]), NONEMPTY_TEXTS),
    st.just(EntityId("psi-mi", "MI:0018")),
    st.just(EntityId("", "c|SUB|C|1858|T;Gene:672")),
    st.just(EntityId("mesh", "D" * 200)),
)
IDENTIFIERS = st.lists(ENTITY_IDS, max_size=3)


@st.composite
def draw_parts(draw, most=3):
    """One to `most` parts in the order of the text, which do not overlap."""
    numbers = st.lists(st.integers(0, 60), min_size=2, max_size=2 * most, unique=True)
    edges = sorted(draw(numbers.filter(lambda edges: len(edges) % 2 == 0)))
    return [Span(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True)]


MENTIONS = st.builds(make_mention, draw_parts(), NONEMPTY_TEXTS, TEXTS, IDENTIFIERS, confidence=CONFIDENCES, rank=RANKS)
ENTITIES = st.builds(
    make_entity,
    ENTITY_IDS,
    TEXTS,
    taxon=st.none() | st.just(9606),
    text=TEXTS,
    confidence=CONFIDENCES,
    rank=RANKS,
)
ARGUMENTS = st.one_of(
    st.builds(RelationArgument, TEXTS, st.lists(ENTITY_IDS, min_size=1, max_size=3).map(tuple)),
    st.builds(
        RelationArgument, TEXTS, IDENTIFIERS.map(tuple), draw_parts().map(tuple), type=TEXTS, text=NONEMPTY_TEXTS
    ),
)
RELATIONS = st.builds(
    make_relation,
    TEXTS,
    st.lists(ARGUMENTS, min_size=2, max_size=4),
    directed=st.booleans(),
    qualifiers=st.dictionaries(NONEMPTY_TEXTS | st.just("negated"), TEXTS | st.just("true"), max_size=3),
    evidence=draw_parts(),
    confidence=CONFIDENCES,
    rank=RANKS,
)
LABELS = st.builds(make_label, NONEMPTY_TEXTS, NONEMPTY_TEXTS, confidence=CONFIDENCES)
GENE_DATABASES = st.sampled_from(["uniprot", "ncbigene"])
SEVEN_KINDS_BUT_MENTIONS = st.one_of(
    st.builds(
        AnnotationData,
        st.just(Kind.NORMALIZATION),
        CONFIDENCES,
        RANKS,
        database=GENE_DATABASES,
        identifier=NONEMPTY_TEXTS,
        taxon=st.none() | st.just(9606),
    ),
    st.builds(
        AnnotationData,
        st.just(Kind.TAXON),
        CONFIDENCES,
        RANKS,
        database=st.just("ncbitaxon"),
        identifier=NONEMPTY_TEXTS,
    ),
    st.builds(AnnotationData, st.just(Kind.CLASSIFICATION), CONFIDENCES, relevant=st.sampled_from([None, True, False])),
    st.builds(
        AnnotationData,
        st.just(Kind.PAIR),
        CONFIDENCES,
        RANKS,
        database=GENE_DATABASES,
        identifier=NONEMPTY_TEXTS,
        partner=NONEMPTY_TEXTS,
    ),
    st.builds(
        AnnotationData,
        st.just(Kind.METHOD),
        CONFIDENCES,
        RANKS,
        database=st.just("psi-mi"),
        identifier=st.just("MI:0018"),
    ),
    st.builds(
        AnnotationData,
        st.just(Kind.PASSAGE),
        CONFIDENCES,
        RANKS,
        text=NONEMPTY_TEXTS,
        database=GENE_DATABASES,
        identifier=NONEMPTY_TEXTS,
        partner=NONEMPTY_TEXTS,
    ),
)
ANNOTATIONS = st.one_of(MENTIONS, ENTITIES, RELATIONS, LABELS, SEVEN_KINDS_BUT_MENTIONS)
