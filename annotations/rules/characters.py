"""Characters that nothing can store (R106)."""

import re

from annotations.rule_registry import RuleContext, register_rule_on_single_annotation
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
def explain_control_or_surrogate_character(annotation: AnnotationData, _: RuleContext) -> str | None:
    name = find_unstorable_field(annotation)
    match = UNSTORABLE.search(getattr(annotation, name)) if name else None
    return f"It contains the character U+{ord(match[0]):04X}, which is not allowed." if match else None


def find_unstorable_field(annotation: AnnotationData) -> str:
    """The name of the first field with a control character or a lone surrogate; "" if there is none."""
    return next((name for name in TEXT_FIELDS if UNSTORABLE.search(getattr(annotation, name))), "")
