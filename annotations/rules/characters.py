"""Characters that nothing can store (R106)."""

import re
from collections.abc import Iterator

from annotations.rule_registry import LocatedFault, RuleContext, register_rule_on_single_annotation
from annotations.schema import AnnotationData

FORBIDDEN_CHARACTER_RULE = "R106"
# The fields that hold text of a server.
TEXT_FIELDS = ("text", "type", "identifier", "partner", "database")
# Control characters other than tab, line feed and carriage return, and lone surrogates.
UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@register_rule_on_single_annotation(
    FORBIDDEN_CHARACTER_RULE,
    "Texts contain no control characters and no lone surrogates.",
    "Send texts exactly as they are in the article and identifiers as they are in their database, in UTF-8.",
)
def explain_control_or_surrogate_character(annotation: AnnotationData, _: RuleContext) -> LocatedFault | None:
    for name, text in _iter_texts(annotation):
        if match := UNSTORABLE.search(text):
            return LocatedFault(f"It contains the character U+{ord(match[0]):04X}, which is not allowed.", name)
    return None


def _iter_texts(annotation: AnnotationData) -> Iterator[tuple[str, str]]:
    """Each text of a server in an annotation with its path."""
    for name in TEXT_FIELDS:
        yield name, getattr(annotation, name)
    for index, entity in enumerate(annotation.identifiers):
        yield f"identifiers[{index}]", entity.curie
    if annotation.relation is None:
        return
    for index, argument in enumerate(annotation.relation.arguments):
        for text in (argument.role, argument.type, argument.text, *(entity.curie for entity in argument.identifiers)):
            yield f"arguments[{index}]", text
    for name, value in annotation.relation.qualifiers:
        yield "qualifiers", name
        yield "qualifiers", value
