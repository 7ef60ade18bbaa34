"""The rules for the form of annotations, wherever they come from (R101 to R124).

Each rule is one function in annotations/rules, registered with its code, title and hint. Whether an identifier exists
is checked elsewhere (annotations/identifiers/verification.py).
"""

from collections.abc import Mapping, Sequence

# Importing the modules of rules registers them.
import annotations.rules.confidences
import annotations.rules.identifiers
import annotations.rules.lists
import annotations.rules.mentions
import annotations.rules.passages  # noqa: F401
from annotations.results.misplaced_mentions import IndexedText, PositionClaims
from annotations.rule_registry import ANNOTATION_RULES, IndexedAnnotation, RuleContext
from annotations.rules.characters import FORBIDDEN_CHARACTER_RULE, find_unstorable_field
from annotations.schema import AnnotationData, BrokenRule, Kind


def list_broken_annotation_rules(
    annotations: Sequence[AnnotationData],
    text: str,
    title_length: int,
    *,
    locations: Sequence[str] = (),
    field_names: Mapping[tuple[Kind, str], str] | None = None,
    max_per_kind: int | None = None,
) -> list[BrokenRule]:
    """Every rule that an annotation breaks, in the order of the annotations, which BrokenRule.index refers to.

    text is the canonical text of the article and title_length the length of its title, in code points. locations[i]
    says where annotations[i] is in the answer ("mentions[3]"; by default its kind and index), field_names what its
    fields are called there. max_per_kind limits the number of annotations of one kind. An annotation with a forbidden
    character (R106) breaks only that rule. Takes time in proportion to the annotations and the text.
    """
    annotations_by_kind: dict[Kind, list[IndexedAnnotation]] = {kind: [] for kind in Kind}
    context = RuleContext(
        PositionClaims(IndexedText(text, title_length), annotations_by_kind[Kind.MENTION]), max_per_kind
    )
    for index, annotation in enumerate(annotations):
        annotations_by_kind[annotation.kind].append((index, annotation))
    broken_rules = []
    for rule in ANNOTATION_RULES.values():
        for kind in rule.kinds:
            for index, message in rule.find_faults(annotations_by_kind[kind], context):
                location = locations[index] if locations else f"{kind}[{index}]"
                is_about_characters = rule.code == FORBIDDEN_CHARACTER_RULE
                field = find_unstorable_field(annotations[index]) if is_about_characters else rule.field
                field_name = (field_names or {}).get((kind, field), field)
                where = f"{location}.{field_name}" if field_name else location
                broken_rules.append(BrokenRule(rule.code, where, message, rule.hint, index))
    unstorable = {broken.index for broken in broken_rules if broken.code == FORBIDDEN_CHARACTER_RULE}
    kept = (each for each in broken_rules if each.code == FORBIDDEN_CHARACTER_RULE or each.index not in unstorable)
    return sorted(kept, key=lambda broken: (broken.index or 0, broken.code))
