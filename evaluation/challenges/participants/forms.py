"""Forms to approve a team and to enter a server."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from evaluation.challenges.models import Challenge
from servers.registry.models import Server
from servers.teams.models import Team


class TeamApprovalForm(forms.Form):
    """Choose one of the teams that are not approved for the challenge."""

    team = forms.ModelChoiceField(Team.objects.none(), to_field_name="slug", empty_label=None)

    def __init__(self, challenge: Challenge, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        unapproved = Team.objects.exclude(entrants__challenge=challenge, entrants__approved__isnull=False).order_by(
            "name"
        )
        self.fields["team"] = forms.ModelChoiceField(unapproved, to_field_name="slug", empty_label=None)


class ServerChoiceForm(forms.Form):
    server = forms.ModelChoiceField(Server.objects.none(), to_field_name="slug", empty_label=None)

    def __init__(self, servers: QuerySet[Server], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["server"] = forms.ModelChoiceField(servers, to_field_name="slug", empty_label=None)
