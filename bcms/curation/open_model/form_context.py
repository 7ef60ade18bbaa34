"""What the forms of relations and labels show: their fields, suggestions, and the sentences that name the members."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models.fields.json import KT

from annotations.curation.models import Candidate, Curation, DecidedItem
from annotations.curation.states import ItemKind
from annotations.identifiers.queries import find_named_entries
from annotations.rules.labels import LONGEST_LABEL_NAME, LONGEST_LABEL_VALUE
from annotations.rules.mentions import LONGEST_MENTION_TYPE
from annotations.rules.relations import LONGEST_ROLE, MOST_ARGUMENTS
from annotations.schema import AnnotationData, RelationArgument, Span
from annotations.search.annotated_types import list_annotated_types
from bcms.curation.interaction_form import SPAN, format_span
from bcms.curation.item_details import NamingSentence, find_naming_spans, list_sentences_with_spans
from bcms.curation.open_model.relation_form import format_member

# Rows of a new relation, and the further ones that are folded.
FEWEST_ROWS, MORE_ROWS = 2, 2
MOST_SUGGESTIONS = 200
# The column of an annotation's row with its type (annotations/results/annotation_rows.py).
TYPE_COLUMN = KT("content__row__5")


@dataclass(frozen=True, slots=True)
class MemberFields:
    """A row for a member. number: from 1; value: its identifier or position; words: those of its mention."""

    number: int
    value: str = ""
    role: str = ""
    words: str = ""

    @property
    def field(self) -> str:
        return f"member-{self.number}"


@dataclass(frozen=True, slots=True)
class RelationFields:
    """A relation as its form shows it. evidence: spans as in the form."""

    type: str = ""
    directed: bool = False
    negated: bool = False
    members: Sequence[MemberFields] = ()
    evidence: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PassageChoice:
    """A passage of the article that can be chosen. value: its span as in the form."""

    value: str
    text: str
    chosen: bool


def build_relation_context(curation: Curation, before: AnnotationData | None) -> dict[str, object]:
    """The context of a form: 4 queries, and 2 for each member. before: the relation, None for a new one."""
    arguments = before.arguments if before else ()
    groups = _list_naming_spans(curation, arguments)
    spans = sorted({span for each in groups for span in each})
    sentences = list_sentences_with_spans(curation.article, groups) if groups else []
    if not sentences and spans:
        sentences = list_sentences_with_spans(curation.article, [spans])
    shown = _read_fields(before)
    members = _add_empty_rows(shown.members, max(len(shown.members), FEWEST_ROWS))
    return {
        "relation": shown,
        "members": members,
        "more_members": _add_empty_rows(members, min(len(members) + MORE_ROWS, MOST_ARGUMENTS))[len(members) :],
        "passages": _list_passages(curation.article.text, shown.evidence, sentences),
        "sentences": sentences,
        "span_values": " ".join(map(format_span, spans)),
        "relation_types": _list_relation_types(curation),
        "longest": {"type": LONGEST_MENTION_TYPE, "role": LONGEST_ROLE},
    }


def _read_fields(relation: AnnotationData | None) -> RelationFields:
    parts = relation.relation if relation else None
    if relation is None or parts is None:
        return RelationFields()
    members = [
        MemberFields(number, format_member(each), each.role, each.text)
        for number, each in enumerate(parts.arguments, 1)
    ]
    evidence = [format_span(each) for each in parts.evidence]
    return RelationFields(relation.type, parts.directed, parts.is_negated(), members, evidence)


def _list_naming_spans(curation: Curation, arguments: Sequence[RelationArgument]) -> list[list[Span]]:
    """Where the text names each argument: its mention, and its entities."""
    entries = find_named_entries({(*entity,) for each in arguments for entity in each.identifiers})
    groups = []
    for each in arguments:
        spans = set(each.spans)
        for entity in each.identifiers:
            entry = entries.get(entity)
            names = {each.text, *((entry.symbol, entry.name, *entry.synonyms) if entry else ())}
            spans.update(find_naming_spans(curation, entity, names))
        groups.append(sorted(spans))
    return groups


def _add_empty_rows(members: Sequence[MemberFields], number: int) -> list[MemberFields]:
    return [*members, *(MemberFields(each) for each in range(len(members) + 1, number + 1))]


def _list_passages(text: str, chosen: Iterable[str], sentences: Iterable[NamingSentence]) -> list[PassageChoice]:
    """The chosen passages, then the sentences that are none of them."""
    by_value: dict[str, PassageChoice] = {}
    for value in chosen:
        if match := SPAN.fullmatch(value):
            by_value[value] = PassageChoice(value, text[int(match[1]) : int(match[2])], chosen=True)
    for sentence in sentences:
        by_value.setdefault(sentence.value, PassageChoice(sentence.value, sentence.text, chosen=False))
    return list(by_value.values())


def _list_relation_types(curation: Curation) -> list[str]:
    """The types of relations to suggest: those proposed here, then those in most public articles."""
    proposed = Candidate.objects.filter(candidate_list=curation.candidates_id, kind=ItemKind.RELATION)
    types = proposed.order_by("position").values_list(TYPE_COLUMN, flat=True)[:MOST_SUGGESTIONS]
    return list(dict.fromkeys([*types, *list_annotated_types().list_relation_type_names()]))[:MOST_SUGGESTIONS]


def build_label_context(curation: Curation, before: AnnotationData | None) -> dict[str, object]:
    """The context of a form: 2 queries. before: the label, None for a new one."""
    return {
        "name": before.type if before else "",
        "value": before.text if before else "",
        "label_names": _list_label_names(curation),
        "longest": {"name": LONGEST_LABEL_NAME, "value": LONGEST_LABEL_VALUE},
    }


def _list_label_names(curation: Curation) -> list[str]:
    """The names of labels to suggest: those proposed here, then those of labels on which the curator has decided."""
    proposed = Candidate.objects.filter(candidate_list=curation.candidates_id, kind=ItemKind.LABEL)
    decided = DecidedItem.objects.filter(curation__curator=curation.curator_id, kind=ItemKind.LABEL)
    names = [
        *proposed.order_by("position").values_list(TYPE_COLUMN, flat=True)[:MOST_SUGGESTIONS],
        *decided.order_by("-pk").values_list(TYPE_COLUMN, flat=True)[:MOST_SUGGESTIONS],
    ]
    return list(dict.fromkeys(names))[:MOST_SUGGESTIONS]
