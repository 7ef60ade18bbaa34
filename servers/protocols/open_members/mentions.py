"""The parts and links of mentions in answers."""

from dataclasses import replace

from annotations.schema import AnnotationData, Span
from servers.protocols.answer_fields import AnswerFields
from servers.protocols.open_members.identifiers import build_identifier, read_identifier_list
from servers.protocols.open_members.spans import normalize_text_of_parts

MENTION_MEMBERS = ("spans", "identifiers", "id")


def add_parts_and_links(
    mention: AnnotationData, spans: tuple[Span, ...], fields: AnswerFields, article_text: str
) -> AnnotationData:
    """The mention with the parts that it has in an answer, in their order, and with its links."""
    links = read_identifier_list(fields.values.get("identifiers"), fields.get_path("identifiers"), mention.type)
    if not spans:
        return replace(mention, identifiers=links) if links else mention
    return replace(
        mention,
        start=min(span.start for span in spans),
        end=max(span.end for span in spans),
        text=normalize_text_of_parts(mention.text, spans, article_text),
        spans=spans if len(spans) > 1 else (),
        identifiers=links,
    )


def build_links(mention: AnnotationData) -> list[str | dict[str, str]]:
    return [build_identifier(entity) for entity in mention.identifiers]
