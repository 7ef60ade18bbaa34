"""Read a relation from the form of the workspace.

type: of the relation. Parallel lists describe the members: member, an identifier, and role; rows without an identifier
are left out. directed and negated are ticked or not; evidence-1 (spans as "20-58", several times) are its passages.
What the form has no field for, such as the other qualifiers, stays as it is in the item.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from django.http import QueryDict

from annotations.curation.errors import CurationError
from annotations.rules.relations import FEWEST_ARGUMENTS
from annotations.schema import (
    NEGATION_QUALIFIER,
    TRUE_QUALIFIER,
    AnnotationData,
    RelationArgument,
    make_relation,
)
from bcms.curation.given_entities import read_given_entity
from bcms.curation.interaction_form import format_span, read_selected_span
from bcms.curation.open_model.annotation_items import check_annotation
from bcms.lib.text import replace_unstorable_characters

EVIDENCE_FIELD = "evidence-1"
ARGUMENT_PATH = re.compile(r"arguments\[(?P<index>[0-9]+)\]")


def read_relation_form(form: QueryDict, article_text: str, before: AnnotationData | None = None) -> AnnotationData:
    """The relation of a form; CurationError with the field at fault. before: what the form showed, None for nothing."""
    known = before.arguments if before else ()
    members = dict(_iter_member_rows(form, known))
    if len(members) < FEWEST_ARGUMENTS:
        missing = next(number for number in range(1, FEWEST_ARGUMENTS + 1) if number not in members)
        raise CurationError("A relation has two or more members. Enter their identifiers.", f"member-{missing}")
    relation = make_relation(
        _clean_given_text(form.get("type", "")),
        members.values(),
        directed=bool(form.get("directed")),
        qualifiers=_read_form_qualifiers(form, before),
        evidence=[
            read_selected_span(span, article_text, EVIDENCE_FIELD) for span in form.getlist(EVIDENCE_FIELD) if span
        ],
    )
    check_annotation(relation, article_text, before, partial(_name_relation_field, tuple(members)))
    return relation


def _iter_member_rows(form: QueryDict, known: Sequence[RelationArgument]) -> Iterator[tuple[int, RelationArgument]]:
    """The rows with a member, by their numbers in the form, from 1."""
    roles = form.getlist("role")
    for number, given in enumerate(form.getlist("member"), 1):
        text, role = given.strip(), _clean_given_text(roles[number - 1]) if number <= len(roles) else ""
        shown = known[number - 1] if number <= len(known) else None
        if shown and text == format_member(shown):
            yield number, replace(shown, role=role)
        elif text:
            yield number, RelationArgument(role, (read_given_entity(text, field=f"member-{number}"),))


def format_member(argument: RelationArgument) -> str:
    """A member as the form shows it: its identifiers, or without any the position of its mention."""
    identifiers = " ".join(each.curie for each in argument.identifiers)
    return identifiers or ",".join(map(format_span, argument.spans))


def _read_form_qualifiers(form: QueryDict, before: AnnotationData | None) -> dict[str, str]:
    qualifiers = dict(before.relation.qualifiers) if before and before.relation else {}
    if form.get("negated"):
        return qualifiers | {NEGATION_QUALIFIER: TRUE_QUALIFIER}
    if qualifiers.get(NEGATION_QUALIFIER) == TRUE_QUALIFIER:
        del qualifiers[NEGATION_QUALIFIER]
    return qualifiers


def _name_relation_field(numbers: Sequence[int], path: str) -> str:
    """The field of the form at a path such as "arguments[1].role". numbers: of the rows that have a member."""
    match = ARGUMENT_PATH.match(path)
    if match:
        return f"member-{numbers[int(match['index'])]}"
    return {"arguments": "member-1", "evidence": EVIDENCE_FIELD, "qualifiers": "negated"}.get(path, path)


def _clean_given_text(text: str) -> str:
    return replace_unstorable_characters(text).strip()
