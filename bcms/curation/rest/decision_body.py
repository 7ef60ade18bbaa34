"""A decision as a program sends it: the fields of the form of the workspace in JSON, and interactions as in records."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.http import QueryDict
from rest_framework import serializers

from annotations.curation.candidate_building import LONGEST_KEY
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
from annotations.identifiers.queries import find_psi_mi_terms
from annotations.json_members import JsonMemberError
from annotations.rules.digital_abstracts import find_interaction_faults
from bcms.curation.decision_form import LARGEST_REVISION, LONGEST_REASON, LONGEST_TYPE, TOKEN, read_items
from bcms.curation.given_entities import check_entity
from bcms.curation.interaction_form import make_interaction_item
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.text import replace_unstorable_characters

LONGEST_IDENTIFIER, LARGEST_POSITION = 200, 10**9 - 1
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
        return attrs


def _is_about_interaction(values: Mapping[str, Any]) -> bool:
    """Whether the decision states an interaction, instead of choosing one."""
    return values["kind"] == ItemKind.INTERACTION and values["action"] in (DecisionAction.ADD, DecisionAction.EDIT)


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
