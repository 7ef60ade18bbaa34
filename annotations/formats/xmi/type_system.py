"""The UIMA types of exports, and the description of them that every archive contains.

`bcms.Article` is the article with its reference, `bcms.Passage` a part of its text, `bcms.Finding` an annotation: of
its span for a mention, otherwise of the whole text. Findings refer to structures: spans of discontinuous mentions and
of evidence, identifiers, arguments and qualifiers of relations. Source: OASIS, UIMA Version 1.0.
"""

from collections.abc import Iterator, Mapping

from annotations.formats.articles.annotated_article import EXPORTED_ANNOTATION_FIELDS, PRODUCER_FIELDS
from annotations.formats.articles.article_record import REFERENCE_MEMBERS

OWN_NAMESPACE = "http:///bcms.ecore"
ARTICLE_TYPE, PASSAGE_TYPE, DECLARED_TYPE = "Article", "Passage", "Finding"
SPAN_TYPE, IDENTIFIER_TYPE, ARGUMENT_TYPE, QUALIFIER_TYPE = "Span", "Identifier", "Argument", "Qualifier"
ANNOTATION_PARENT, STRUCTURE_PARENT = "uima.tcas.Annotation", "uima.cas.TOP"
# UIMA has its own features for these, begin and end.
POSITION_FIELDS = ("start", "end")
DECLARED_FIELDS = tuple(name for name in EXPORTED_ANNOTATION_FIELDS if name not in POSITION_FIELDS)
# Features that are lists, and the type of their elements.
LIST_FEATURES = {
    "spans": SPAN_TYPE,
    "identifiers": IDENTIFIER_TYPE,
    "arguments": ARGUMENT_TYPE,
    "qualifiers": QUALIFIER_TYPE,
    "evidence": SPAN_TYPE,
}
# The features of each type; those that are not in LIST_FEATURES are texts.
XMI_FEATURES: Mapping[str, tuple[str, ...]] = {
    ARTICLE_TYPE: ("article", "text_version", *REFERENCE_MEMBERS, "authors"),
    PASSAGE_TYPE: ("type",),
    DECLARED_TYPE: (*PRODUCER_FIELDS, "kind", "found", *DECLARED_FIELDS, "directed", *LIST_FEATURES),
    SPAN_TYPE: (),
    IDENTIFIER_TYPE: ("curie", "database", "identifier"),
    ARGUMENT_TYPE: ("role", "type", "text", "spans", "identifiers"),
    QUALIFIER_TYPE: ("name", "value"),
}
STRUCTURE_TYPES = frozenset({IDENTIFIER_TYPE, ARGUMENT_TYPE, QUALIFIER_TYPE})


def format_type_system() -> str:
    """The type system description as XML."""
    types = "".join(_format_type_description(name, features) for name, features in XMI_FEATURES.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier">\n'
        f"<types>\n{types}</types>\n</typeSystemDescription>\n"
    )


def _format_type_description(name: str, features: tuple[str, ...]) -> str:
    parent = STRUCTURE_PARENT if name in STRUCTURE_TYPES else ANNOTATION_PARENT
    descriptions = "".join(map("".join, map(_iter_feature_pieces, features)))
    features_element = f"<features>\n{descriptions}</features>" if features else ""
    return (
        f"<typeDescription><name>bcms.{name}</name><description/><supertypeName>{parent}</supertypeName>\n"
        f"{features_element}</typeDescription>\n"
    )


def _iter_feature_pieces(feature: str) -> Iterator[str]:
    yield f"<featureDescription><name>{feature}</name><description/>"
    if feature in LIST_FEATURES:
        yield "<rangeTypeName>uima.cas.FSArray</rangeTypeName>"
        yield f"<elementType>bcms.{LIST_FEATURES[feature]}</elementType>"
        yield "<multipleReferencesAllowed>false</multipleReferencesAllowed>"
    else:
        yield "<rangeTypeName>uima.cas.String</rangeTypeName>"
    yield "</featureDescription>\n"
