"""Labels of articles (R130)."""

from annotations.rule_registry import LocatedFault, RuleContext, register_rule_on_single_annotation
from annotations.schema import AnnotationData, Kind

LONGEST_LABEL_NAME, LONGEST_LABEL_VALUE = 100, 200


@register_rule_on_single_annotation(
    "R130",
    "A label has the name of its set of labels and one value of it; both are short.",
    f"Send a name of at most {LONGEST_LABEL_NAME} and a value of at most {LONGEST_LABEL_VALUE} characters. Send each "
    "value of an article with several as a label of its own.",
    kinds=[Kind.LABEL],
)
def explain_missing_or_too_long_label(annotation: AnnotationData, _: RuleContext) -> LocatedFault | None:
    limits = (("name", annotation.type, LONGEST_LABEL_NAME), ("value", annotation.text, LONGEST_LABEL_VALUE))
    for field, text, longest in limits:
        if not text.strip():
            return LocatedFault(f"The {field} of the label is empty.", field)
        if len(text) > longest:
            return LocatedFault(f"The {field} has {len(text):,} characters; at most {longest} are allowed.", field)
    return None
