"""Forms to create a team, invite a member and change a member's role."""

from typing import Any

from django import forms

from bcms.lib.forms.text_fields import OneLineField
from servers.teams.models import Membership, Team

ROLES = [
    (Membership.Role.MEMBER, "member: runs the team's servers"),
    (Membership.Role.MANAGER, "manager: also changes servers and members"),
]


class TeamForm(forms.Form):
    name = OneLineField(
        label="Name",
        max_length=100,
        help_text="Shown publicly, for example the name of your group.",
        error_messages={"required": "Enter a name for the team."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if Team.objects.filter(name__iexact=name).exists():
            raise forms.ValidationError(
                "A team with this name exists already. Choose another name, or ask its manager for an invitation."
            )
        return name


class NewTeamForm(TeamForm):
    """A part of another form, whose other names are not those of a team."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = "Name of your new team"


class InvitationForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        error_messages={
            "required": "Enter the e-mail address to invite.",
            "invalid": "Enter a valid e-mail address, such as ana@example.org.",
        },
    )
    role = forms.ChoiceField(label="Role", choices=ROLES)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=ROLES)
