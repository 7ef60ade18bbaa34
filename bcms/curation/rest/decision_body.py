"""A decision as a program sends it: the fields of the form of the workspace in JSON, and interactions as in records."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.http import QueryDict
from rest_framework import serializers

from annotations.curation.candidate_building import LONGEST_KEY
from annotations.curation.contents import read_annotation_content
from annotations.curation.decisions import (
    MOST_ITEMS_AT_ONCE,
    DecisionInput,
    ItemProposal,
    check_begun,
    store_or_undo_decision,
)
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation, Decision
from annotations.curation.states import DecisionAction, ItemKind
from annotations.digital_abstract import Interaction
from annotations.digital_abstract_json import parse_interaction_json
from annotations.formats.annotated_text.declared_members import InvalidMembersError
from annotations.formats.articles.open_members import OPEN_MEMBERS
from annotations.formats.bioc.declared_infons import KIND_INFON
from annotations.formats.digital_abstracts.annotation_members import parse_annotation_members
from annotations.identifiers.queries import find_psi_mi_terms
from annotations.json_members import JsonMemberError
from annotations.rules.digital_abstracts import find_interaction_faults
from annotations.rules.messages import quote_value
from annotations.schema import FLAT_ANNOTATION_FIELDS, AnnotationData
from bcms.curation.decision_form import (
    LARGEST_REVISION,
    LONGEST_REASON,
    LONGEST_TYPE,
    TOKEN,
    find_items,
    read_items,
)
from bcms.curation.given_entities import check_entity
from bcms.curation.interaction_form import make_interaction_item
from bcms.curation.open_model.annotation_items import (
    OPEN_ITEM_KINDS,
    build_added_item,
    build_corrected_item,
    check_annotation,
)
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.text import replace_unstorable_characters

LONGEST_IDENTIFIER, LARGEST_POSITION = 200, 10**9 - 1
STATING_ACTIONS = (DecisionAction.ADD, DecisionAction.EDIT)
# Those that annotations have in REST (annotations/formats/articles/annotated_article.py).
ANNOTATION_MEMBERS = frozenset({KIND_INFON, *FLAT_ANNOTATION_FIELDS, *OPEN_MEMBERS})
# What is left to the reader of the form.
FORM_FIELDS = ("group", "identifier", "type", "text", "start", "end")


class NewCurationDecision(RequestSerializer[Any]):
    """action: accept, reject, edit, add, skip or undo. With `undo`, the other fields but seen and token are ignored.

    A decision that is sent again with the same token is stored once.
    """

    action = ExplainedChoiceField(choices=[action.value for action in DecisionAction])
    seen = serializers.IntegerField(
        min_value=0, max_value=LARGEST_REVISION, help_text="revision of the curation that you have read"
    )
    token = serializers.RegexField(
        TOKEN, help_text="8 to 36 letters, digits or -, chosen by you, another one for each decision"
    )
    kind = ExplainedChoiceField(choices=[kind.value for kind in ItemKind], required=False)
    keys = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_KEY),
        required=False,
        max_length=MOST_ITEMS_AT_ONCE,
        help_text="of the items, as in candidates or items",
    )
    group = serializers.CharField(
        required=False, max_length=LONGEST_KEY, help_text="all mentions of a group of candidates, in place of keys"
    )
    reason = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_REASON, help_text="why it is rejected"
    )
    identifier = serializers.CharField(
        required=False, max_length=LONGEST_IDENTIFIER, help_text="to add or correct, such as uniprot:P04637"
    )
    type = serializers.CharField(required=False, max_length=LONGEST_TYPE, help_text="entity type to add or correct")
    start = serializers.IntegerField(required=False, min_value=0, max_value=LARGEST_POSITION)
    end = serializers.IntegerField(required=False, min_value=0, max_value=LARGEST_POSITION)
    text = serializers.CharField(required=False, trim_whitespace=False, help_text="the words of a mention to add")
    everywhere = serializers.BooleanField(
        required=False, help_text="add the mention wherever the same words are in the text"
    )
    interaction = serializers.DictField(
        required=False, help_text="to add or correct, with the members of interactions of the record"
    )
    annotation = serializers.DictField(
        required=False,
        help_text="a relation or label to add or correct, with the members of annotation in candidates; kind may be "
        "left out",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        action = DecisionAction(attrs["action"])
        if action is DecisionAction.UNDO:
            return attrs
        if "kind" not in attrs:
            raise serializers.ValidationError({"kind": "Say of which kind the items are."})
        is_named = attrs.get("keys") or attrs.get("group") or action is DecisionAction.ADD
        if not is_named:
            raise serializers.ValidationError({"keys": "Name the items by their keys, or a group of mentions."})
        if "interaction" not in attrs and _is_about_interaction(attrs):
            raise serializers.ValidationError({"interaction": "Send the interaction as it is to be recorded."})
        if "annotation" not in attrs and _is_about_open_annotation(attrs):
            raise serializers.ValidationError({"annotation": f"Send the {attrs['kind']} as it is to be recorded."})
        return attrs


def _is_about_interaction(values: Mapping[str, Any]) -> bool:
    """Whether the decision states an interaction, instead of choosing one."""
    return values["kind"] == ItemKind.INTERACTION and values["action"] in STATING_ACTIONS


def _is_about_open_annotation(values: Mapping[str, Any]) -> bool:
    """Whether the decision states a relation or label, instead of choosing one."""
    return values["kind"] in OPEN_ITEM_KINDS and values["action"] in STATING_ACTIONS


def store_decision_of_body(curation: Curation, values: Mapping[str, Any], user_id: int, now: datetime) -> Decision:
    """Store what a validated body says, as the workspace stores a form; CurationError with the member at fault."""
    check_begun(curation)
    action = DecisionAction(values["action"])
    given = DecisionInput(
        action,
        values["seen"],
        values["token"],
        user_id,
        replace_unstorable_characters(values.get("reason", "")),
        () if action is DecisionAction.UNDO else _read_items(curation, action, values),
    )
    return store_or_undo_decision(curation.pk, given, now)


def _read_items(curation: Curation, action: DecisionAction, values: Mapping[str, Any]) -> Sequence[ItemProposal]:
    if _is_about_interaction(values):
        interaction = _read_interaction(values["interaction"], curation.article.text)
        return [make_interaction_item(curation, "".join(values.get("keys", ())[:1]), interaction, "interaction")]
    if _is_about_open_annotation(values):
        return [_read_open_item(curation, action, ItemKind(values["kind"]), values)]
    return read_items(curation, action, ItemKind(values["kind"]), _build_form(values))


def _build_form(values: Mapping[str, Any]) -> QueryDict:
    """The body as the form of the workspace sends it."""
    form = QueryDict(mutable=True)
    form.setlist("key", values.get("keys", []))
    for name in FORM_FIELDS:
        if name in values:
            form[name] = str(values[name])
    if values.get("everywhere"):
        form["everywhere"] = "1"
    return form


def _read_interaction(value: object, article_text: str) -> Interaction:
    """The interaction of the body, whose sources are those that proposed its item."""
    try:
        interaction = replace(parse_interaction_json(value, "interaction"), sources=())
    except JsonMemberError as error:
        raise CurationError(str(error), error.path or "interaction") from None
    for fault in find_interaction_faults(interaction, article_text, find_psi_mi_terms(), "interaction"):
        raise CurationError(f"{fault.message} {fault.mend}", fault.where)
    for number, participant in enumerate(interaction.participants):
        check_entity(
            participant.entity, participant.entity.identifier, f"interaction.participants[{number}].identifier"
        )
    return interaction


def _read_open_item(
    curation: Curation, action: DecisionAction, kind: ItemKind, values: Mapping[str, Any]
) -> ItemProposal:
    """The item of an added relation or label, or the one that is corrected."""
    if action is DecisionAction.ADD:
        return build_added_item(curation, kind, _read_annotation(values["annotation"], kind, curation.article.text))
    keys = values.get("keys", [])
    if len(keys) > 1:
        raise CurationError(f"Correct one {kind} at a time.", "keys")
    (item,) = find_items(curation, kind, keys)
    before = read_annotation_content(item.content)
    return build_corrected_item(item, _read_annotation(values["annotation"], kind, curation.article.text, before))


def _read_annotation(
    value: Mapping[str, object], kind: ItemKind, article_text: str, before: AnnotationData | None = None
) -> AnnotationData:
    """The relation or label of the body, without a confidence; CurationError with the member at fault."""
    members = {KIND_INFON: OPEN_ITEM_KINDS[kind].value, **value}
    if members[KIND_INFON] != OPEN_ITEM_KINDS[kind]:
        raise CurationError(f"The kind of the annotation is not {kind}.", "annotation.kind")
    if unknown := sorted(members.keys() - ANNOTATION_MEMBERS):
        raise CurationError(f"An annotation has no member {quote_value(unknown[0])}.", f"annotation.{unknown[0]}")
    try:
        annotation = replace(parse_annotation_members(members), confidence=None, rank=None)
    except InvalidMembersError as error:
        problem, _, mend = str(error).partition(" - ")
        message = f"The annotation is not valid: {problem}. {mend[:1].upper()}{mend[1:]}."
        raise CurationError(message, "annotation") from None
    check_annotation(annotation, article_text, before, lambda path: f"annotation.{path}" if path else "annotation")
    return annotation
