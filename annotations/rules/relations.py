"""Arguments, roles, evidence and qualifiers of relations (R125 to R127, R129 and R131)."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from annotations.articles.text_parts import is_text_of_parts, join_text_of_parts
from annotations.identifiers.curies import parse_curie
from annotations.identifiers.namespaces import is_well_formed_identifier
from annotations.rule_registry import (
    IndexedAnnotation,
    IndexedFault,
    LocatedFault,
    RuleContext,
    register_rule_on_single_annotation,
)
from annotations.rules.messages import quote_value
from annotations.rules.parts import (
    MOST_PARTS,
    explain_disordered_part,
    explain_number_of_parts,
    find_disordered_part,
)
from annotations.schema import (
    FALSE_QUALIFIER,
    NEGATION_QUALIFIER,
    TRUE_QUALIFIER,
    AnnotationData,
    Kind,
    RelationArgument,
    Span,
)

FEWEST_ARGUMENTS, MOST_ARGUMENTS = 2, 16
LONGEST_ROLE = 64
MOST_EVIDENCE_SPANS = 100
MOST_QUALIFIERS, LONGEST_QUALIFIER_NAME, LONGEST_QUALIFIER_VALUE = 16, 64, 200
QUALIFIER_VALUES = {"novelty": ("Novel", "No"), NEGATION_QUALIFIER: (TRUE_QUALIFIER, FALSE_QUALIFIER)}
PSI_MI_QUALIFIERS = ("method", "interaction-type")
ARGUMENT_RULE = "R126"


@register_rule_on_single_annotation(
    "R125",
    f"A relation has {FEWEST_ARGUMENTS} to {MOST_ARGUMENTS} arguments.",
    "Send every entity of the relation as one argument.",
    field="arguments",
    kinds=[Kind.RELATION],
)
def explain_number_of_arguments(annotation: AnnotationData, _: RuleContext) -> str | None:
    number = len(annotation.arguments)
    if FEWEST_ARGUMENTS <= number <= MOST_ARGUMENTS:
        return None
    return f"The relation has {number:,} argument{'' if number == 1 else 's'}."


@register_rule_on_single_annotation(
    ARGUMENT_RULE,
    "Each argument of a relation names a mention of the answer, or an identifier.",
    "Send the id of a valid mention of the same answer, an identifier, or the position and text of a mention. Sort its "
    "parts by their start.",
    kinds=[Kind.RELATION],
)
def explain_argument_without_entity(annotation: AnnotationData, context: RuleContext) -> LocatedFault | None:
    text = context.claims.text.text
    for index, argument in enumerate(annotation.arguments):
        message = _explain_argument(argument, text)
        if message:
            return LocatedFault(message, f"arguments[{index}]")
    return None


def _explain_argument(argument: RelationArgument, text: str) -> str:
    """What is wrong with the entity or the position of an argument; "" for nothing."""
    if not argument.spans:
        return "" if argument.identifiers else "The argument names neither a mention nor an identifier."
    outside = find_span_outside_text(argument.spans, len(text))
    if outside:
        return f"The argument covers characters {outside.start} to {outside.end}; the text has {len(text):,}."
    if message := explain_number_of_parts(argument.spans):
        return f"The argument has {message}; at most {MOST_PARTS} are allowed."
    if index := find_disordered_part(argument.spans):
        return explain_disordered_part(argument.spans, index)
    if argument.text and not is_text_of_parts(argument.text, argument.spans, text):
        covered = quote_value(join_text_of_parts(argument.spans, text))
        return f"The article has {covered} there, not {quote_value(argument.text)}."
    return ""


def find_span_outside_text(spans: Sequence[Span], length: int) -> Span | None:
    """The first span that is empty or not within a text of so many characters."""
    return next((span for span in spans if not 0 <= span.start < span.end <= length), None)


def iter_relations_of_dropped_mentions(
    relations: Sequence[IndexedAnnotation], mentions: Sequence[IndexedAnnotation], dropped: Collection[int]
) -> Iterator[IndexedFault]:
    """The relations with an argument whose mentions in the answer all break a rule; dropped are their indexes."""
    if not relations:
        return
    is_kept: dict[tuple[Span, ...], bool] = defaultdict(bool)
    for index, mention in mentions:
        is_kept[mention.parts] |= index not in dropped
    for index, relation in relations:
        for number, argument in enumerate(relation.arguments):
            if index not in dropped and argument.spans and not is_kept.get(argument.spans, True):
                yield index, LocatedFault("The mention that the argument names breaks a rule.", f"arguments[{number}]")
                break


@register_rule_on_single_annotation(
    "R127",
    f"A role has at most {LONGEST_ROLE} characters.",
    "Send a short name for what the argument is in the relation, or omit it.",
    kinds=[Kind.RELATION],
)
def explain_too_long_role(annotation: AnnotationData, _: RuleContext) -> LocatedFault | None:
    for index, argument in enumerate(annotation.arguments):
        if len(argument.role) > LONGEST_ROLE:
            message = f"The role {quote_value(argument.role)} has {len(argument.role):,} characters."
            return LocatedFault(message, f"arguments[{index}].role")
    return None


@register_rule_on_single_annotation(
    "R129",
    f"The evidence of a relation lies within the text; it has at most {MOST_EVIDENCE_SPANS} passages.",
    "Send start and end of each passage in code points of the whole text.",
    kinds=[Kind.RELATION],
)
def explain_evidence_outside_text(annotation: AnnotationData, context: RuleContext) -> LocatedFault | None:
    length = len(context.claims.text.text)
    if len(annotation.evidence) > MOST_EVIDENCE_SPANS:
        return LocatedFault(f"The relation has {len(annotation.evidence):,} passages of evidence.", "evidence")
    outside = find_span_outside_text(annotation.evidence, length)
    if outside is None:
        return None
    message = f"The evidence covers characters {outside.start} to {outside.end}, but the text has {length:,}."
    return LocatedFault(message, "evidence")


@register_rule_on_single_annotation(
    "R131",
    "The qualifiers novelty, negated, method and interaction-type have values of their lists; all are short.",
    "Send Novel or No as novelty, true or false as negated, and PSI-MI identifiers (mi:0018) as method and "
    f"interaction-type. Send at most {MOST_QUALIFIERS} qualifiers, with names of at most {LONGEST_QUALIFIER_NAME} and "
    f"values of at most {LONGEST_QUALIFIER_VALUE} characters.",
    kinds=[Kind.RELATION],
)
def explain_qualifier_with_wrong_value(annotation: AnnotationData, _: RuleContext) -> LocatedFault | None:
    qualifiers = annotation.relation.qualifiers if annotation.relation else ()
    if len(qualifiers) > MOST_QUALIFIERS:
        return LocatedFault(f"The relation has {len(qualifiers):,} qualifiers.", "qualifiers")
    for name, value in qualifiers:
        if not name.strip() or len(name) > LONGEST_QUALIFIER_NAME:
            message = f"{quote_value(name)} is not a name of 1 to {LONGEST_QUALIFIER_NAME} characters."
            return LocatedFault(message, "qualifiers")
        if len(value) > LONGEST_QUALIFIER_VALUE:
            message = f"The qualifier {quote_value(name)} has {len(value):,} characters."
            return LocatedFault(message, "qualifiers")
        if message := explain_qualifier_value(name, value):
            return LocatedFault(message, "qualifiers")
    return None


def explain_qualifier_value(name: str, value: str) -> str:
    """What is wrong with the value of a qualifier that has a list of values; "" for nothing."""
    values = QUALIFIER_VALUES.get(name)
    if values and value not in values:
        return f"{name} is {quote_value(value)}, which is neither {values[0]} nor {values[1]}."
    if name in PSI_MI_QUALIFIERS:
        entity = parse_curie(value)
        if entity is None or entity.database != "psi-mi" or not is_well_formed_identifier(*entity):
            return f"{quote_value(value)} is not a PSI-MI identifier."
    return ""
