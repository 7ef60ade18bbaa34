"""The registry of the rules for annotations: what a rule is, and the decorators that register one."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from annotations.results.misplaced_mentions import PositionClaims
from annotations.schema import AnnotationData, Kind

# An annotation with its position in the answer.
IndexedAnnotation = tuple[int, AnnotationData]


@dataclass(frozen=True, slots=True)
class LocatedFault:
    """What is wrong with one value of an annotation, and its path: `spans[1]`."""

    message: str
    field: str


# The position of an annotation in the answer, and what is wrong with it: by default with the field of the rule.
IndexedFault = tuple[int, str | LocatedFault]


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What the rules need besides the annotations.

    max_per_kind is the largest number of annotations of one kind, None for the limits of the open kinds alone.
    types_count: whether mentions at one position with different types are different annotations.
    """

    claims: PositionClaims
    max_per_kind: int | None
    types_count: bool = False


SingleCheck = Callable[[AnnotationData, RuleContext], str | LocatedFault | None]
GroupCheck = Callable[[Sequence[IndexedAnnotation], RuleContext], Iterator[IndexedFault]]


@dataclass(frozen=True, slots=True)
class AnnotationRule:
    """One rule about annotations.

    title, a sentence, says what the rule requires and hint how to comply. field names the value at fault, "" for the
    whole annotation. find_faults gets all annotations of one kind and yields those that break the rule.
    """

    code: str
    title: str
    hint: str
    field: str
    kinds: Collection[Kind]
    find_faults: GroupCheck


# By code, in ascending order.
ANNOTATION_RULES: dict[str, AnnotationRule] = {}


def register_rule_across_annotations(
    code: str, title: str, hint: str, *, field: str = "", kinds: Collection[Kind] = tuple(Kind)
) -> Callable[[GroupCheck], GroupCheck]:
    """Register a rule about all annotations of one kind together.

    The decorated function yields the annotations that break it.
    """

    def register(find_faults: GroupCheck) -> GroupCheck:
        ANNOTATION_RULES[code] = AnnotationRule(code, title, hint, field, frozenset(kinds), find_faults)
        for later in sorted(each for each in ANNOTATION_RULES if each > code):
            ANNOTATION_RULES[later] = ANNOTATION_RULES.pop(later)
        return find_faults

    return register


def register_rule_on_single_annotation(
    code: str, title: str, hint: str, *, field: str = "", kinds: Collection[Kind] = tuple(Kind)
) -> Callable[[SingleCheck], SingleCheck]:
    """Register a rule about a single annotation; the decorated function returns what is wrong, or None."""

    def register(find_fault: SingleCheck) -> SingleCheck:
        def find_faults(annotations: Sequence[IndexedAnnotation], context: RuleContext) -> Iterator[IndexedFault]:
            for index, annotation in annotations:
                fault = find_fault(annotation, context)
                if fault is not None:
                    yield index, fault

        register_rule_across_annotations(code, title, hint, field=field, kinds=kinds)(find_faults)
        return find_fault

    return register
