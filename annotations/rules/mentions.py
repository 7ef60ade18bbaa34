"""Positions, texts and types of mentions (R104, R105, R107 to R109)."""

from collections.abc import Sequence

from annotations.articles.text_parts import is_text_of_parts, join_text_of_parts
from annotations.results.misplaced_mentions import find_misplaced_claim
from annotations.rule_registry import LocatedFault, RuleContext, register_rule_on_single_annotation
from annotations.rules.messages import quote_value
from annotations.rules.parts import (
    MOST_PARTS,
    explain_disordered_part,
    explain_number_of_parts,
    find_disordered_part,
)
from annotations.schema import AnnotationData, Kind, Span

LONGEST_MENTION_TYPE = 100


@register_rule_on_single_annotation(
    "R104",
    "A mention lies within the text and is not empty.",
    "Count characters (Unicode code points) from 0: within the section if you name one, otherwise within the title, "
    "one newline and the abstract.",
    field="start",
    kinds=[Kind.MENTION],
)
def explain_mention_outside_text_or_empty(
    annotation: AnnotationData, context: RuleContext
) -> str | LocatedFault | None:
    start, end, length = annotation.start, annotation.end, len(context.claims.text.text)
    if annotation.spans:
        return _explain_part_outside_text_or_empty(annotation.spans, length)
    if start is None or end is None:
        return "The mention has no position."
    if start == end:
        return "The mention is empty." + context.claims.explain_mention(annotation)
    if 0 <= start < end <= length or (annotation.text and context.claims.has_no_mention_in_article):
        return None
    message = f"The mention covers characters {start} to {end}, but the text has {length:,} characters."
    return message + context.claims.explain_mention(annotation)


def _explain_part_outside_text_or_empty(spans: Sequence[Span], length: int) -> LocatedFault | None:
    for index, (start, end) in enumerate(spans):
        if not 0 <= start < end <= length:
            message = f"The part covers characters {start} to {end}, but the text has {length:,} characters."
            return LocatedFault("The part is empty." if start == end else message, f"spans[{index}]")
    return None


@register_rule_on_single_annotation(
    "R105",
    "A mention's text is the article's text at its position.",
    "Send the position of exactly this text in the article. Count code points from 0 and do not normalize the text.",
    field="start",
    kinds=[Kind.MENTION],
)
def explain_mention_text_not_at_position(annotation: AnnotationData, context: RuleContext) -> str | LocatedFault | None:
    text, start, end = context.claims.text.text, annotation.start, annotation.end
    if annotation.spans:
        return _explain_text_unlike_parts(annotation, text)
    if (
        not find_misplaced_claim(annotation, context.claims.text)
        or start is None
        or end is None
        or not 0 <= start < end <= len(text)
    ):
        return None
    if context.claims.has_no_mention_in_article:
        return None
    message = f"The article has {quote_value(text[start:end])} there, not {quote_value(annotation.text)}."
    return message + context.claims.explain_mention(annotation)


def _explain_text_unlike_parts(mention: AnnotationData, text: str) -> LocatedFault | None:
    if _explain_part_outside_text_or_empty(mention.spans, len(text)) or find_disordered_part(mention.spans):
        return None
    if not mention.text or is_text_of_parts(mention.text, mention.spans, text):
        return None
    covered = quote_value(join_text_of_parts(mention.spans, text))
    return LocatedFault(f"The article has {covered} there, not {quote_value(mention.text)}.", "spans")


@register_rule_on_single_annotation(
    "R107",
    "The mentions of an answer belong to the requested article.",
    "Answer each request with annotations of its own article. Check caches, batches and threads for mix-ups.",
    field="text",
    kinds=[Kind.MENTION],
)
def explain_mention_if_none_of_several_occurs(annotation: AnnotationData, context: RuleContext) -> str | None:
    claim = find_misplaced_claim(annotation, context.claims.text)
    if claim is None or claim[0] == claim[1] or not context.claims.has_no_mention_in_article:
        return None
    return f"Neither {quote_value(annotation.text)} nor any other mention of the answer occurs in the article."


@register_rule_on_single_annotation(
    "R108",
    "The type of a mention, an entity, a relation or an argument of it is short.",
    f"Send the name of a type, of at most {LONGEST_MENTION_TYPE} characters.",
    field="type",
    kinds=[Kind.MENTION, Kind.ENTITY, Kind.RELATION],
)
def explain_too_long_type(annotation: AnnotationData, _: RuleContext) -> LocatedFault | None:
    types = [("type", annotation.type)]
    types += [(f"arguments[{index}]", each.type) for index, each in enumerate(annotation.arguments)]
    for field, type_name in types:
        if len(type_name) > LONGEST_MENTION_TYPE:
            message = f"The type has {len(type_name):,} characters; at most {LONGEST_MENTION_TYPE} are allowed."
            return LocatedFault(message, field)
    return None


@register_rule_on_single_annotation(
    "R109",
    f"The parts of a mention are in the order of the text and do not overlap; there are at most {MOST_PARTS}.",
    "Sort the parts by their start, and send each part once.",
    field="spans",
    kinds=[Kind.MENTION],
)
def explain_disordered_or_too_many_parts(annotation: AnnotationData, _: RuleContext) -> str | LocatedFault | None:
    if message := explain_number_of_parts(annotation.spans):
        return f"The mention has {message}."
    index = find_disordered_part(annotation.spans)
    return LocatedFault(explain_disordered_part(annotation.spans, index), f"spans[{index}]") if index else None
