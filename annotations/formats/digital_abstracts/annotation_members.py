"""One annotation of the open model as a JSON object, as files of digital abstracts carry it.

The members are those of exports: kind, the fields of annotations/formats/articles/annotated_article.py, and the open
members of annotations/formats/articles/open_members.py.
"""

from collections.abc import Mapping

from annotations.formats.annotated_text.declared_members import InvalidMembersError, parse_declared_annotation
from annotations.formats.annotated_text.item_annotations import (
    build_entity_annotation,
    build_label_annotation,
    build_pair_or_passage_annotation,
    build_relation_annotation,
)
from annotations.formats.annotated_text.mentions import TextArgument, TextEntity, TextLabel, TextMention, TextRelation
from annotations.formats.articles.annotated_article import build_nonempty_export_members
from annotations.formats.bioc.declared_infons import KIND_INFON, LARGEST_NUMBER
from annotations.schema import AnnotationData, Kind, RelationArgument, make_mention


def build_annotation_members(annotation: AnnotationData) -> Mapping[str, object]:
    """The JSON object of an annotation, without empty members."""
    return {KIND_INFON: annotation.kind.value, **build_nonempty_export_members(annotation)}


def parse_annotation_members(members: Mapping[str, object]) -> AnnotationData:
    """The annotation of a JSON object. InvalidMembersError for members that are not those of its kind."""
    item = parse_declared_annotation(members, "", 0, LARGEST_NUMBER)
    match item:
        case TextMention():
            return make_mention(
                item.parts, item.text, item.type, item.list_links(), confidence=item.confidence, rank=item.rank
            )
        case TextEntity():
            return build_entity_annotation(item, item.exact[0])
        case TextLabel():
            return build_label_annotation(item)
        case TextRelation() if item.kind is Kind.RELATION:
            return build_relation_annotation(item, map(_build_argument, item.arguments))
        case TextRelation():
            return build_pair_or_passage_annotation(item)
    raise InvalidMembersError("the annotation says that nothing was found - leave it out")


def _build_argument(argument: TextArgument) -> RelationArgument:
    return RelationArgument(argument.role, argument.list_links(), argument.spans, argument.type, argument.text)
