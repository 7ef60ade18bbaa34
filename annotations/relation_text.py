"""How pages and reports write a relation of any type on one line."""

from collections.abc import Iterable

from annotations.schema import NEGATION_QUALIFIER, TRUE_QUALIFIER, AnnotationData, Qualifier

TWO_ENDS = 2
NEGATION = Qualifier(NEGATION_QUALIFIER, TRUE_QUALIFIER)


def choose_relation_joint(end_count: int, *, directed: bool) -> str:
    """What stands between the ends of a relation: an arrow if it is directed, commas if there are more than two."""
    if end_count > TWO_ENDS:
        return ", "
    return " → " if directed else " with "


def format_relation_ends(relation: AnnotationData, names: Iterable[str]) -> str:
    """`chemical naloxone → disease hypertension (novelty: Novel)`, without the type; names: one for each argument."""
    ends = [f"{each.role} {name}".strip() for each, name in zip(relation.arguments, names, strict=True)]
    joined = choose_relation_joint(len(ends), directed=relation.is_directed).join(ends)
    qualifiers = relation.relation.qualifiers if relation.relation else ()
    stated = ["negated" if each == NEGATION else f"{each.name}: {each.value}" for each in qualifiers]
    return f"{joined} ({', '.join(stated)})" if stated else joined
