"""The rules for the form of annotations, wherever they come from (R101 to R131).

Each rule is one function in annotations/rules, registered with its code, title and hint. Whether an identifier exists
is checked elsewhere (annotations/identifiers/verification.py).
"""

from collections.abc import Mapping, Sequence

# Importing the modules of rules registers them.
import annotations.rules.confidences
import annotations.rules.identifiers
import annotations.rules.labels
import annotations.rules.links
import annotations.rules.lists
import annotations.rules.mentions
import annotations.rules.passages  # noqa: F401
from annotations.results.misplaced_mentions import IndexedText, PositionClaims
from annotations.rule_registry import ANNOTATION_RULES, AnnotationRule, IndexedAnnotation, LocatedFault, RuleContext
from annotations.rules.characters import FORBIDDEN_CHARACTER_RULE
from annotations.rules.relations import ARGUMENT_RULE, iter_relations_of_dropped_mentions
from annotations.schema import AnnotationData, BrokenRule, Kind


def list_broken_annotation_rules(
    annotations: Sequence[AnnotationData],
    text: str,
    title_length: int,
    *,
    locations: Sequence[str] = (),
    field_names: Mapping[tuple[Kind, str], str] | None = None,
    max_per_kind: int | None = None,
    types_count: bool = False,
) -> list[BrokenRule]:
    """Every rule that an annotation breaks, in the order of the annotations, which BrokenRule.index refers to.

    text is the canonical text of the article and title_length the length of its title, in code points. locations[i]
    says where annotations[i] is in the answer ("mentions[3]"; by default its kind and index), field_names what its
    fields are called there. max_per_kind limits the number of annotations of one kind. types_count: whether mentions of
    different types at one position are different annotations. An annotation with a forbidden character (R106) breaks
    only that rule. Takes time in proportion to the annotations and the text.
    """
    annotations_by_kind: dict[Kind, list[IndexedAnnotation]] = {kind: [] for kind in Kind}
    claims = PositionClaims(IndexedText(text, title_length), annotations_by_kind[Kind.MENTION])
    context = RuleContext(claims, max_per_kind, types_count)
    for index, annotation in enumerate(annotations):
        annotations_by_kind[annotation.kind].append((index, annotation))
    faults = [
        (rule, index, fault)
        for rule in ANNOTATION_RULES.values()
        for kind in rule.kinds
        for index, fault in rule.find_faults(annotations_by_kind[kind], context)
    ]
    dropped = {index for _, index, _ in faults}
    relations, mentions = annotations_by_kind[Kind.RELATION], annotations_by_kind[Kind.MENTION]
    for index, fault in iter_relations_of_dropped_mentions(relations, mentions, dropped):
        faults.append((ANNOTATION_RULES[ARGUMENT_RULE], index, fault))
    broken_rules = [
        _make_broken_rule(rule, index, annotations[index], fault, locations, field_names or {})
        for rule, index, fault in faults
    ]
    unstorable = {broken.index for broken in broken_rules if broken.code == FORBIDDEN_CHARACTER_RULE}
    kept = (each for each in broken_rules if each.code == FORBIDDEN_CHARACTER_RULE or each.index not in unstorable)
    return sorted(kept, key=lambda broken: (broken.index or 0, broken.code))


def _make_broken_rule(
    rule: AnnotationRule,
    index: int,
    annotation: AnnotationData,
    fault: str | LocatedFault,
    locations: Sequence[str],
    field_names: Mapping[tuple[Kind, str], str],
) -> BrokenRule:
    fault = fault if isinstance(fault, LocatedFault) else LocatedFault(fault, rule.field)
    location = locations[index] if locations else f"{annotation.kind}[{index}]"
    field_name = _find_field_name(annotation.kind, fault.field, field_names)
    where = f"{location}.{field_name}" if field_name else location
    return BrokenRule(rule.code, where, fault.message, rule.hint, index)


def _find_field_name(kind: Kind, field: str, field_names: Mapping[tuple[Kind, str], str]) -> str:
    """What the field is called in the answer: itself, or the list whose element it is (`spans[1]`)."""
    if (kind, field) in field_names:
        return field_names[kind, field]
    name, bracket, index = field.partition("[")
    return f"{field_names.get((kind, name), name)}{bracket}{index}"
