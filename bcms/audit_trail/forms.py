"""The filter of the pages of the audit trail."""

from typing import Any

from django import forms
from django.db.models import Q, QuerySet

from servers.audit.models import AuditAction, AuditEvent

ACTION_GROUPS = tuple(dict.fromkeys(action.value.partition(".")[0] for action in AuditAction))


class AuditFilter(forms.Form):
    action = forms.ChoiceField(
        choices=[("", "everything"), *((group, group) for group in ACTION_GROUPS), *AuditAction.choices],
        required=False,
        label="What",
    )
    person = forms.CharField(required=False, max_length=150, label="User name")
    before = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def select_events(self, events: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
        """The events that a valid form asks for."""
        chosen = self.cleaned_data
        if chosen["action"]:
            events = events.filter(Q(action=chosen["action"]) | Q(action__startswith=f"{chosen['action']}."))
        if chosen["person"]:
            name = chosen["person"]
            events = events.filter(Q(actor__username=name) | Q(person__username=name))
        return events.filter(pk__lt=chosen["before"]) if chosen["before"] else events
